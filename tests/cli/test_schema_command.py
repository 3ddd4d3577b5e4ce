import re

import pytest

from command_fixtures import InProcess
from firmograph.database.schema import HEAD


@pytest.fixture
def in_process(command):
    return InProcess(command.folder, command.database_url)


def test_show_tells_which_schema_there_is(command, database):
    assert command.json("schema", "show") == {"held": HEAD, "newest": HEAD}
    assert (
        command("schema", "show").stdout
        == f"The database has schema {HEAD}, the newest that this release knows\n"
    )


def test_back_makes_the_schema_an_older_one_and_the_next_command_brings_it_up_to_date(in_process, database):
    done = in_process("schema", "back", "0002")
    assert done.stdout == f"The database has schema 0002; this release would bring it to {HEAD}\n", (
        done.stderr
    )
    assert in_process.json("schema", "show")["held"] == "0002"
    assert in_process("account", "list").returncode == 0
    assert in_process.json("schema", "show")["held"] == HEAD


def test_back_refuses_what_is_no_earlier_revision_and_says_which_are(in_process, database):
    for revision in (HEAD, "9999", "one"):
        done = in_process("schema", "back", revision)
        assert done.returncode == 1
        assert re.fullmatch(
            rf"Error: {revision} is no revision before {HEAD}; choose one of 0001, [^\n]+\n", done.stderr
        )
    assert in_process.json("schema", "show")["held"] == HEAD


def test_back_from_the_first_schema_says_that_there_is_none_before(in_process, database):
    in_process("schema", "back", "0001")
    done = in_process("schema", "back", "0001")
    assert done.stderr == "Error: 0001 is no revision before 0001; there is none to go back to\n"
