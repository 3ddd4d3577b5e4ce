"""The files of deploy/ and its page, and the commands and settings in them."""

import re
import shlex
from pathlib import Path

import typer

from firmograph.cli.main import COMMANDS, load
from firmograph.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PAGE = ROOT / "docs" / "operations.md"

SETTINGS = {f"FIRMOGRAPH_{name.upper()}" for name in Settings.__struct_fields__}


def texts():
    """Return each file of deploy/, and the page, by its path."""
    files = [path for path in DEPLOY.rglob("*") if path.is_file()]
    return {str(path.relative_to(ROOT)): path.read_text() for path in [*files, PAGE]}


def check_command(words):
    """Parse a command line of `firmograph`. Raises if there is no such command or option."""
    name, *arguments = words
    assert name in COMMANDS, f"there is no command {name}"
    command = load(name)
    context = command.make_context(name, list(arguments))
    if isinstance(command, typer.core.TyperGroup):
        found, inner, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        inner.make_context(found, rest, parent=context)


def started(unit_text):
    """Return the arguments of `firmograph` in the last ExecStart of a unit, through the shell if there is one."""
    words = shlex.split(re.findall(r"^ExecStart=(.+)$", unit_text, re.MULTILINE)[-1])
    if words[0] == "/bin/sh":
        words = shlex.split(words[-1])
    place = next(place for place, word in enumerate(words) if word.endswith("/bin/firmograph"))
    return words[place + 1 :]


def commands_of(page):
    """Return the words of each `firmograph` command in a page: at the start of a line, or in the text."""
    for found in re.findall(r"^(?:\w+=\S+ )*firmograph (.*)$|`firmograph ([^`\n]+)`", page, re.MULTILINE):
        yield shlex.split(re.split(r"\s[#|&;>]", found[0] or found[1])[0])
