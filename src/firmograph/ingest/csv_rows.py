"""CSV as rows of cells: comma, semicolon, tab or bar, with quoted line ends."""

import csv
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from firmograph.ingest.lines import MAX_LINE, Lines
from firmograph.ingest.unreadable import UNREADABLE, is_text

_DELIMITERS = ",;\t|"
_SEP = re.compile(r"sep=([,;\t|])\s*\Z")
_QUOTED = re.compile(r'"[^"]*"?')

CsvRow = tuple[int, list[object] | None, str]
"""The line on which a record starts, its cells, and why there are none."""


class CsvTable(NamedTuple):
    columns: list[str]
    rows: Iterator[CsvRow]


class _Text:
    """The lines as text, in which bytes that are not UTF-8 stand as halves of surrogate pairs."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._damaged = False

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            try:
                yield line.decode()
            except UnicodeDecodeError:
                self._damaged = True
                yield line.decode(errors="surrogateescape")

    def take_damaged(self) -> bool:
        """Whether a line since the last call was not UTF-8."""
        damaged, self._damaged = self._damaged, False
        return damaged


def csv_table(lines: Lines) -> CsvTable:
    """The header, and the records behind it. Lines without any value are passed over.

    Raises csv.Error when there is no header to be read.
    """
    csv.field_size_limit(MAX_LINE)
    text = _Text(lines)
    each = iter(text)
    first = next((line for line in each if line.strip()), "")
    if named := _SEP.match(first):
        # what a spreadsheet writes to tell its own delimiter
        delimiter, first = named[1], next(each, "")
    else:
        delimiter = _delimiter(first)
    reader = csv.reader(chain([first], each), delimiter=delimiter, skipinitialspace=True)
    columns = [cell.strip() for cell in next(reader, [])]
    if text.take_damaged():
        columns = [cell.encode(errors="replace").decode() for cell in columns]
    lines.take_problem()
    return CsvTable(columns, _records(reader, lines, text, len(columns)))


def _delimiter(header: str) -> str:
    """The one that parts the header into the most columns."""
    bare = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=bare.count)


def _records(reader: Iterator[list[str]], lines: Lines, text: _Text, width: int) -> Iterator[CsvRow]:
    while True:
        start = lines.number + 1
        problem = ""
        cells: list[Any] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            problem = "not readable as CSV from here on; look for a quotation mark that is never closed"
        problem = lines.take_problem() or problem
        if text.take_damaged():
            cells = [cell if is_text(cell) else UNREADABLE for cell in cells]
        if len(cells) > width and any(cells[width:]):
            problem = problem or f"{len(cells)} cells under a header of {width}"
        if problem:
            yield start, None, problem
        elif any(cells):
            yield start, cells, ""
