"""`firmograph restore`: what it refuses leaves everything as it was, what it does is told."""

import io
import re
import stat
import tarfile

import msgspec
import pytest
import sqlalchemy as sa
from alembic import command
from installation import Installation

import database_fixtures
from firmograph.database.connection import Database
from firmograph.database.schema import alembic_config, locked
from firmograph.kit.atomic_files import private_folder
from firmograph.privacy import suppression_file
from firmograph.security.keyring import new_keyring, parse_keyring
from record_factory import KEYRING, contact, load_contacts

_IDENTITY = sa.text("SELECT value FROM installation WHERE name = 'identity'")
_A_RECORD = "INSERT INTO contacts (id, preview, profile) VALUES (7, x'7b7d', x'7b7d')"


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """An installation of thirty people and an account, which no test changes."""
    origin = Installation(tmp_path_factory.mktemp("origin") / "here")
    people = [(f"p{n}", contact(f"Given{n}", f"Family{n}", emails=[f"p{n}@example.com"])) for n in range(30)]
    load_contacts(origin.database, "test", people, origin.clock)
    origin.accounts.create("acme", "unlimited", 10)
    yield origin
    origin.end()


@pytest.fixture(scope="module")
def kept(origin):
    return origin.back_up(origin.folder / "kept.backup")


@pytest.fixture(scope="module")
def without_keys(origin):
    file = origin.folder / "without.backup"
    assert origin.command("backup", str(file), "--without-keys").returncode == 0
    return file


def refusal(done):
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = re.findall(r"Error: ([^\n]+)\n$", done.stderr)
    return line


def is_as_new(installation):
    return (installation.emails(), installation.accounts.all()) == (set(), [])


def test_a_new_machine_has_it_all_and_the_keys(origin, there, kept):
    told = there.process.json("restore", str(kept))
    assert told["restored"] == str(kept)
    assert told["keysWritten"] is True
    assert told["holds"] == {"contacts": 30, "companies": 0, "accounts": 1, "suppressions": 0}
    assert told["carriedOver"] == {"suppressions": 0, "erased": 0, "revoked": 0, "disabled": 0}
    assert stat.S_IMODE(there.key_file.stat().st_mode) == 0o600
    assert parse_keyring(there.key_file.read_bytes(), "") == KEYRING
    assert there.emails() == origin.emails()
    assert there.identity() != origin.identity()


def test_nothing_but_the_database_and_its_keys_is_left_behind(there, kept):
    done = there.command("restore", str(kept))
    assert done.stdout.startswith("Restored as of ")
    there.database.close()
    left = {path.name for path in there.folder.iterdir()}
    assert left == {there.key_file.name} | ({"firmograph.db"} if database_fixtures.EMBEDDED else set())


@pytest.mark.sqlite
def test_a_database_that_is_not_there_yet_is_made(there, kept):
    url = f"sqlite:///{there.folder}/other.db"
    assert there.command("restore", str(kept), FIRMOGRAPH_DATABASE_URL=url).returncode == 0
    assert there.command.json("account", "show", "acme", "--database", url)["name"] == "acme"
    assert (there.folder / "other.db").stat().st_mode & 0o777 == 0o600


def test_a_database_without_any_schema_is_made(there, tmp_path, kept):
    url = database_fixtures.empty(tmp_path)
    done = there.command("restore", str(kept), "--database", url, FIRMOGRAPH_KEYS_FILE=str(tmp_path / "keys"))
    assert done.returncode == 0
    database_fixtures.drop(url)


@pytest.mark.parametrize("use", ["account", "suppression", "contact"])
def test_a_database_in_use_is_replaced_only_when_asked(make_installation, kept, use):
    there = make_installation("there")
    if use == "account":
        there.accounts.create("mine", "unlimited", 0)
    elif use == "suppression":
        there.suppress(email="p3@example.com")
    else:
        load_contacts(there.database, "test", [contact(emails=["mine@example.com"])], there.clock)
    before = (there.emails(), there.accounts.all(), there.identity())
    assert "The database is in use: --force" in refusal(there.command("restore", str(kept)))
    assert (there.emails(), there.accounts.all(), there.identity()) == before
    told = there.command.json("restore", str(kept), "--force")
    assert told["carriedOver"]["erased"] == (use == "suppression")
    assert told["keysWritten"] is False
    assert len(there.emails()) == 30 - (use == "suppression")
    assert [account.name for account in there.accounts.all()] == ["acme"]


def test_without_the_keys_nothing_is_restored(there, without_keys):
    assert "made without its keys, and there is none at" in refusal(
        there.command("restore", str(without_keys))
    )
    assert is_as_new(there)


def test_the_keys_may_be_here_already(there, without_keys):
    there.key_file.write_bytes(msgspec.json.encode(KEYRING))
    there.key_file.chmod(0o600)
    assert there.command("restore", str(without_keys)).returncode == 0
    assert len(there.emails()) == 30


def test_the_keys_may_be_set(there, without_keys):
    keys = msgspec.json.encode(KEYRING).decode()
    assert there.command("restore", str(without_keys), FIRMOGRAPH_KEYS=keys).returncode == 0
    assert not there.key_file.exists()


