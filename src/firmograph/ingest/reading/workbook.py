"""Reader of Excel workbooks, one row at a time."""

import io
import math
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from firmograph.ingest.reading.table_rows import HEAD_ROWS, TableRow, data_rows, find_header, header_name
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.errors import Refused

_MAX_ROWS = 1 << 20
"""Rows of a sheet in Excel itself."""
_MAX_IN_MEMORY = 256 << 20
"""Unpacked bytes of all parts but the sheets, because openpyxl keeps the shared texts in memory."""
_MAX_ROW_BYTES = 32 << 20
"""Bytes of the XML of one row, which is kept in memory too."""
_SHEET_FILE = re.compile(r"xl/worksheets/sheet\d+\.xml\Z")
_ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!"}
_MAX_EXACT = 1e15
"""Largest exact integer: Excel keeps 15 digits of a number."""
_DAMAGE_ERRORS = (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError, EOFError, ParseError)


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


def read_sheet_table(rows: Iterable[tuple[int, list[object]]]) -> tuple[list[str], Iterator[TableRow]]:
    """Return the header of a sheet and the rows below it."""
    each = iter(rows)
    head = list(islice(each, HEAD_ROWS))
    position = find_header([cells for _, cells in head])
    header = head[position][1] if head else []
    columns = [header_name(cell) for cell in header]
    return columns, data_rows(_rows_under_header(chain(head[position + 1 :], each), len(columns)), columns)


def _rows_under_header(rows: Iterable[tuple[int, list[object]]], width: int) -> Iterator[TableRow]:
    for number, cells in rows:
        if len(cells) > width:
            yield TableRow(number, None, f"{len(cells)} cells under a header of {width}")
        else:
            yield TableRow(number, cells + [None] * (width - len(cells)))


class Workbook:
    """Iterator over the numbered rows of one sheet.

    A gap counts as one blank row.
    """

    def __init__(self, file: IO[bytes], path: Path, sheet: str = "") -> None:
        from openpyxl.reader.excel import ExcelReader
        from openpyxl.styles.stylesheet import apply_stylesheet

        self._path = path
        # openpyxl warns of parts it does not keep, such as lists of permitted values
        warnings.filterwarnings("ignore", module=r"openpyxl\.")
        try:
            self._check_size(file)
            # openpyxl's own load function reads whole sheets to find their size
            self._reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
            self._reader.read_manifest()
            self._reader.read_strings()
            self._reader.read_workbook()
            apply_stylesheet(self._reader.archive, self._reader.wb)
            sheets = {
                one.name: rel.target
                for one, rel in self._reader.parser.find_sheets()
                if rel.target in self._reader.valid_files and "chartsheet" not in rel.Type
            }
        except (*_DAMAGE_ERRORS, zipfile.BadZipFile) as error:
            raise Refused(f"{path} is damaged: it is like an Excel workbook but cannot be read") from error
        if not sheets:
            raise Refused(f"{path} has no sheet with cells")
        if sheet and sheet not in sheets:
            raise Refused(f"{path} has no sheet {sheet!r}; it has: {', '.join(sheets)}")
        self.sheet: str = sheet or next(iter(sheets))
        self._part = sheets[self.sheet]

    def _check_size(self, file: IO[bytes]) -> None:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
        if any(part.flag_bits & 1 for part in parts):
            raise Refused(f"{self._path} is protected by a password; save it without one")
        in_memory = [part for part in parts if not _SHEET_FILE.match(part.filename)]
        if sum(part.file_size for part in in_memory) > _MAX_IN_MEMORY:
            raise Refused(f"{self._path} is too large to be read as a workbook; save it as CSV")

    def __iter__(self) -> Iterator[tuple[int, list[object]]]:
        from openpyxl.worksheet._reader import WorkSheetParser

        number = 0
        reader, book = self._reader, self._reader.wb
        try:
            # use the parser directly: openpyxl's sheets fill gaps of any size and keep the format of each row
            with reader.archive.open(self._part) as part:
                source = _BoundedStream(part)
                parser = WorkSheetParser(
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
        except (*_DAMAGE_ERRORS, zipfile.BadZipFile) as error:
            raise Refused(f"{self._path} is damaged after row {number:,}") from error


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
