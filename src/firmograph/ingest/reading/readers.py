"""Reader of JSON Lines, CSV, Parquet and Excel files, plain or packed.

Decisive first bytes (gzip, ZIP, Parquet) determine the format, else the ending of the name, else the first character.
A row that cannot be read comes with a problem instead of a value, and reading continues after it. Memory is bounded.
"""

import codecs
import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from firmograph.directory.normalise.written_dates import Order
from firmograph.ingest.reading.compression import PACKING_ERRORS, copy_to_disk, describe_damage, unpack
from firmograph.ingest.reading.csv_rows import read_csv_table
from firmograph.ingest.reading.encodings import UTF_8, detect_encoding, recode_as_utf_8
from firmograph.ingest.reading.json_forms import (
    HEAD_BYTES,
    CutOff,
    FoundForm,
    JsonForm,
    UnreadForm,
    find_json_form,
    read_objects,
)
from firmograph.ingest.reading.lines import MAX_LINE, Lines, with_line_feeds
from firmograph.ingest.reading.table_rows import ColumnCheck
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.errors import Refused


class ReadOptions(msgspec.Struct, frozen=True):
    """Options for reading a file; empty ones are detected."""

    encoding: str = ""
    sheet: str = ""
    dates: Order | None = None
    """Order of day and month in numeric dates."""
    country: str = ""
    """ISO 3166-1 alpha-2 code for telephone numbers of rows without a country."""


AUTODETECT = ReadOptions()


class RawRow(NamedTuple):
    line: int
    """The record's first line in its file, from 1; in Parquet the number of the row."""
    value: bytes | list[object] | None
    """A line of JSON, or the cells of a table's row."""
    problem: str = ""
    """Why there is no value."""
    is_repaired: bool = False
    """Whether quotation marks that do not fit were read as text."""
    is_skipped: bool = False
    """Whether it stands for no record, such as a repeated header; `problem` says what it is."""
    rejected_cells: list[object] | None = None
    """Cells of a table's row with a problem, if they are in the order of the header."""


_UNSUPPORTED = {
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it, or compress it with gzip",
    b"BZh": "is compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ": "is compressed with xz; unpack it, or compress it with gzip",
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook (.xls) or has a password; save it as .xlsx without one, or as CSV",
}
_INSTEAD_OF_VCARD = (
    "export the address book as CSV instead (Google Contacts: Export, Google CSV; Outlook: Export to a file, Comma "
    "Separated Values; iCloud and macOS: import the vCard into one of these first)"
)
_UTF_16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_BLOCK = 1 << 16
_BLANKS = b" \t\r\n\x0b\x0c\x1e"
"""White space, and the record separator before objects of JSON."""
_JSON_ENDINGS = {".jsonl", ".ndjson", ".jsonlines", ".ldjson"}
_TABLE_ENDINGS = {".csv", ".tsv", ".tab", ".psv"}


