import re

import pytest

from command_fixtures import InProcess
from firmograph.database.schema import HEAD


@pytest.fixture
def in_process(command):
    return InProcess(command.folder, command.database_url)


def test_show_prints_the_current_schema(command, database):
    assert command.json("schema", "show") == {"held": HEAD, "newest": HEAD}
    assert command("schema", "show").stdout == f"The database has schema {HEAD}, the newest of this release\n"


def test_back_downgrades_the_schema_and_the_next_command_upgrades_it(in_process, database):
    done = in_process("schema", "back", "0002")
    assert done.stdout == f"The database has schema 0002; this release would migrate it to {HEAD}\n", (
        done.stderr
    )
    assert in_process.json("schema", "show")["held"] == "0002"
    assert in_process("account", "list").returncode == 0
    assert in_process.json("schema", "show")["held"] == HEAD


def test_back_refuses_anything_but_an_earlier_revision_and_lists_them(in_process, database):
    for revision in (HEAD, "9999", "one"):
        done = in_process("schema", "back", revision)
        assert done.returncode == 1
        assert re.fullmatch(
            rf"Error: {revision} is no revision before {HEAD}; choose one of 0001, [^\n]+\n", done.stderr
        )
    assert in_process.json("schema", "show")["held"] == HEAD


def test_back_from_the_first_schema_says_that_none_is_earlier(in_process, database):
    in_process("schema", "back", "0001")
    done = in_process("schema", "back", "0001")
    assert done.stderr == "Error: 0001 is no revision before 0001; there is none to go back to\n"
