"""Sentences that commands print, wrapped at words where a terminal is narrower."""

import re
import shutil
import sys
from textwrap import fill

import typer

_COMMAND = re.compile(r"`[^`]+`|(?<=: )firmograph .+")
"""Commands to copy, which stay on one line."""
_BLANK = "\0"


def say(text: str, *, err: bool = False) -> None:
    """Print a sentence; on a terminal it is wrapped, on a pipe it is one line."""
    stream = sys.stderr if err else sys.stdout
    typer.echo(_wrapped(text) if stream.isatty() else text, err=err)


def _wrapped(text: str) -> str:
    whole = _COMMAND.sub(lambda found: found[0].replace(" ", _BLANK), text)
    width = shutil.get_terminal_size().columns
    lines = (
        fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for line in whole.split("\n")
    )
    return "\n".join(lines).replace(_BLANK, " ")


def stubs_text(stubs: int) -> str:
    """Return how the number of stubs follows that of companies (docs/glossary.md); nothing without any."""
    return f", and {stubs:,} that other records only name" if stubs else ""
