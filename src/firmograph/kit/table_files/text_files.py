"""CSV and JSON Lines."""

import csv
from collections.abc import Iterable, Sequence
from typing import BinaryIO

import msgspec

from firmograph.kit.formula_guard import guard_formula
from firmograph.kit.table_files.columns import FileColumn, FileRow, value_text

_encode = msgspec.json.encode


def write_csv(out: BinaryIO, columns: Sequence[FileColumn], rows: Iterable[FileRow], *, raw: bool) -> None:
    """Write a table as CSV in UTF-8, row by row. `raw` leaves texts that look like formulas as they are."""
    writer = csv.writer(_Lines(out), lineterminator=_Lines.TERMINATOR)
    guard = str if raw else guard_formula
    writer.writerow([guard(column.heading) for column in columns])
    for row in rows:
        writer.writerow(["" if value is None else guard(value_text(value)) for value in row])


class _Lines:
    """File of lines that end with LF.

    The terminator of the CSV writer is CR LF, because it quotes values for the characters of its terminator only.
    """

    TERMINATOR = "\r\n"

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, line: str) -> None:
        self._out.write(line.removesuffix(self.TERMINATOR).encode() + b"\n")


def write_json_lines(out: BinaryIO, columns: Sequence[FileColumn], rows: Iterable[FileRow]) -> None:
    """Write a table as one JSON object a line, null where a cell has no value."""
    headings = [column.heading for column in columns]
    for row in rows:
        out.write(_encode(dict(zip(headings, row, strict=True))) + b"\n")
