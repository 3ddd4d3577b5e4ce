"""Refusal of modified backups, and of triggers, rules and other foreign objects."""

import hashlib
import io
import re
import tarfile

import pytest
from alembic import command
from installation import Installation

import database_fixtures
from firmograph.backup import archive
from firmograph.backup.foreign import find_foreign
from firmograph.database.schema import alembic_config, locked, revisions
from record_factory import contact, load_contacts

_GRANT_TRIGGER = {
    "sqlite": [
        "CREATE TRIGGER grant_credits AFTER INSERT ON ledger WHEN NEW.amount < 1000"
        " BEGIN INSERT INTO ledger SELECT * FROM ledger; END"
    ],
    "postgresql": [
        "CREATE FUNCTION grant_credits() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE TRIGGER grant_credits AFTER INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION grant_credits()",
    ],
}
_FOREIGN_OBJECTS = {
    "sqlite": [
        *(["CREATE VIEW people AS SELECT id FROM contacts"], _GRANT_TRIGGER["sqlite"]),
        ["DROP TRIGGER ledger_no_update", "CREATE TRIGGER ledger_no_update AFTER UPDATE ON ledger BEGIN SELECT 1; END"],
    ],
    "postgresql": [
        *(["CREATE VIEW people AS SELECT id FROM contacts"], _GRANT_TRIGGER["postgresql"]),
        ["CREATE RULE nothing AS ON DELETE TO suppressions DO INSTEAD NOTHING"],
        ["CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"],
    ],
}  # fmt: skip


def fill(installation):
    """Add one contact."""
    person = contact("Ann", "Doe", emails=["ann@example.com"])
    load_contacts(installation.database, "test", [("p1", person)], installation.clock)


@pytest.fixture(scope="module")
def unused(tmp_path_factory):
    """Return an empty installation, for tests that show that nothing is restored into it."""
    unused = Installation(tmp_path_factory.mktemp("unused") / "other")
    yield unused
    unused.end()


def refusal(done):
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = re.findall(r"Error: ([^\n]+)\n$", done.stderr)
    return line


def write_changed(file, to, change):
    """Write a backup with members changed by `change` and with correct checksums."""
    with tarfile.open(file) as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar}
    change(members)
    listed = [name for name in members if name not in (archive.SUMS, archive.MAC)]
    sums = "".join(f"{hashlib.sha256(members[name]).hexdigest()}  {name}\n" for name in listed)
    members[archive.SUMS] = sums.encode()
    with tarfile.open(to, "w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return to


def change_manifest(members):
    members[archive.MANIFEST] = members[archive.MANIFEST].replace(b'"release"', b'"more": 1, "release"')


def test_a_modified_backup_with_correct_checksums_is_refused_by_its_mac(installation, backup_file, tmp_path):
    forged = write_changed(backup_file, tmp_path / "forged", change_manifest)
    for words in ([], ["--unsigned"]):
        message = refusal(installation.command("restore", str(forged), *words))
        assert "was modified after it was made: its MAC differs" in message
    assert installation.emails() == set()
    assert installation.command("restore", str(backup_file)).returncode == 0


def test_a_backup_without_mac_is_restored_only_with_unsigned(installation, backup_file, tmp_path):
    older = write_changed(backup_file, tmp_path / "older", lambda members: members.pop(archive.MAC))
    assert "restore it with --unsigned" in refusal(installation.command("restore", str(older)))
    assert installation.emails() == set()
    assert installation.command("restore", str(older), "--unsigned").returncode == 0
    assert installation.emails() == {"ann@example.com"}


def test_a_backup_without_keys_is_signed_with_them(origin, installation, tmp_path):
    file = tmp_path / "without.backup"
    output = origin.command.json("backup", str(file), "--without-keys")
    assert (output["keys"], output["signed"]) == (False, True)
    assert installation.command("restore", str(file)).returncode == 0


def test_a_backup_without_the_key_file_warns_that_it_has_no_mac(make_installation, tmp_path):
    lost = make_installation("lost")
    lost.key_file.unlink()
    done = lost.command("backup", str(tmp_path / "lost.backup"), "--without-keys")
    assert "its restore needs --unsigned" in done.stderr


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
@pytest.mark.parametrize(
    "name", ["keys.json", archive.DATABASES[database_fixtures.KIND], "manifest.json", "else"]
)
def test_a_member_other_than_a_regular_file_is_refused(unused, backup_file, tmp_path, kind, name):
    forged = tmp_path / "forged"
    with tarfile.open(backup_file) as tar, tarfile.open(forged, "w") as other:
        for member in tar:
            if member.name != name:
                other.addfile(member, tar.extractfile(member))
        odd = tarfile.TarInfo(name)
        odd.type, odd.linkname = kind, "/etc/passwd"
        other.addfile(odd)
    assert f"is damaged ({name} is not a regular file)" in refusal(
        unused.command("restore", str(forged), "--unsigned")
    )
    assert unused.emails() == set()


@pytest.mark.parametrize("statements", _FOREIGN_OBJECTS[database_fixtures.KIND])
def test_a_backup_warns_of_foreign_objects_and_a_restore_refuses_them(
    make_installation, unused, statements, tmp_path
):
    odd = make_installation("odd")
    for statement in statements:
        odd.database.session().raw.execute(statement)
    name = re.search(r"(\w+ (people|grant_credits|nothing|ledger_refuse|ledger_no_update))\b", statements[-1])
    assert name is not None
    done = odd.command("backup", str(tmp_path / "odd.backup"))
    assert re.search(
        rf"(?i)warning: the database has a \w+ {name[2]} that this program did not create", done.stderr
    )
    message = refusal(unused.command("restore", str(tmp_path / "odd.backup")))
    assert re.search(
        rf"the backup contains objects that this program did not create[^\n]*{name[2]}",
        message,
        re.IGNORECASE,
    )
    assert find_foreign(unused.database.session(), embedded=database_fixtures.EMBEDDED) == []


def test_no_object_of_the_migrations_is_foreign_at_any_schema(empty):
    for revision in revisions():
        with locked(empty) as connection:
            command.upgrade(alembic_config(connection), revision)
        assert find_foreign(empty.session(), embedded=empty.embedded) == []
