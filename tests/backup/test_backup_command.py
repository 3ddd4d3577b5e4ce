"""The command `firmograph backup`."""

import re
import stat
import tarfile

import msgspec
import pytest

import database_fixtures
from command_fixtures import Terminal
from firmograph.backup import programs
from firmograph.backup.programs import Programs
from firmograph.database.connection import Database
from firmograph.database.schema import HEAD
from firmograph.kit.errors import Refused
from firmograph.security.keyring import new_keyring
from process_server import run_loaded
from record_factory import KEYRING, contact, load_contacts


def fill(installation):
    """Add thirty contacts and an account."""
    people = [(f"p{n}", contact(f"Given{n}", f"Family{n}", emails=[f"p{n}@example.com"])) for n in range(30)]
    load_contacts(installation.database, "test", people, installation.clock)
    installation.accounts.create("acme", "unlimited", 10)


def refusal(done):
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = re.findall(r"Error: ([^\n]+)\n$", done.stderr)
    return line


def members(file):
    with tarfile.open(file) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


def test_a_backup_is_one_private_file_with_everything(origin, file):
    output = origin.process.json("backup", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.glob(f".{file.stem}*")) == []
    content = members(file)
    assert msgspec.json.decode(content["keys.json"]) == msgspec.to_builtins(KEYRING, str_keys=True)
    manifest = msgspec.json.decode(content["manifest.json"])
    assert manifest["holds"] == {"contacts": 30, "companies": 0, "accounts": 1, "suppressions": 0}
    assert (manifest["schema"], manifest["kind"]) == (HEAD, database_fixtures.KIND)
    size = file.stat().st_size
    assert output == {"file": str(file), "bytes": size, "keys": True, "signed": True, **manifest}


def test_text_output_has_the_record_counts_and_on_a_terminal_the_progress(origin, file):
    done = origin.command("backup", str(file))
    assert done.stdout == f"Written to {file}: 30 contacts, 0 companies, 1 accounts, 0 suppressions.\n"
    assert done.stderr == ""
    shown = Terminal(origin.folder, origin.url)("backup", str(file), "--force")
    assert "Copying" in shown.stderr
    assert "Writing" in shown.stderr


def test_the_keys_can_be_left_out(origin, file):
    done = origin.command("backup", str(file), "--without-keys")
    assert "keep the key file too" in done.stdout
    assert "keys.json" not in members(file)


def test_keys_from_the_environment_are_in_the_backup(filled, file):
    filled.key_file.unlink()
    keys = msgspec.json.encode(KEYRING).decode()
    assert filled.command("backup", str(file), FIRMOGRAPH_KEYS=keys).returncode == 0
    assert msgspec.json.decode(members(file)["keys.json"])["hash"] == KEYRING.hash


def test_a_missing_key_file_is_refused_unless_the_keys_are_omitted(filled, file):
    filled.key_file.unlink()
    assert "is missing; restore it, or omit it with --without-keys" in refusal(
        filled.command("backup", str(file))
    )
    assert not file.exists()
    assert filled.command("backup", str(file), "--without-keys").returncode == 0


def test_keys_of_another_database_are_refused(origin, file):
    other = msgspec.json.encode(new_keyring()).decode()
    assert "The database was written under another key file" in refusal(
        origin.command("backup", str(file), FIRMOGRAPH_KEYS=other)
    )
    assert not file.exists()


def test_a_database_without_keys_is_backed_up_without_keys(new_machine, file):
    new_machine.accounts.create("acme", "unlimited", 0)
    output = new_machine.command.json("backup", str(file))
    assert (output["keys"], output["keyring"]) == (False, None)
    assert not new_machine.key_file.exists()


def test_an_existing_file_is_replaced_only_with_force(origin, file):
    file.write_bytes(b"precious")
    assert "already exists; choose another name, or replace it with --force" in refusal(
        origin.command("backup", str(file))
    )
    assert file.read_bytes() == b"precious"
    assert origin.command("backup", str(file), "--force").returncode == 0
    assert "manifest.json" in members(file)


def test_a_missing_folder_is_reported(origin, tmp_path):
    nowhere = tmp_path / "no" / "firmograph.backup"
    assert refusal(origin.command("backup", str(nowhere))) == (
        f"The backup {nowhere} cannot be written: No such file or directory"
    )


def test_a_full_disk_leaves_nothing_behind(origin, file):
    # the first connection to a SQLite file writes more than the limit below
    assert origin.emails()
    # a file size limit fails like a full disk
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
        f"sys.argv = ['firmograph', 'backup', {str(file)!r}]; from firmograph.cli.main import run; run()"
    )
    done = run_loaded(["-c", limited], origin.folder, origin.command.environment)
    assert re.match(rf"The backup {file} cannot be written: \w|pg_dump failed: \w", refusal(done))
    assert [path.name for path in file.parent.iterdir() if file.stem in path.name] == []


@pytest.mark.sqlite
def test_a_missing_database_is_refused(origin, tmp_path, file):
    done = origin.command("backup", str(file), FIRMOGRAPH_DATABASE_URL=f"sqlite:///{tmp_path}/none.db")
    assert refusal(done) == f"The database {tmp_path}/none.db does not exist; choose another with --database"
    assert not (tmp_path / "none.db").exists()


def test_an_empty_database_is_refused(origin, tmp_path, file):
    url = database_fixtures.empty(tmp_path)
    assert Database(url).session().tables() == set()
    assert "was not created by this program" in refusal(
        origin.command("backup", str(file), FIRMOGRAPH_DATABASE_URL=url)
    )
    database_fixtures.drop(url)


@pytest.mark.sqlite
def test_a_damaged_database_is_refused(filled, file):
    filled.database.session().raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    filled.database.close()
    with open(filled.database.path, "r+b") as damaged:
        damaged.seek(4096 * 12)
        damaged.write(b"\xff" * 4096)
    done = filled.command("backup", str(file))
    assert "is damaged" in refusal(done) or "malformed" in refusal(done)
    assert not file.exists()


@pytest.mark.postgresql
def test_a_missing_pg_dump_is_refused_with_its_package(origin, file, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "_DEBIAN_FOLDER", tmp_path)
    with pytest.raises(Refused, match=r"pg_dump is missing; install .*postgresql-client-\d+"):
        origin.back_up(file)
    (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.1'\n")
    (tmp_path / "pg_dump").chmod(0o755)
    with pytest.raises(Refused, match="pg_dump 9 is older than the server"):
        origin.back_up(file)
    assert not file.exists()


@pytest.mark.postgresql
def test_the_password_is_in_no_command_line(origin):
    url = origin.url.replace("firmograph@", "firmograph:secret@") + "?password=hidden&sslmode=prefer"
    found = Programs(url, origin.database.session())
    assert not {"secret", "hidden"} & set(re.findall(r"\w+", " ".join(found.command("pg_dump"))))
    assert found.environment["PGPASSWORD"] in ("secret", "hidden")
