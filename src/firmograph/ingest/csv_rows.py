"""CSV as rows of cells: comma, semicolon, tab or bar, with quoted line ends."""

import csv
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from firmograph.ingest.lines import MAX_LINE, Lines

_DELIMITERS = ",;\t|"
_SEP = re.compile(r"sep=([,;\t|])\s*\Z")
_QUOTED = re.compile(r'"[^"]*"?')

CsvRow = tuple[int, list[object] | None, str]
"""The line on which a record starts, its cells, and why there are none."""


class CsvTable(NamedTuple):
    columns: list[str]
    rows: Iterator[CsvRow]


class _Text:
    """The lines as text; one that is not UTF-8 sets the problem of the record that it belongs to."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            try:
                yield line.decode()
            except UnicodeDecodeError:
                self._lines.problem = "the line is not UTF-8; save the file as UTF-8"
                yield line.decode(errors="replace")


def csv_table(lines: Lines) -> CsvTable:
    """The header, and the records behind it. Lines without any value are passed over.

    Raises csv.Error when there is no header to be read.
    """
    csv.field_size_limit(MAX_LINE)
    text = iter(_Text(lines))
    first = next((line for line in text if line.strip()), "")
    if named := _SEP.match(first):
        # what a spreadsheet writes to tell its own delimiter
        delimiter, first = named[1], next(text, "")
    else:
        delimiter = _delimiter(first)
    reader = csv.reader(chain([first], text), delimiter=delimiter, skipinitialspace=True)
    columns = [cell.strip() for cell in next(reader, [])]
    lines.take_problem()
    return CsvTable(columns, _records(reader, lines, len(columns)))


def _delimiter(header: str) -> str:
    """The one that parts the header into the most columns."""
    bare = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=bare.count)


def _records(reader: Iterator[list[str]], lines: Lines, width: int) -> Iterator[CsvRow]:
    while True:
        start = lines.number + 1
        problem = ""
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            problem = "not readable as CSV from here on; look for a quotation mark that is never closed"
        problem = lines.take_problem() or problem
        if len(cells) > width and any(cells[width:]):
            problem = problem or f"{len(cells)} cells under a header of {width}"
        if problem:
            yield start, None, problem
        elif any(cells):
            yield start, list(cells), ""
