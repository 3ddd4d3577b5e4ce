"""Reader of CSV separated by commas, semicolons, tabs or bars."""

import csv
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from firmograph.ingest.reading.csv_records import CsvRecord, RecordReader
from firmograph.ingest.reading.header_names import header_name
from firmograph.ingest.reading.lines import MAX_LINE, Lines
from firmograph.ingest.reading.table_rows import HEAD_ROWS, TableRow, data_rows, find_header
from firmograph.ingest.reading.unreadable_value import UNREADABLE, is_text

_DELIMITERS = ",;\t|"
_SEP_LINE = re.compile(r'"?sep=([,;\t|])"?\s*\Z', re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"?')


class CsvTable(NamedTuple):
    columns: list[str]
    delimiter: str
    rows: Iterator[TableRow]
    repaired_header: int
    """Line of a header of which a quotation mark was dropped, else 0."""


class _TextLines:
    """Lines as text; bytes that are not UTF-8 become lone surrogates."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._given = iter(lines)
        self._ahead: deque[tuple[int, bytes, str]] = deque()
        self._number = 0
        self._problem = ""
        self._damaged = False

    @property
    def number(self) -> int:
        """Return the number of the last line yielded."""
        return self._number if self._ahead else self._lines.number

    def look_ahead(self, count: int) -> list[str]:
        """Return the next lines without consuming them."""
        found = (self.peek(index) for index in range(count))
        return [line for line in found if line is not None]

    def peek(self, index: int) -> str | None:
        """Return one of the next lines, from 0, without consuming it; None at the end."""
        while len(self._ahead) <= index:
            line = next(self._given, None)
            if line is None:
                return None
            self._ahead.append((self._lines.number, line, self._lines.take_problem()))
        return self._ahead[index][1].decode(errors="surrogateescape")

    def __next__(self) -> str:
        if not self._ahead:
            return self._decoded(next(self._given))
        self._number, line, problem = self._ahead.popleft()
        self._problem = problem or self._problem
        return self._decoded(line)

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError:
            self._damaged = True
            return line.decode(errors="surrogateescape")

    def take_problem(self) -> str:
        problem, self._problem = self._problem, ""
        return problem or self._lines.take_problem()

    def take_damaged(self) -> bool:
        """Return whether a line since the last call was not UTF-8."""
        damaged, self._damaged = self._damaged, False
        return damaged


def read_csv_table(lines: Lines) -> CsvTable:
    """Return the header and the records below it; footers come as rows with a problem.

    Skips the lines above the header. Raises csv.Error when no header can be read.
    """
    csv.field_size_limit(MAX_LINE)
    text = _TextLines(lines)
    above, delimiter = _find_header_line(text.look_ahead(HEAD_ROWS))
    for _ in range(above):
        next(text)
    text.take_problem()
    text.take_damaged()
    reader = RecordReader(text, delimiter)
    header = reader.read() if text.peek(0) is not None else CsvRecord([])
    columns = [header_name(cell) for cell in header.cells]
    if header.is_repaired:
        columns = [cell.replace('"', "").strip() for cell in columns]
    reader.width = len(columns)
    repaired = above + 1 if header.is_repaired else 0
    if text.take_damaged():
        columns = [cell.encode(errors="replace").decode() for cell in columns]
    text.take_problem()
    return CsvTable(columns, delimiter, data_rows(_records(reader, text), columns), repaired)


def _find_header_line(lines: Sequence[str]) -> tuple[int, str]:
    """Return the number of lines above the header, and the delimiter."""
    # spreadsheets write a `sep=;` line to name their delimiter
    stated = next(
        ((position, found[1]) for position, line in enumerate(lines) if (found := _SEP_LINE.match(line))),
        None,
    )
    first = stated[0] + 1 if stated else 0
    starts, rows, delimiters = [], [], []
    for start, record in _group_records(lines[first:]):
        delimiter = stated[1] if stated else _guess_delimiter("".join(record))
        starts.append(first + start)
        delimiters.append(delimiter)
        rows.append(_split_cells(record, delimiter))
    if not rows:
        return first, stated[1] if stated else _DELIMITERS[0]
    position = find_header(rows)
    return starts[position], delimiters[position]


def _split_cells(record: Sequence[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader(record, delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []


def _group_records(lines: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the lines of each record and the index of its first.

    A quotation mark that is never closed counts as text, as in notes above a header.
    """
    position = 0
    while position < len(lines):
        count, quotes = 1, lines[position].count('"')
        while quotes % 2 and position + count < len(lines):
            quotes += lines[position + count].count('"')
            count += 1
        count = 1 if quotes % 2 else count
        yield position, lines[position : position + count]
        position += count


def _guess_delimiter(header: str) -> str:
    """Return the delimiter that splits the header into the most columns."""
    bare = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=bare.count)


def _records(reader: RecordReader, text: _TextLines) -> Iterator[TableRow]:
    while True:
        start = text.number + 1
        problem, is_repaired = "", False
        cells: list[Any] = []
        try:
            cells, is_repaired = reader.read()
        except StopIteration:
            return
        except csv.Error:
            problem = "a cell is longer than a line may be; look for a quotation mark that is never closed"
        problem = text.take_problem() or problem
        if text.take_damaged():
            cells = [cell if is_text(cell) else UNREADABLE for cell in cells]
        yield TableRow(start, None if problem else cells, problem, is_repaired)
