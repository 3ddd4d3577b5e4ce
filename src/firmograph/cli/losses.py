"""Exit code of commands that read a file of which rows or values are lost (docs/reference/import.md#exit-codes)."""

from typing import Final

import typer

from firmograph.cli.sentences import say

EXIT_LOST: Final = 3
EXIT_CODES: Final = (
    "Exit code 0: all was read; 1: nothing, with the reason; 3: rows or values could not be read."
)
"""Last lines of the commands' help."""


def exit_if_lost(rows: int, values: int) -> None:
    """Say how many rows and values of a file are lost, and end with `EXIT_LOST`, if any are."""
    if rows or values:
        from firmograph.cli.output import plural

        lost = [
            f"{count:,} {plural(count, one)}" for count, one in ((rows, "row"), (values, "value")) if count
        ]
        say(f"Not all was read, so the exit code is {EXIT_LOST}: {' and '.join(lost)}", err=True)
        raise typer.Exit(EXIT_LOST)
