"""Results of commands: tables, JSON, and where they are written."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Final, Generic, Literal, NamedTuple, TextIO, TypeVar

import msgspec
import typer
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from firmograph.cli.sentences import say
from firmograph.kit.atomic_files import atomic_write
from firmograph.kit.errors import Refused

R = TypeVar("R")

_GAP: Final = 2
"""Spaces between two columns."""
_INDENT: Final = 4

Ids = Annotated[bool, typer.Option("--ids", help="Show ids too, as the last columns.")]


class Column(NamedTuple, Generic[R]):
    """Column of a result table."""

    head: str
    value: Callable[[R], object]
    rank: int = 0
    """Columns of rank 0 stay on every terminal; the highest rank is the first to go on a narrow one."""
    whole: bool = False
    """Values to copy or compare, such as domains and dates, are never cut; numbers are not either."""
    least: int = 14
    """Characters to which a narrow terminal may cut a text."""
    is_id: bool = False
    """Shown with `--ids` only."""
    ends: bool = False
    """Cut at its beginning, as the end says more: of paths."""


class Details(NamedTuple, Generic[R]):
    """Lines about each row: indented under it on a terminal, else one more column."""

    head: str
    lines: Callable[[R], Sequence[str]]


def plural(count: int, one: str, many: str = "") -> str:
    """Return the noun for a number of things."""
    return one if count == 1 else many or f"{one}s"


def json_text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json_text(value))


def note(statement: str, hint: str = "") -> None:
    """Print a statement about the results, apart from them, followed by a hint on a terminal."""
    say(f"{statement}; {hint}" if hint and sys.stderr.isatty() else statement, err=True)


def hint(text: str) -> None:
    """Print what can be done next, on a terminal only."""
    if sys.stderr.isatty():
        say(text, err=True)


# --- tables ---


def write_table(
    rows: Iterable[R],
    columns: Sequence[Column[R]],
    out: TextIO | None = None,
    *,
    details: Details[R] | None = None,
    ids: bool = False,
    empty: str = "",
) -> None:
    """Write rows to standard output or `out`: on a terminal a table that fits it, else tab-separated values.

    Where a terminal is too narrow for the columns of rank 0, each row is a block of lines. Without rows a terminal
    shows the text `empty`. `ids` adds the columns of ids. Raises Refused where standard output cannot be written.
    """
    columns = [column for column in columns if ids or not column.is_id]
    with _result_stream(out) as stream:
        if not stream.isatty():
            _write_lines(rows, columns, details, stream)
            return
        shown = list(rows)
        console = Console(file=stream, highlight=False)
        fields = [_Field(column, [column.value(row) for row in shown]) for column in columns]
        explained = [details.lines(row) if details else () for row in shown]
        if not shown:
            if empty:
                console.print(Text(empty))
        elif kept := _fit(fields, console.width):
            _print_table(kept, explained, console)
        else:
            _print_blocks(fields, explained, console)


def write_fields(fields: Iterable[tuple[str, object]], out: TextIO | None = None) -> None:
    """Write the fields of one record that have a value, each a line; on a pipe a tab follows the name."""
    with _result_stream(out) as stream:
        if not stream.isatty():
            stream.writelines(
                f"{name}\t{printable(text)}\n" for name, value in fields if (text := _text(value))
            )
            return
        shown = list(fields)
        are_numbers = all(_is_number(value) for _, value in shown)
        block = _block(((name, _shown(value)) for name, value in shown), "right" if are_numbers else "left")
        Console(file=stream, highlight=False).print(block)


def _result_stream(out: TextIO | None) -> AbstractContextManager[TextIO]:
    return guard_standard_output() if out is None else nullcontext(out)


def _write_lines(
    rows: Iterable[R], columns: Sequence[Column[R]], details: Details[R] | None, out: TextIO
) -> None:
    """Write tab-separated values with a header."""
    if details:
        lines = details.lines
        columns = [*columns, Column(details.head, lambda row: "; ".join(lines(row)))]
    out.write("\t".join(printable(column.head) for column in columns) + "\n")
    for row in rows:
        out.write("\t".join(printable(_text(column.value(row))) for column in columns) + "\n")


class _Field:
    """Column with the texts of its rows."""

    def __init__(self, column: Column[R], values: Sequence[object]) -> None:
        # loads the library of their encryption, which output for programs does without
        from firmograph.security.record_ids import is_record_token

        self.head = printable(column.head)
        self.rank = column.rank
        self.cells = [_shown(value) for value in values]
        self.is_empty = not any(self.cells)
        self.is_number = any(map(_is_number, values))
        self.full = max(map(cell_len, (self.head, *self.cells)))
        """Width in which no cell is cut."""
        self.overflows_left = column.ends
        is_whole = column.whole or column.is_id or self.is_number
        # half an id is of no use
        ids = (cell_len(cell) for cell in self.cells if is_record_token(cell))
        self.least = self.full if is_whole else max(min(self.full, column.least), *ids, 0)


def _fit(fields: Sequence[_Field], width: int) -> list[tuple[_Field, int]]:
    """Return the fields that fit a width, and their widths; none if not even those of rank 0 fit."""
    kept = list(fields)
    if _sum(field.full for field in kept) > width:
        kept = [field for field in kept if not field.is_empty]
    while _sum(field.least for field in kept) > width:
        # the last of the highest rank
        lowest = max(reversed(kept), key=lambda field: field.rank)
        if lowest.rank == 0:
            return []
        kept.remove(lowest)
    spare = width - _sum(field.least for field in kept)
    widths = {}
    by_need = sorted(kept, key=lambda field: field.full - field.least)
    for number, field in enumerate(by_need):
        more = min(field.full - field.least, spare // (len(kept) - number))
        widths[field] = field.least + more
        spare -= more
    return [(field, widths[field]) for field in kept]


def _sum(widths: Iterable[int]) -> int:
    """Return the width of a table of columns."""
    return sum(width + _GAP for width in widths) - _GAP


def _print_table(
    fields: Sequence[tuple[_Field, int]], explained: Sequence[Sequence[str]], console: Console
) -> None:
    console.print(_line(fields, [field.head for field, _ in fields]), style="bold")
    rows = zip(*(field.cells for field, _ in fields), strict=True)
    for cells, details in zip(rows, explained, strict=True):
        console.out(_line(fields, cells), highlight=False)
        _print_details(details, console)


def _line(fields: Sequence[tuple[_Field, int]], cells: Sequence[str]) -> Text:
    """Return a line of a table. Rich's own tables take a millisecond a row."""
    line = Text()
    for (field, width), text in zip(fields, cells, strict=True):
        if field.overflows_left and len(text) > width:
            text = "…" + text[1 - width :]
        cell = Text(text)
        cell.truncate(width, overflow="ellipsis")
        cell.align("right" if field.is_number else "left", width)
        line.append(" " * _GAP if line else "").append_text(cell)
    line.rstrip()
    return line


