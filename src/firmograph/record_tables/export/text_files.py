"""CSV and JSON Lines."""

import csv
from collections.abc import Iterable
from typing import Any, BinaryIO, Final

import msgspec

from firmograph.kit.formula_guard import guard_formula
from firmograph.record_tables.export.layout import ID, ExportField, ExportLayout, ExportRow

_NULL: Final = msgspec.Raw(b"null")

_decode = msgspec.json.decode
_encode = msgspec.json.encode


def write_csv(out: BinaryIO, layout: ExportLayout, rows: Iterable[ExportRow], *, raw: bool) -> None:
    """Write a table as CSV in UTF-8, row by row.

    Lists of plain values are joined by `; `, objects are JSON. `raw` leaves texts that look like formulas as they are.
    """
    writer = csv.writer(_Lines(out), lineterminator=_Lines.TERMINATOR)
    guard = str if raw else guard_formula
    writer.writerow(map(guard, layout.headings))
    for row in rows:
        writer.writerow([row.id, *(guard(_text(field, row)) for field in layout.fields)])


class _Lines:
    """File of lines that end with LF.

    The terminator of the CSV writer is CR LF, because it quotes values for the characters of its terminator only.
    """

    TERMINATOR = "\r\n"

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, line: str) -> None:
        self._out.write(line.removesuffix(self.TERMINATOR).encode() + b"\n")


def _text(field: ExportField, row: ExportRow) -> str:
    cell = row.cells[field.column]
    if field.is_status:
        return cell.status
    if cell.value is None:
        return ""
    return cell_text(cell.value)


def cell_text(value: bytes) -> str:
    """Return a JSON value as the text of a cell; lists of plain values are joined."""
    decoded = _decode(value)
    if isinstance(decoded, str):
        return decoded
    if isinstance(decoded, list) and not any(isinstance(member, dict | list) for member in decoded):
        return "; ".join(map(_plain, decoded))
    return value.decode()


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else _encode(value).decode()


def write_json_lines(out: BinaryIO, layout: ExportLayout, rows: Iterable[ExportRow]) -> None:
    """Write a table as one JSON object a line, null where a cell has no value."""
    for row in rows:
        out.write(_encode(row_object(layout, row)) + b"\n")


def row_object(layout: ExportLayout, row: ExportRow) -> dict[str, str | msgspec.Raw]:
    """Return a row as the object of its line."""
    return {ID: row.id, **{field.heading: _json(field, row) for field in layout.fields}}


def _json(field: ExportField, row: ExportRow) -> str | msgspec.Raw:
    cell = row.cells[field.column]
    if field.is_status:
        return cell.status
    return _NULL if cell.value is None else msgspec.Raw(cell.value)
