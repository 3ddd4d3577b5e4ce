"""Processes killed at any line of a backup, and at every step of a restore."""

import pytest
import sqlalchemy as sa
from installation import no_progress

import database_fixtures
from firmograph.backup import archive
from firmograph.database.connection import Database
from record_factory import contact, load_contacts
from server_fixtures import eventually

OTHERS = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)


def fill(installation):
    load(installation, "ann", "bob", "cid")
    installation.accounts.create("acme", "unlimited", 0)
    installation.accounts.create_key("acme")


def load(installation, *names):
    people = [(name, contact(name.title(), "Example", emails=[f"{name}@example.com"])) for name in names]
    load_contacts(installation.database, "test", people, installation.clock)


def is_complete(file):
    with archive.open_archive(file) as backup:
        backup.check(no_progress(""))
    return True


@pytest.mark.slow("killed backup")
def test_a_killed_backup_leaves_no_file_or_a_complete_one(filled, killed_commands, file):
    command = ("backup", str(file), "--force")
    moments = killed_commands.moments(*command)
    before = file.read_bytes()
    for moment in moments[::2]:
        killed_commands.run(moment, *command)
        assert file.read_bytes() == before or is_complete(file)
    for moment in moments[1::2]:
        file.unlink(missing_ok=True)
        killed_commands.run(moment, *command)
        assert not file.exists() or is_complete(file)
    filled.command.json(*command)
    assert is_complete(file)
    assert list(file.parent.glob(".*.part")) == []


@pytest.mark.slow("killed restore")
def test_a_restore_killed_at_any_step_is_done_or_not_begun(filled, killed_commands, file):
    restore = ("restore", str(filled.back_up(file)), "--force")
    protect(filled)
    results = set()
    for step in [*killed_commands.steps(*restore, most=10), 0]:
        load(filled, "eve")
        protect(filled)
        before = filled.identity()
        suppressions = sorted(filled.rows("SELECT digest, person FROM suppressions"))
        killed_commands.run(step, *restore)
        # one snapshot: the server may still be finishing for the killed process
        with filled.database.read():
            happened = filled.identity() != before
            assert filled.emails() == {"bob@example.com", "cid@example.com"} | (
                set() if happened else {"eve@example.com"}
            )
            assert filled.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL") == []
            assert sorted(filled.rows("SELECT digest, person FROM suppressions")) == suppressions
        results.add(happened)
        if not database_fixtures.EMBEDDED:
            eventually(lambda: not filled.rows(OTHERS), "the server does not end the killed process's work")
    assert results == {True, False}


def protect(installation):
    installation.suppress(email="ann@example.com")
    if installation.rows("SELECT 1 FROM api_keys WHERE revoked_at IS NULL"):
        installation.accounts.revoke_key("acme")


@pytest.mark.slow("killed restore", "database")
def test_the_next_command_removes_what_a_killed_restore_left(filled, killed_commands, file):
    restore = ("restore", str(filled.back_up(file)), "--force")
    protect(filled)
    steps = killed_commands.run(0, *restore)
    protect(filled)
    killed_commands.run(steps[len(steps) * 3 // 4], *restore)
    if not database_fixtures.EMBEDDED:
        eventually(lambda: not filled.rows(OTHERS), "the server does not end the killed process's work")
    assert leftovers(filled)
    filled.command.json("account", "show", "acme")
    assert not leftovers(filled)


def leftovers(installation):
    """Return the folders and schemas of restores."""
    if database_fixtures.EMBEDDED:
        return list(installation.folder.glob(".*.part"))
    return installation.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'firmograph%'")


@pytest.mark.slow("killed copy", "database")
def test_a_copy_killed_at_any_step_is_done_or_not_begun(filled, killed_commands, tmp_path):
    """What is not begun is begun again with the same command."""
    targets = [Database(database_fixtures.empty(tmp_path, f"target_{number}")) for number in range(3)]
    filled.database.close()
    steps = killed_commands.steps("copy-database", "--to", targets.pop().url, most=6)
    results = set()
    for step in [*steps, 0]:
        killed_commands.run(step, "copy-database", "--to", targets[-1].url)
        if not database_fixtures.EMBEDDED:
            eventually(lambda: not filled.rows(OTHERS), "the server does not end the killed process's work")
            filled.database.close()
        happened = is_filled(targets[-1])
        results.add(happened)
        if happened:
            targets[-1].close()
            database_fixtures.drop(targets.pop().url)
    for each in targets:
        each.close()
        database_fixtures.drop(each.url)
    assert results == {True, False}


def is_filled(database):
    """Return whether a copy is whole; without one there is no table."""
    with database.read() as session:
        if not session.tables():
            return False
        return session.all(sa.text("SELECT count(*) FROM contacts")) == [(3,)]