class RowFile:
    """An open file of rows.

    Use it in a `with` block and iterate once.
    """

    columns: list[str] | None = None
    """The header of a table; None for JSON Lines."""
    format: str
    delimiter = ""
    """The delimiter of CSV, else empty."""
    repaired_header = 0
    """Line of a header of which a quotation mark was dropped, else 0."""

    def __init__(
        self, path: Path, reading: ReadOptions = AUTODETECT, fits: ColumnCheck | None = None
    ) -> None:
        self.path = path
        self.other_sheets: list[str] = []
        """Sheets of a workbook that are not read."""
        self.list_read = ""
        """Path of the list in a JSON object that is read."""
        self.other_lists: list[str] = []
        """Paths of further lists of objects, which are not read."""
        self._fits = fits
        self.options = reading
        """The given options completed by detection."""
        self._raw = _open_file(path)
        try:
            self.bytes_total = path.stat().st_size
            self._rows = self._open()
        except PACKING_ERRORS as error:
            self._raw.close()
            raise Refused(f"{path} is damaged: {describe_damage(error)}") from error
        except BaseException:
            self._raw.close()
            raise

    def __enter__(self) -> "RowFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def bytes_read(self) -> int:
        """Return the number of bytes read of the file as stored."""
        return self._raw.tell()

    def __iter__(self) -> Iterator[RawRow]:
        line = 0
        try:
            for row in self._rows:
                line = row.line
                yield row
        except PACKING_ERRORS as error:
            raise Refused(f"{self.path} is damaged after line {line}: {describe_damage(error)}") from error

    def _open(self) -> Iterator[RawRow]:
        file = unpack(self._raw, self.path)
        if file.is_workbook:
            return self._workbook(file.stream)
        head: bytes = file.stream.peek(512)  # type: ignore[attr-defined]
        for magic, what in _UNSUPPORTED.items():
            if head.startswith(magic):
                raise Refused(f"{self.path} {what}")
        # without the NUL bytes of UTF-16
        if _strip_start(head.replace(b"\0", b"").lstrip(b"\xff\xfe")).upper().startswith(b"BEGIN:VCARD"):
            raise Refused(f"{self.path} is a vCard file; {_INSTEAD_OF_VCARD}")
        if head.startswith(b"PAR1"):
            return self._parquet(copy_to_disk(file.stream, self.path) if file.packed else self._raw)
        self._check_not_given("sheet", "sheets")
        ending = Path(file.name).suffix
        encoding = self.options.encoding
        if not encoding:
            # JSON is UTF-8 by definition, unless it has a UTF-16 byte order mark
            is_json = not head.startswith(_UTF_16_MARKS) and self._is_json(_strip_start(head), ending)
            encoding = UTF_8 if is_json else detect_encoding(self._again, str(self.path))
        self.options = msgspec.structs.replace(self.options, encoding=encoding)
        stream = recode_as_utf_8(file.stream, encoding)
        if self._is_json(_strip_start(stream.peek(512)), ending):  # type: ignore[attr-defined]
            return self._json(stream, encoding)
        if ending not in _TABLE_ENDINGS and b"\x00" in stream.peek(512):  # type: ignore[attr-defined]
            raise Refused(f"{self.path} is none of JSON Lines, CSV, Parquet and Excel workbooks")
        return self._csv(Lines(with_line_feeds(stream)))

    @contextmanager
    def _again(self) -> Iterator[IO[bytes]]:
        """Open the unpacked bytes a second time."""
        with _open_file(self.path) as raw:
            yield unpack(raw, self.path).stream

    def _check_not_given(self, option: str, what: str) -> None:
        if getattr(self.options, option):
            raise Refused(f"{self.path} has no {what}; leave out --{option}")

    def _is_json(self, head: bytes, ending: str) -> bool:
        if ending in _JSON_ENDINGS or ending in _TABLE_ENDINGS:
            return ending in _JSON_ENDINGS
        return ending == ".json" or head.startswith((b"{", b"["))

    def _json(self, stream: IO[bytes], encoding: str) -> Iterator[RawRow]:
        try:
            form = find_json_form(self._head(encoding))
        except UnreadForm as error:
            raise Refused(f"{self.path} cannot be read: {error}") from None
        self.format, self.list_read, self.other_lists = form.form.value, form.name, sorted(form.others)
        return self._lines(Lines(stream)) if form.form is JsonForm.LINES else self._objects(stream, form)

    def _head(self, encoding: str) -> bytes:
        """Return the first bytes of the file, of a damaged one those before the damage."""
        head = b""
        with self._again() as again, suppress(*PACKING_ERRORS):
            stream = recode_as_utf_8(again, encoding)
            while len(head) < HEAD_BYTES and (block := stream.read(_BLOCK)):
                head += block
        return head

    def _objects(self, stream: IO[bytes], form: FoundForm) -> Iterator[RawRow]:
        try:
            for line, value in read_objects(stream, form):
                if len(value) > MAX_LINE:
                    yield RawRow(line, None, f"the object is longer than {MAX_LINE:,} bytes")
                else:
                    yield RawRow(line, value)
        except CutOff as error:
            raise Refused(f"{self.path} cannot be read to its end: {error}") from None

    def _lines(self, lines: Lines) -> Iterator[RawRow]:
        for number, line in enumerate(lines, 1):
            if lines.problem:
                yield RawRow(number, None, lines.take_problem())
            elif not line.isspace():
                yield RawRow(number, line)

    def _csv(self, lines: Lines) -> Iterator[RawRow]:
        try:
            table = read_csv_table(lines)
        except csv.Error as error:
            raise Refused(f"{self.path} has no header that could be read; save it as CSV in UTF-8") from error
        self.format, self.columns, self.delimiter = "CSV", table.columns, table.delimiter
        self.repaired_header = table.repaired_header
        return (RawRow(*row) for row in table.rows)

    def _parquet(self, file: IO[bytes]) -> Iterator[RawRow]:
        self._check_not_given("sheet", "sheets")
        from firmograph.ingest.reading.parquet import ParquetTable

        self._check_not_given("encoding", "encoding to choose")
        table = ParquetTable(file, self.path)
        self.options = msgspec.structs.replace(self.options, encoding="", sheet="")
        self.format, self.columns = "Parquet", table.columns
        return (RawRow(number, row) for number, row in enumerate(table, 1))

    def _workbook(self, file: IO[bytes]) -> Iterator[RawRow]:
        self._check_not_given("encoding", "encoding to choose")
        from firmograph.ingest.reading.workbook import Workbook

        book = Workbook(file, self.path)
        sheet = self.options.sheet or book.choose_sheet(self._fits)
        self.options = msgspec.structs.replace(self.options, encoding="", sheet=sheet)
        self.format, self.other_sheets = "Excel workbook", book.other_sheets(sheet)
        self.columns, rows = book.table(sheet)
        return (RawRow(*row) for row in rows)


def open_rows(path: Path, reading: ReadOptions = AUTODETECT, fits: ColumnCheck | None = None) -> RowFile:
    """Open a file of rows, of a workbook the first visible sheet whose columns fit.

    Raises Refused, with advice, when it is missing or of no supported format.
    """
    return RowFile(path, reading, fits)


def row_values(row: RawRow) -> bytes:
    """Return the values of a row: its line of JSON, or a JSON list of the texts in a table's cells."""
    if isinstance(row.value, bytes):
        return row.value
    cells = row.value if row.value is not None else row.rejected_cells
    return b"" if cells is None else msgspec.json.encode([_cell_text(cell) for cell in cells])


def _cell_text(cell: object) -> str:
    if cell is None or cell is UNREADABLE:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell if isinstance(cell, str) else msgspec.json.encode(cell, enc_hook=str).decode().strip('"')


def _strip_start(head: bytes) -> bytes:
    return head.removeprefix(codecs.BOM_UTF8).lstrip(_BLANKS)


def _open_file(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise Refused(f"{path} does not exist; check the path") from None
    except IsADirectoryError:
        raise Refused(f"{path} is a directory; name the files in it") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
