"""Help of the commands: examples, values of options, groups, completion."""

import re
import shlex

import pytest

from command_fixtures import InProcess
from firmograph.cli import main

pytestmark = pytest.mark.no_database


def leaves(command, words):
    """Yield each command with its words."""
    if not (inner := getattr(command, "commands", {})):
        yield words, command
    for name, each in inner.items():
        yield from leaves(each, [*words, name])


@pytest.fixture
def run(tmp_path):
    """Return a function that runs a command without a database."""
    return InProcess(tmp_path, f"sqlite:///{tmp_path}/none.db")


COMMANDS = [found for name in main.COMMANDS for found in leaves(main.load(name), [name])]
NAMES = [" ".join(words) for words, _ in COMMANDS]


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=NAMES)
def test_a_command_has_an_example_that_it_understands(words, command):
    start = f"firmograph {' '.join(words)}"
    examples = [line for line in (command.epilog or "").split("\n\n") if start in line]
    assert examples
    for line in examples:
        given = re.split(r" [|>] ", line.removeprefix("KEY=$(").removesuffix(")"))[0]
        options = shlex.split(given.removeprefix(start))
        if "--database" in options:
            place = options.index("--database")
            del options[place : place + 2]
        command.make_context(start, options)


@pytest.mark.parametrize("name", NAMES)
def test_help_names_values_and_no_types(run, name):
    shown = run(*name.split(), "--help", COLUMNS="80").stdout
    assert not re.search(r"<(bool|str|int|float|path|file|int range)>|%Y", shown)
    assert max(map(len, shown.splitlines())) <= 80


def test_the_help_of_the_program_has_four_groups_with_every_command(run):
    shown = run("--help", COLUMNS="80").stdout
    assert [f"─ {panel} ─" in shown for panel in main.PANELS] == [True] * 4
    assert sorted(name for names in main.PANELS.values() for name in names) == sorted(main.COMMANDS)


@pytest.mark.parametrize(
    ("line", "found"),
    [("firmograph prospect contacts --exact", "--exact-title"), ("firmograph unsup", "unsuppress")],
)
def test_a_shell_completes_commands_and_options(run, line, found):
    words = str(len(line.split()) - 1)
    done = run(_FIRMOGRAPH_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=words)
    assert done.stdout.split() == [found]
