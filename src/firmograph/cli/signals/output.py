"""Output of signals as a table, lines, one JSON array or JSON Lines."""

from collections.abc import Iterable
from typing import TextIO

import msgspec

from firmograph.cli.output import printable, write_rows
from firmograph.cli.signals.views import SignalView

_json = msgspec.json.Encoder().encode


def write_signals(rows: Iterable[SignalView], out: TextIO) -> None:
    """Write a table; nothing without rows."""
    cells = (
        (row.signal_date, row.type, row.name, row.company_name or row.domain, row.summary, row.id)
        for row in rows
    )
    write_rows(("DATE", "TYPE", "NAME", "COMPANY", "SIGNAL", "ID"), cells, out, ("DATE", "TYPE", "ID"))


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
    out.write(f"{printable(f'{row.signal_date}  {row.type}  {subject}: {row.summary}  {row.id}')}\n")
