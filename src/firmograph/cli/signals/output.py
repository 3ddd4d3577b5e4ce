"""What `firmograph signals` prints: a table, lines to watch, one JSON array or JSON Lines."""

from collections.abc import Iterable
from typing import TextIO

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from firmograph.cli.signals.views import SignalView

_json = msgspec.json.Encoder().encode


def write_table(rows: Iterable[SignalView], out: TextIO) -> None:
    """Nothing for no rows."""
    table = Table(box=None, pad_edge=False)
    for head in ("DATE", "TYPE", "NAME", "COMPANY", "SIGNAL", "ID"):
        # what is copied stands on one line, and the rest makes room
        table.add_column(head, no_wrap=head in ("DATE", "TYPE", "ID"), overflow="fold")
    for row in rows:
        company = row.company_name or row.domain
        cells = (row.signal_date, row.type, row.name, company, row.summary, row.id)
        table.add_row(*(Text(_printable(cell)) for cell in cells))
    if table.row_count:
        # whole at any width where no person is watching: it is read by `grep` too
        Console(file=out, width=None if out.isatty() else 10_000).print(table)


def write_array(rows: Iterable[SignalView], out: TextIO) -> None:
    out.write("[")
    for place, row in enumerate(rows):
        out.write(f"{',' if place else ''}\n{_json(row).decode()}")
    out.write("\n]\n")


def write_line(row: SignalView, out: TextIO, *, json: bool) -> None:
    if json:
        out.write(f"{_json(row).decode()}\n")
        return
    who = ", ".join(filter(None, (row.name, row.company_name or row.domain)))
    out.write(f"{_printable(f'{row.signal_date}  {row.type}  {who}: {row.summary}  {row.id}')}\n")


def _printable(text: str) -> str:
    return "".join(mark if mark.isprintable() else " " for mark in text)
