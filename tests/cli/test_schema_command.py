import pytest
import sqlalchemy as sa

from firmograph.database.connection import RECORDS
from firmograph.database.schema import FIRST, HEAD
from next_release import NEXT


def test_show_prints_the_current_schema(command, in_process, database):
    assert command.json("schema", "show") == {"held": HEAD, "newest": HEAD}
    assert (
        in_process("schema", "show").stdout
        == f"The database has version {HEAD}, the newest of this release\n"
    )


def test_back_downgrades_the_schema_and_the_next_command_upgrades_it(in_process, database, next_release):
    next_release()
    assert in_process("account", "list").returncode == 0
    done = in_process("schema", "back", HEAD)
    assert done.stdout == f"The database is back at version {HEAD}\n", done.stderr
    assert "Install the release of that version now" in done.stderr
    shown = in_process("schema", "show").stdout
    assert shown == f"The database has version {HEAD}; the next command makes it {NEXT}\n"
    assert in_process.json("schema", "show")["held"] == HEAD
    assert in_process("account", "list").returncode == 0
    assert in_process.json("schema", "show")["held"] == NEXT


def test_back_refuses_anything_but_an_earlier_revision_and_lists_them(in_process, database, next_release):
    next_release()
    assert in_process("account", "list").returncode == 0
    for revision in (NEXT, "9999", "one"):
        done = in_process("schema", "back", revision)
        assert done.returncode == 1
        assert done.stderr == f"Error: {revision} is no version before {NEXT}; choose one of {HEAD}\n"
    assert in_process.json("schema", "show")["held"] == NEXT


def test_back_from_the_first_schema_says_that_none_is_earlier(in_process, database):
    done = in_process("schema", "back", "0001")
    assert done.stderr == f"Error: 0001 is no version before {FIRST}; there is none to go back to\n"


@pytest.mark.parametrize("words", [("schema", "show"), ("account", "list"), ("backup", "a.backup")])
def test_commands_refuse_a_database_of_before_the_first_release(in_process, database, words):
    with database.write(RECORDS) as session:
        session.execute(sa.text("UPDATE alembic_version SET version_num = '0013'"))
    done = in_process(*words)
    assert done.returncode == 1
    assert done.stderr == (
        "Error: The database was written before 0.1.0, the first release (schema 0013), and cannot be brought up to"
        " date; choose a new database and import your files again\n"
    )
