"""Records of CSV text, with quotation marks that do not close or do not fit.

See docs/importing.md#quotation-marks. A well-formed record is what Python's `csv` reads. Where a mark does not fit, the
line is read again with the mark as text, so that no other line is affected. A mark counts as unclosed if its value
reaches the end of the file or `MAX_LINE`, if text follows the mark that closes it on a later line, if two or more of
its inner lines have exactly the header's delimiters, of two or more, or if all of its lines are rows with an e-mail
address in one column.
"""

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from firmograph.ingest.reading.lines import MAX_LINE

_ROW_LIKE_LINES = 2
"""Inner lines that look like rows, from which a value of several lines is none."""
_FEWEST_COLUMNS = 4
"""Columns of a header from which lines with an address in one column are rows."""
_EMAIL = re.compile(r"\s*[^\s@\"]+@[^\s@\"]+\.[^\s@\"]+\s*")
_MARK = '"'


class LineSource(Protocol):
    """Lines as text, of which some can be looked at before they are taken."""

    def peek(self, index: int) -> str | None:
        """Return one of the next lines, from 0, without taking it; None at the end."""
        ...

    def __next__(self) -> str: ...


class CsvRecord(NamedTuple):
    cells: list[str]
    is_repaired: bool = False
    """Whether a quotation mark was read as text."""


class _Cells(NamedTuple):
    cells: list[str]
    is_open: bool = False
    """Whether the text ends within quotation marks."""
    has_inner_marks: bool = False
    """Whether a mark within quotation marks is followed by text, so that it closes nothing."""


class _Quoted(NamedTuple):
    """Cell in quotation marks."""

    cell: str
    end: int
    """Index of the delimiter behind it, or of the end; -1 if the cell is not closed."""
    has_inner_marks: bool


class RecordReader:
    """Reader of one file's records; `width` is the number of the header's columns, once it is known."""

    def __init__(self, lines: LineSource, delimiter: str) -> None:
        self._lines = lines
        self._delimiter = delimiter
        self.width = 0

    def read(self) -> CsvRecord:
        """Return the next record. Raises StopIteration at the end, and csv.Error for a cell over `MAX_LINE`."""
        line = next(self._lines)
        if _MARK not in line:
            return CsvRecord(_split([line], self._delimiter))
        try:
            return CsvRecord(_split([line], self._delimiter, strict=True))
        except csv.Error:
            pass
        parsed = _parse(line, self._delimiter)
        if not parsed.is_open:
            return self._choose(line, parsed)
        record = None if parsed.has_inner_marks else self._read_several(line)
        return record or self._choose(line, parsed)

    def _choose(self, line: str, parsed: _Cells) -> CsvRecord:
        """Return a line's cells with marks as text within cells, or around them if only that fits the header."""
        plain = _parse(line, self._delimiter, as_text=True)
        is_plain = parsed.is_open or len(parsed.cells) != self.width == len(plain.cells)
        return CsvRecord((plain if is_plain else parsed).cells, True)

    def _read_several(self, line: str) -> CsvRecord | None:
        """Return the record of several lines that begins with this one, and take its lines; None if it is none."""
        lines, length, row_like = [line], len(line), 0
        while length <= MAX_LINE:
            following = self._lines.peek(len(lines) - 1)
            if following is None:
                return None
            lines.append(following)
            length += len(following)
            if _MARK in following:
                is_open = _stays_open(following, self._delimiter)
                if is_open is None:
                    return None
                if not is_open:
                    if self._are_rows(lines):
                        return None
                    for _ in lines[1:]:
                        next(self._lines)
                    return CsvRecord(_parse("".join(lines), self._delimiter).cells)
            row_like += self.width > 2 and following.count(self._delimiter) == self.width - 1
            if row_like >= _ROW_LIKE_LINES:
                return None
        return None

    def _are_rows(self, lines: Sequence[str]) -> bool:
        """Return whether each line has a cell for each column, and all have an e-mail address in one of them."""
        if self.width < _FEWEST_COLUMNS:
            return False
        columns = set(range(self.width))
        for line in lines:
            cells = line.split(self._delimiter)
            if len(cells) != self.width:
                return False
            columns = {column for column in columns if _EMAIL.fullmatch(cells[column])}
        return bool(columns)


def _split(lines: Sequence[str], delimiter: str, *, strict: bool = False) -> list[str]:
    return next(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict), [])


def _stays_open(line: str, delimiter: str) -> bool | None:
    """Return whether a line that begins within quotation marks ends there; None if a mark in it closes nothing.

    Only this line is looked at, so that a value of many lines is not parsed again with each of them.
    """
    text = line.rstrip("\r\n")
    quoted = _read_quoted(text, 0, delimiter)
    if quoted.has_inner_marks:
        return None
    if quoted.end < 0 or quoted.end == len(text):
        return quoted.end < 0
    rest = _parse(text[quoted.end + 1 :], delimiter)
    return None if rest.has_inner_marks else rest.is_open


def _parse(text: str, delimiter: str, *, as_text: bool = False) -> _Cells:
    """Return the cells of a record; a mark that closes nothing is text within its cell.

    With `as_text`, cells that are not closed or have such a mark are read as if they were not quoted.
    """
    text = text.rstrip("\r\n")
    cells: list[str] = []
    position, has_inner_marks = 0, False
    while True:
        position = _skip_spaces(text, position)
        end = text.find(delimiter, position)
        cell, end = (text[position:], len(text)) if end < 0 else (text[position:end], end)
        if text.startswith(_MARK, position):
            quoted = _read_quoted(text, position + 1, delimiter, until_inner_mark=as_text)
            if not as_text and quoted.end < 0:
                return _Cells(cells, True, has_inner_marks or quoted.has_inner_marks)
            if quoted.end >= 0 and not (as_text and quoted.has_inner_marks):
                cell, end = quoted.cell, quoted.end
                has_inner_marks |= quoted.has_inner_marks
        cells.append(cell)
        if end == len(text):
            return _Cells(cells, False, has_inner_marks)
        position = end + 1


def _read_quoted(text: str, begin: int, delimiter: str, *, until_inner_mark: bool = False) -> _Quoted:
    """Read a cell from behind its opening mark. Two marks, or a backslash and a mark, stand for one."""
    pieces: list[str] = []
    position, has_inner_marks = begin, False
    while (mark := text.find(_MARK, position)) >= 0:
        behind = _skip_spaces(text, mark + 1)
        is_closing = behind == len(text) or text.startswith(delimiter, behind)
        is_escaped = mark > begin and text[mark - 1] == "\\"
        if is_escaped and not is_closing:
            pieces.append(text[position : mark - 1] + _MARK)
            position = mark + 1
        elif is_closing:
            return _Quoted("".join([*pieces, text[position:mark]]), behind, has_inner_marks)
        elif text.startswith(_MARK, mark + 1):
            pieces.append(text[position : mark + 1])
            position = mark + 2
        else:
            has_inner_marks = True
            if until_inner_mark:
                break
            pieces.append(text[position : mark + 1])
            position = mark + 1
    return _Quoted("", -1, has_inner_marks)


def _skip_spaces(text: str, position: int) -> int:
    while text.startswith(" ", position):
        position += 1
    return position
