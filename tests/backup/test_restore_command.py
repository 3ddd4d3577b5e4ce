"""The command `firmograph restore`, its output and its refusals."""

import io
import re
import stat
import tarfile

import msgspec
import pytest
from installation import Installation

import database_fixtures
from firmograph.database.schema import HEAD, held_revision
from firmograph.kit.atomic_files import private_folder
from firmograph.privacy import suppression_file
from firmograph.security.keyring import new_keyring, parse_keyring
from next_release import NEXT
from record_factory import KEYRING, contact, load_contacts


def fill(installation):
    """Add thirty contacts and an account."""
    people = [(f"p{n}", contact(f"Given{n}", f"Family{n}", emails=[f"p{n}@example.com"])) for n in range(30)]
    load_contacts(installation.database, "test", people, installation.clock)
    installation.accounts.create("acme", "unlimited", 10)


@pytest.fixture(scope="module")
def without_keys(origin):
    file = origin.folder / "without.backup"
    assert origin.command("backup", str(file), "--without-keys").returncode == 0
    return file


@pytest.fixture(scope="module")
def unused(tmp_path_factory):
    """Return an empty installation without keys, for tests that show that nothing is restored into it."""
    unused = Installation(tmp_path_factory.mktemp("unused") / "new", keyring=None)
    yield unused
    unused.end()


@pytest.fixture
def unchanged(unused):
    """Return the unused installation; the test fails if it leaves a key file or a record there."""
    yield unused
    has_keys = unused.key_file.exists()
    unused.key_file.unlink(missing_ok=True)
    assert (has_keys, is_empty(unused)) == (False, True)


def refusal(done):
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = re.findall(r"Error: ([^\n]+)\n$", done.stderr)
    return line


def is_empty(installation):
    return (installation.emails(), installation.accounts.all()) == (set(), [])


def test_a_restore_on_a_new_machine_has_all_records_and_the_keys(origin, new_machine, backup_file):
    output = new_machine.process.json("restore", str(backup_file))
    assert output["restored"] == str(backup_file)
    assert output["keysWritten"] is True
    assert output["holds"] == {"contacts": 30, "companies": 0, "accounts": 1, "suppressions": 0}
    assert output["carriedOver"] == {
        "suppressions": 0,
        "erased": 0,
        "revoked": 0,
        "disabled": 0,
        "listed": 0,
        "sources": 0,
        "imports": 0,
    }
    assert stat.S_IMODE(new_machine.key_file.stat().st_mode) == 0o600
    assert parse_keyring(new_machine.key_file.read_bytes(), "") == KEYRING
    assert new_machine.emails() == origin.emails()
    assert new_machine.identity() != origin.identity()


def test_a_restore_leaves_only_the_database_and_its_keys(new_machine, backup_file):
    done = new_machine.command("restore", str(backup_file))
    assert done.stdout.startswith("Restored as of ")
    new_machine.database.close()
    names = {path.name for path in new_machine.folder.iterdir()}
    assert names == {new_machine.key_file.name} | ({"firmograph.db"} if database_fixtures.EMBEDDED else set())


@pytest.mark.sqlite
def test_a_missing_database_is_created(new_machine, backup_file):
    url = f"sqlite:///{new_machine.folder}/other.db"
    assert new_machine.command("restore", str(backup_file), FIRMOGRAPH_DATABASE_URL=url).returncode == 0
    assert new_machine.command.json("account", "show", "acme", "--database", url)["name"] == "acme"
    assert (new_machine.folder / "other.db").stat().st_mode & 0o777 == 0o600


def test_a_database_without_schema_is_restored(new_machine, tmp_path, backup_file):
    url = database_fixtures.empty(tmp_path)
    done = new_machine.command(
        "restore", str(backup_file), "--database", url, FIRMOGRAPH_KEYS_FILE=str(tmp_path / "keys")
    )
    assert done.returncode == 0
    database_fixtures.drop(url)


@pytest.mark.parametrize("use", ["account", "suppression", "contact"])
def test_a_database_in_use_is_replaced_only_with_force(make_installation, backup_file, use):
    new_machine = make_installation("other")
    if use == "account":
        new_machine.accounts.create("mine", "unlimited", 0)
    elif use == "suppression":
        new_machine.suppress(email="p3@example.com")
    else:
        load_contacts(new_machine.database, "test", [contact(emails=["mine@example.com"])], new_machine.clock)
    before = (new_machine.emails(), new_machine.accounts.all(), new_machine.identity())
    assert "The database is in use: --force" in refusal(new_machine.command("restore", str(backup_file)))
    assert (new_machine.emails(), new_machine.accounts.all(), new_machine.identity()) == before
    output = new_machine.command.json("restore", str(backup_file), "--force")
    assert output["carriedOver"]["erased"] == (use == "suppression")
    assert output["keysWritten"] is False
    assert len(new_machine.emails()) == 30 - (use == "suppression")
    assert [account.name for account in new_machine.accounts.all()] == ["acme"]


def test_a_backup_without_keys_is_refused_without_a_key_file(unchanged, without_keys):
    assert "The backup does not contain its keys, and " in refusal(
        unchanged.command("restore", str(without_keys))
    )


def test_a_backup_without_keys_is_restored_with_an_existing_key_file(new_machine, without_keys):
    new_machine.key_file.write_bytes(msgspec.json.encode(KEYRING))
    new_machine.key_file.chmod(0o600)
    assert new_machine.command("restore", str(without_keys)).returncode == 0
    assert len(new_machine.emails()) == 30