def _print_blocks(fields: Sequence[_Field], explained: Sequence[Sequence[str]], console: Console) -> None:
    heads = [field.head for field in fields]
    for number, cells in enumerate(zip(*(field.cells for field in fields), strict=True)):
        if number:
            console.print()
        console.print(_block(zip(heads, cells, strict=True)))
        _print_details(explained[number], console)


def _block(fields: Iterable[tuple[str, str]], justify: Literal["left", "right"] = "left") -> Table:
    """Return the fields of a record that have a value, one below the other."""
    block = Table.grid(padding=(0, _GAP, 0, 0))
    block.add_column(style="bold", no_wrap=True)
    block.add_column(overflow="fold", justify=justify)
    for name, cell in fields:
        if cell:
            block.add_row(Text(name), Text(cell))
    return block


def _print_details(lines: Iterable[str], console: Console) -> None:
    for line in lines:
        console.print(Padding.indent(Text(printable(line)), _INDENT))


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _shown(value: object) -> str:
    return f"{value:,}" if _is_number(value) else printable(_text(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def printable(text: str) -> str:
    """Return a text without control characters and line breaks, safe for a terminal."""
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else " " for mark in text.replace("\r\n", " "))


# --- files ---


@contextmanager
def open_output(path: Path | None) -> Iterator[TextIO]:
    """Yield standard output, or a file of mode 600 that appears only when complete. Raises Refused for write errors."""
    if path is None:
        with guard_standard_output() as out:
            yield out
        return
    try:
        with (
            atomic_write(path, replace=True) as draft,
            draft.open("w", encoding="utf-8", newline="") as out,
        ):
            yield out
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from error


@contextmanager
def guard_standard_output() -> Iterator[TextIO]:
    """Yield standard output. Raises Refused for write errors."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise Refused(f"The output cannot be written: {error.strerror}") from error


def discard_output() -> None:
    """Discard what is still written to standard output, so that it does not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
