"""Output of signals as a table, sentences, one JSON array or JSON Lines."""

import sys
from collections.abc import Iterable, Sequence
from typing import Final, TextIO

import msgspec
import typer

from firmograph.cli.output import Column, printable, write_table
from firmograph.cli.signals.views import SignalView

_json = msgspec.json.Encoder().encode


def write_signals(rows: Iterable[SignalView], *, ids: bool) -> None:
    """Print a table of signals."""
    write_table(rows, _COLUMNS, ids=ids, empty="No signals")


_COLUMNS: Final[Sequence[Column[SignalView]]] = (
    Column("DATE", lambda row: row.signal_date, 1, whole=True),
    Column("TYPE", lambda row: row.type, 3),
    Column("NAME", lambda row: row.name),
    Column("COMPANY", lambda row: row.company_name or row.domain, 2),
    Column("SIGNAL", lambda row: row.summary, least=24),
    Column("ID", lambda row: row.id, is_id=True),
)


def write_array(rows: Iterable[SignalView], out: TextIO) -> None:
    out.write("[")
    for number, row in enumerate(rows):
        out.write(f"{',' if number else ''}\n{_json(row).decode()}")
    out.write("\n]\n")


def write_json_lines(rows: Iterable[SignalView], out: TextIO) -> None:
    out.writelines(f"{_json(row).decode()}\n" for row in rows)


def write_watched(rows: Iterable[SignalView], *, ids: bool) -> None:
    """Print signals as they come: each a sentence on a terminal, else as in a table."""
    if not sys.stdout.isatty():
        write_signals(rows, ids=ids)
        return
    for row in rows:
        subject = ", ".join(filter(None, (row.name, row.company_name or row.domain)))
        id = f"  {row.id}" if ids else ""
        typer.echo(printable(f"{row.signal_date}  {row.type}  {subject}: {row.summary}{id}"))