def test_a_backup_without_keys_is_restored_with_keys_from_the_environment(new_machine, without_keys):
    keys = msgspec.json.encode(KEYRING).decode()
    assert new_machine.command("restore", str(without_keys), FIRMOGRAPH_KEYS=keys).returncode == 0
    assert not new_machine.key_file.exists()


@pytest.mark.parametrize("with_keys", [True, False])
def test_an_existing_key_file_with_another_key_is_refused_and_unchanged(
    unchanged, backup_file, without_keys, with_keys
):
    unchanged.key_file.write_bytes(msgspec.json.encode(new_keyring()))
    unchanged.key_file.chmod(0o600)
    before = unchanged.key_file.read_bytes()
    done = unchanged.command("restore", str(backup_file if with_keys else without_keys))
    assert "has another key than the backup; move it away" in refusal(done)
    assert unchanged.key_file.read_bytes() == before
    unchanged.key_file.unlink()


def test_an_existing_key_file_without_a_key_of_the_backup_is_refused(unchanged, backup_file):
    newer = msgspec.structs.replace(KEYRING, tokens={2: "ef" * 32})
    unchanged.key_file.write_bytes(msgspec.json.encode(newer))
    unchanged.key_file.chmod(0o600)
    assert "lacks a token key of the backup" in refusal(unchanged.command("restore", str(backup_file)))
    unchanged.key_file.unlink()


def test_a_backup_of_the_other_database_kind_is_refused_with_both_names(unchanged, tmp_path, backup_file):
    other = tmp_path / "other.backup"
    kinds = {"sqlite": "postgresql", "postgresql": "sqlite"}
    _with_manifest(
        backup_file, other, lambda text: text.replace(database_fixtures.KIND, kinds[database_fixtures.KIND])
    )
    message = refusal(unchanged.command("restore", str(other)))
    assert "PostgreSQL" in message
    assert "the embedded database" in message


def test_a_backup_of_a_newer_schema_is_refused(unchanged, tmp_path, backup_file):
    newer = tmp_path / "newer.backup"
    _with_manifest(backup_file, newer, lambda text: re.sub(r'"schema": "\d+"', '"schema": "9999"', text))
    assert "(schema 9999); install that one to restore it" in refusal(
        unchanged.command("restore", str(newer))
    )


def test_a_backup_of_before_the_first_release_is_refused_as_such(unchanged, tmp_path, backup_file):
    older = tmp_path / "older.backup"
    _with_manifest(backup_file, older, lambda text: re.sub(r'"schema": "\d+"', '"schema": "0013"', text))
    assert "before 0.1.0, the first release (schema 0013), and cannot be restored" in refusal(
        unchanged.command("restore", str(older))
    )


def test_a_damaged_backup_is_refused_before_anything_changes(unchanged, tmp_path, backup_file):
    damaged = tmp_path / "damaged.backup"
    content = bytearray(backup_file.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    assert "is damaged" in refusal(unchanged.command("restore", str(damaged)))


def test_a_truncated_backup_is_refused(unchanged, tmp_path, backup_file):
    cut = tmp_path / "cut.backup"
    cut.write_bytes(backup_file.read_bytes()[:-20_000])
    assert "is damaged" in refusal(unchanged.command("restore", str(cut)))


def test_a_file_of_another_format_is_refused(unchanged, tmp_path):
    (tmp_path / "letter").write_text("Dear Sir")
    assert "is not a backup" in refusal(unchanged.command("restore", str(tmp_path / "letter")))
    assert "No such file" in refusal(unchanged.command("restore", str(tmp_path / "nothing")))


@pytest.mark.sqlite
def test_a_concurrent_restore_is_refused(new_machine, backup_file):
    with private_folder(new_machine.folder / "firmograph.db"):
        assert "Another process is writing" in refusal(new_machine.command("restore", str(backup_file)))
    assert is_empty(new_machine)


def test_exported_suppressions_apply_on_a_new_machine(make_installation, new_machine, backup_file, tmp_path):
    """An old backup and a newer export of suppressions remain of a lost machine."""
    lost = make_installation("lost")
    lost.restore(backup_file)
    lost.suppress(email="p3@example.com")
    suppression_file.export_suppressions(
        lost.database, KEYRING.fingerprint(), tmp_path / "s.jsonl", replace=False
    )
    new_machine.command.json("restore", str(backup_file))
    output = new_machine.command.json("suppressions", "import", str(tmp_path / "s.jsonl"))
    erased = {"erased": True} if database_fixtures.EMBEDDED else {}
    assert output == {"read": 10, "added": 10, "removed": 1, **erased}
    assert len(new_machine.emails()) == 29
    again = new_machine.command.json("suppressions", "import", str(tmp_path / "s.jsonl"))
    assert again == {"read": 10, "added": 0, "removed": 0, **erased}


def test_a_backup_keeps_its_schema_and_the_restore_migrates_it(new_machine, backup_file, next_release):
    next_release()
    done = new_machine.command.json("restore", str(backup_file), "--unsigned")
    assert done["schema"] == HEAD
    assert held_revision(new_machine.database) == NEXT
    assert "extras" in new_machine.database.session().tables()


def _with_manifest(file, to, change):
    """Write a backup with a changed manifest, which a restore checks before the checksums."""
    with tarfile.open(file) as tar, tarfile.open(to, "w") as other:
        for member in tar:
            content = tar.extractfile(member).read()
            if member.name == "manifest.json":
                content = change(content.decode()).encode()
                member.size = len(content)
            other.addfile(member, io.BytesIO(content))