@pytest.mark.parametrize("brought", [True, False])
def test_another_key_that_is_here_is_left_and_named(there, kept, without_keys, brought):
    there.key_file.write_bytes(msgspec.json.encode(new_keyring()))
    there.key_file.chmod(0o600)
    before = there.key_file.read_bytes()
    done = there.command("restore", str(kept if brought else without_keys))
    assert "holds another key than the backup was written under; move it away" in refusal(done)
    assert there.key_file.read_bytes() == before
    assert is_as_new(there)


def test_keys_that_would_make_ids_meaningless_are_not_enough(there, kept):
    newer = msgspec.structs.replace(KEYRING, tokens={2: "ef" * 32})
    there.key_file.write_bytes(msgspec.json.encode(newer))
    there.key_file.chmod(0o600)
    assert "lacks a token key that the backup has" in refusal(there.command("restore", str(kept)))


def test_a_backup_of_the_other_kind_is_refused_and_both_are_named(there, tmp_path, kept):
    other = tmp_path / "other.backup"
    kinds = {"sqlite": "postgresql", "postgresql": "sqlite"}
    _with_manifest(
        kept, other, lambda text: text.replace(database_fixtures.KIND, kinds[database_fixtures.KIND])
    )
    said = refusal(there.command("restore", str(other)))
    assert "PostgreSQL" in said
    assert "the embedded database" in said
    assert is_as_new(there)


def test_a_backup_of_a_newer_schema_is_refused(there, tmp_path, kept):
    newer = tmp_path / "newer.backup"
    _with_manifest(kept, newer, lambda text: re.sub(r'"schema": "\d+"', '"schema": "9999"', text))
    assert "(schema 9999); install that one to restore it" in refusal(there.command("restore", str(newer)))


def test_a_damaged_backup_is_refused_before_anything_is_touched(there, tmp_path, kept):
    damaged = tmp_path / "damaged.backup"
    content = bytearray(kept.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    assert "is damaged" in refusal(there.command("restore", str(damaged)))
    assert not there.key_file.exists()
    assert is_as_new(there)


def test_a_backup_that_was_cut_off_is_refused(there, tmp_path, kept):
    cut = tmp_path / "cut.backup"
    cut.write_bytes(kept.read_bytes()[:-20_000])
    assert "is damaged" in refusal(there.command("restore", str(cut)))
    assert is_as_new(there)


def test_what_is_no_backup_is_refused(there, tmp_path):
    (tmp_path / "letter").write_text("Dear Sir")
    assert "is not a backup" in refusal(there.command("restore", str(tmp_path / "letter")))
    assert "No such file" in refusal(there.command("restore", str(tmp_path / "nothing")))


@pytest.mark.sqlite
def test_two_restores_do_not_meet(there, kept):
    with private_folder(there.folder / "firmograph.db"):
        assert "Another process is writing" in refusal(there.command("restore", str(kept)))
    assert is_as_new(there)


def test_suppressions_that_were_taken_along_hold_on_the_new_machine(make_installation, there, kept, tmp_path):
    """The machine is lost: what is left is an old backup, and a newer file of suppressions."""
    here = make_installation("here")
    here.restore(kept)
    here.suppress(email="p3@example.com")
    suppression_file.export_suppressions(
        here.database, KEYRING.fingerprint(), tmp_path / "s.jsonl", replace=False
    )
    there.command.json("restore", str(kept))
    told = there.command.json("suppressions", "import", str(tmp_path / "s.jsonl"))
    erased = {"erased": True} if database_fixtures.EMBEDDED else {}
    assert told == {"read": 3, "added": 3, "removed": 1, **erased}
    assert len(there.emails()) == 29
    again = there.command.json("suppressions", "import", str(tmp_path / "s.jsonl"))
    assert again == {"read": 3, "added": 0, "removed": 0, **erased}


@pytest.mark.sqlite
def test_a_backup_of_an_older_schema_is_as_it_was_and_migrated_when_it_is_restored(there, tmp_path, file):
    old = Database(f"sqlite:///{tmp_path}/old.db")
    with locked(old) as connection:
        command.upgrade(alembic_config(connection), "0002")
        connection.exec_driver_sql(_A_RECORD)
    told = there.command.json("backup", str(file), "--database", old.url)
    assert told["schema"] == "0002"
    assert "duties" not in old.session().tables()
    identity = old.session().one(_IDENTITY)
    old.close()
    there.command.json("restore", str(file), "--unsigned")
    assert "duties" in there.database.session().tables()
    assert there.rows("SELECT id FROM contacts") == [(7,)]
    assert there.rows("SELECT value FROM installation WHERE name = 'origin'") == [identity]


def _with_manifest(file, to, change):
    """The same backup with another manifest, which is looked at before the checksums."""
    with tarfile.open(file) as tar, tarfile.open(to, "w") as other:
        for member in tar:
            content = tar.extractfile(member).read()
            if member.name == "manifest.json":
                content = change(content.decode()).encode()
                member.size = len(content)
            other.addfile(member, io.BytesIO(content))
