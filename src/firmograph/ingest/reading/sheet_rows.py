"""Rows of one sheet of an Excel workbook."""

import io
import math
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.etree.ElementTree import Element, ParseError
from zipfile import BadZipFile

from openpyxl.reader.excel import ExcelReader
from openpyxl.utils.cell import column_index_from_string
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from firmograph.ingest.reading.clean_texts import formula_text
from firmograph.ingest.reading.header_names import header_name
from firmograph.ingest.reading.table_rows import HEAD_ROWS, TableRow, data_rows, find_header
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.errors import Refused

DAMAGE_ERRORS = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    OSError,
    EOFError,
    ParseError,
    BadZipFile,
)
_MAX_ROWS = 1 << 20
"""Rows of a sheet in Excel itself."""
_MAX_ROW_BYTES = 32 << 20
"""Bytes of the XML of one row, which is kept in memory."""
_MAX_MERGED = 200_000
"""Merged cells of a sheet, which are kept in memory."""
_MERGED = re.compile(
    rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})[\"']"
)
_MAX_REFERENCE = 200
"""Bytes of a merged cell in XML."""
_BLOCK = 1 << 20
_ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!"}
_MAX_EXACT = 1e15
"""Largest exact integer: Excel keeps 15 digits of a number."""


class MergedCell(NamedTuple):
    """Cell over several rows of one column."""

    first: int
    """Its first row, from 1."""
    last: int
    position: int
    """Index of its column."""


class SheetTable(NamedTuple):
    columns: list[str]
    rows: Iterator[TableRow]


class Sheet:
    """One sheet; `rows` yields its numbered rows, of which a gap counts as one blank row."""

    def __init__(self, reader: ExcelReader, part: str, path: Path) -> None:
        self._reader = reader
        self._part = part
        self._path = path

    def table(self) -> SheetTable:
        """Return the header and the rows below it."""
        each = self.rows()
        head = list(islice(each, HEAD_ROWS))
        position = find_header([cells for _, cells in head])
        number, header = head[position] if head else (0, [])
        columns = [header_name(cell) for cell in header]
        below = self._fill_merged(chain(head[position + 1 :], each), number)
        return SheetTable(columns, data_rows(_rows_under_header(below, len(columns)), columns))

    def rows(self) -> Iterator[tuple[int, list[object]]]:
        number = 0
        reader, book = self._reader, self._reader.wb
        try:
            # use the parser directly: openpyxl's sheets fill gaps of any size and keep the format of each row
            with reader.archive.open(self._part) as part:
                source = _BoundedStream(part)
                parser = _CellParser(
                    source,
                    reader.shared_strings,
                    data_only=True,
                    epoch=book.epoch,
                    date_formats=book._date_formats,
                    timedelta_formats=book._timedelta_formats,
                )
                last = 0
                for number, cells in parser.parse():
                    if number > _MAX_ROWS:
                        raise _SheetTooLong
                    if number > last + 1:
                        yield number - 1, []
                    last = number
                    source.begin_row()
                    parser.row_dimensions.clear()
                    yield number, _row_values(cells)
        except _SheetTooLong:
            raise Refused(f"{self._path} is no sheet of Excel after row {number:,}; save it as CSV") from None
        except DAMAGE_ERRORS as error:
            raise Refused(f"{self._path} is damaged after row {number:,}") from error

    def _fill_merged(
        self, rows: Iterable[tuple[int, list[object]]], header: int
    ) -> Iterator[tuple[int, list[object]]]:
        """Yield the rows below the header with the value of a merged cell in each of its rows that has others."""
        merged = sorted(one for one in self._merged_cells() if one.first > header)
        values: dict[MergedCell, object] = {}
        begun = 0
        for number, cells in rows:
            while begun < len(merged) and merged[begun].first <= number:
                one = merged[begun]
                is_here = one.first == number and one.position < len(cells)
                values[one] = cells[one.position] if is_here else None
                begun += 1
            for one, value in list(values.items()):
                if one.last < number:
                    del values[one]
                elif value is not None and any(cells):
                    cells += [None] * (one.position + 1 - len(cells))
                    cells[one.position] = value if cells[one.position] is None else cells[one.position]
            yield number, cells

    def _merged_cells(self) -> set[MergedCell]:
        """Return the cells merged down one column. They stand behind the rows in the sheet's XML."""
        found: set[MergedCell] = set()
        try:
            with self._reader.archive.open(self._part) as part:
                before = b""
                while block := part.read(_BLOCK):
                    for first, top, last, bottom in _MERGED.findall(before + block):
                        if first == last and int(top) < int(bottom):
                            column = column_index_from_string(first.decode())
                            found.add(MergedCell(int(top), int(bottom), column - 1))
                    if len(found) > _MAX_MERGED:
                        raise Refused(
                            f"{self._path} has more than {_MAX_MERGED:,} merged cells; save it as CSV"
                        )
                    before = block[-_MAX_REFERENCE:]
        except DAMAGE_ERRORS:
            return set()  # the reading of rows reports the damage
        return found


def _rows_under_header(rows: Iterable[tuple[int, list[object]]], width: int) -> Iterator[TableRow]:
    for number, cells in rows:
        yield TableRow(number, cells + [None] * (width - len(cells)))


class _SheetTooLong(Exception):
    pass


class _BoundedStream(io.RawIOBase):
    """A sheet's XML with a bound on the bytes of a row."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._since = 0

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size if 0 <= size <= 1 << 20 else 1 << 20)
        self._since += len(block)
        if self._since > _MAX_ROW_BYTES:
            raise _SheetTooLong
        return block

    def begin_row(self) -> None:
        self._since = 0


class _CellParser(WorkSheetParser):  # type: ignore[misc]
    """Parser that sees formulas whose result was never stored, as programs write them that do not calculate."""

    def parse_cell(self, element: Element) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        # the result of a formula may be an empty text
        if cell["value"] is None and element.get("t") != "str":
            formula = element.find(FORMULA_TAG)
            if formula is not None:
                cell["value"] = formula_text(f"={formula.text or ''}")
                cell["data_type"] = "e" if cell["value"] is None else "s"
        return cell


def _row_values(cells: list[dict[str, Any]]) -> list[object]:
    row: list[object] = [None] * max((cell["column"] for cell in cells), default=0)
    for cell in cells:
        row[cell["column"] - 1] = UNREADABLE if cell["data_type"] == "e" else _cell_value(cell["value"])
    while row and row[-1] in (None, ""):
        row.pop()
    return row


def _cell_value(value: Any) -> object:
    if isinstance(value, str):
        return UNREADABLE if value in _ERRORS else value
    if isinstance(value, float):
        if not math.isfinite(value):
            return UNREADABLE
        return int(value) if value.is_integer() and abs(value) < _MAX_EXACT else value
    if isinstance(value, datetime):
        return (value.date() if value.time() == time() else value).isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return value if value is None or isinstance(value, bool | int) else str(value)
