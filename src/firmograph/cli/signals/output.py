"""Output of signals as a table, lines, one JSON array or JSON Lines."""

from collections.abc import Iterable
from typing import TextIO

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from firmograph.cli.signals.views import SignalView

_json = msgspec.json.Encoder().encode


def write_table(rows: Iterable[SignalView], out: TextIO) -> None:
    """Write a table; nothing without rows."""
    table = Table(box=None, pad_edge=False)
    for head in ("DATE", "TYPE", "NAME", "COMPANY", "SIGNAL", "ID"):
        # values to copy stay on one line; other columns wrap
        table.add_column(head, no_wrap=head in ("DATE", "TYPE", "ID"), overflow="fold")
    for row in rows:
        company = row.company_name or row.domain
        cells = (row.signal_date, row.type, row.name, company, row.summary, row.id)
        table.add_row(*(Text(_printable(cell)) for cell in cells))
    if table.row_count:
        # no wrapping without a terminal, for `grep`
        Console(file=out, width=None if out.isatty() else 10_000).print(table)


def write_array(rows: Iterable[SignalView], out: TextIO) -> None:
    out.write("[")
    for number, row in enumerate(rows):
        out.write(f"{',' if number else ''}\n{_json(row).decode()}")
    out.write("\n]\n")


def write_line(row: SignalView, out: TextIO, *, json: bool) -> None:
    if json:
        out.write(f"{_json(row).decode()}\n")
        return
    subject = ", ".join(filter(None, (row.name, row.company_name or row.domain)))
    out.write(f"{_printable(f'{row.signal_date}  {row.type}  {subject}: {row.summary}  {row.id}')}\n")


def _printable(text: str) -> str:
    return "".join(mark if mark.isprintable() else " " for mark in text)
