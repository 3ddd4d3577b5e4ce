"""CSV as rows of cells: comma, semicolon, tab or bar, with quoted line ends."""

import csv
import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

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


class _TextLines:
    """The lines as text, in which bytes that are not UTF-8 stand as halves of surrogate pairs."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._given = iter(lines)
        self._ahead: deque[tuple[int, bytes, str]] = deque()
        self._number = 0
        self._problem = ""
        self._damaged = False

    @property
    def number(self) -> int:
        """Of the line that was given out last."""
        return self._number if self._ahead else self._lines.number

    def look_ahead(self, count: int) -> list[str]:
        """The next lines, which stay to be given out."""
        for line in islice(self._given, count - len(self._ahead)):
            self._ahead.append((self._lines.number, line, self._lines.take_problem()))
        return [line.decode(errors="surrogateescape") for _, line, _ in self._ahead]

    def __iter__(self) -> Iterator[str]:
        while self._ahead:
            self._number, line, self._problem = self._ahead.popleft()
            yield self._decoded(line)
        for line in self._given:
            yield self._decoded(line)

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
        """Whether a line since the last call was not UTF-8."""
        damaged, self._damaged = self._damaged, False
        return damaged


def read_csv_table(lines: Lines) -> CsvTable:
    """The header, and the records behind it, without what stands above the header, and with footers as problems.

    Raises csv.Error when there is no header to be read.
    """
    csv.field_size_limit(MAX_LINE)
    text = _TextLines(lines)
    above, delimiter = _find_header_line(text.look_ahead(HEAD_ROWS))
    each = iter(text)
    for _ in range(above):
        next(each)
    text.take_problem()
    text.take_damaged()
    reader = csv.reader(each, delimiter=delimiter, skipinitialspace=True)
    columns = [cell.strip() for cell in next(reader, [])]
    if text.take_damaged():
        columns = [cell.encode(errors="replace").decode() for cell in columns]
    text.take_problem()
    return CsvTable(columns, delimiter, data_rows(_records(reader, text, len(columns)), columns))


def _find_header_line(lines: Sequence[str]) -> tuple[int, str]:
    """How many lines stand above the header, and the delimiter."""
    # what a spreadsheet writes to tell its own delimiter
    said = next(
        ((place, found[1]) for place, line in enumerate(lines) if (found := _SEP_LINE.match(line))), None
    )
    first = said[0] + 1 if said else 0
    starts, rows, delimiters = [], [], []
    for start, record in _group_records(lines[first:]):
        delimiter = said[1] if said else _guess_delimiter("".join(record))
        starts.append(first + start)
        delimiters.append(delimiter)
        rows.append(_split_cells(record, delimiter))
    if not rows:
        return first, said[1] if said else _DELIMITERS[0]
    place = find_header(rows)
    return starts[place], delimiters[place]


def _split_cells(record: Sequence[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader(record, delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []


def _group_records(lines: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """The lines of each record, with the place of the first; a quotation mark may stay open in notes."""
    place = 0
    while place < len(lines):
        count, quotes = 1, lines[place].count('"')
        while quotes % 2 and place + count < len(lines):
            quotes += lines[place + count].count('"')
            count += 1
        count = 1 if quotes % 2 else count
        yield place, lines[place : place + count]
        place += count


def _guess_delimiter(header: str) -> str:
    """The one that parts the header into the most columns."""
    bare = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=bare.count)


def _records(reader: Iterator[list[str]], text: _TextLines, width: int) -> Iterator[TableRow]:
    while True:
        start = text.number + 1
        problem = ""
        cells: list[Any] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            problem = "not readable as CSV from here on; look for a quotation mark that is never closed"
        problem = text.take_problem() or problem
        if text.take_damaged():
            cells = [cell if is_text(cell) else UNREADABLE for cell in cells]
        if len(cells) > width and any(cells[width:]):
            problem = problem or f"{len(cells)} cells under a header of {width}"
        yield TableRow(start, None if problem else cells, problem)
