"""Results of commands: tables, JSON, and where they are written."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeVar

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from firmograph.kit.errors import Refused

R = TypeVar("R")


def plural(count: int, one: str, many: str = "") -> str:
    """Return the noun for a number of things."""
    return one if count == 1 else many or f"{one}s"


def json_text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json_text(value))


def write_table(
    rows: Iterable[R],
    columns: Sequence[tuple[str, Callable[[R], object]]],
    out: TextIO,
    unwrapped: Collection[str] = ("ID",),
) -> None:
    """Write a table; nothing without rows. A tuple is a line for each of its texts.

    `unwrapped` are the headings of values to copy, which stay on one line; other columns wrap.
    """
    table = Table(box=None, pad_edge=False)
    for head, _ in columns:
        table.add_column(head, no_wrap=head in unwrapped, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(get(row))) for _, get in columns))
    if table.row_count:
        # no wrapping without a terminal, for `grep`
        Console(file=out, width=None if out.isatty() else 10_000).print(table)


def write_rows(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    out: TextIO,
    unwrapped: Collection[str] = ("ID",),
) -> None:
    """Write a table of cells, as `write_table` does."""
    columns = [(head, lambda row, index=index: row[index]) for index, head in enumerate(heads)]
    write_table(rows, columns, out, unwrapped)


def _cell(value: object) -> str:
    lines = value if isinstance(value, tuple) else (value,)
    return "\n".join(printable(str(line)) for line in lines)


def printable(text: str) -> str:
    """Return a text without control characters, safe for a terminal."""
    return "".join(mark if mark.isprintable() else " " for mark in text)


@contextmanager
def open_output(path: Path | None) -> Iterator[TextIO]:
    """Yield standard output, or a file that appears only when complete. Raises Refused for write errors."""
    if path is None:
        with guard_standard_output() as out:
            yield out
        return
    draft = path.with_name(f"{path.name}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="") as out:
            yield out
        draft.replace(path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def guard_standard_output() -> Iterator[TextIO]:
    """Yield standard output. Raises Refused for write errors."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader has closed the pipe
        raise
    except OSError as error:
        # the rest of the buffer must not fail again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Refused(f"The output cannot be written: {error.strerror}") from error
