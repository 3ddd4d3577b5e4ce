"""Lines of a byte stream with bounded length."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import IO

MAX_LINE = 1 << 20
"""Bytes of the longest line that can be a row."""


class Lines:
    """Iterator over a stream's lines with their line ends, without byte order marks, which joined files have inside.

    A line over `MAX_LINE` is replaced by an empty one and sets `problem` until `take_problem` is called. The
    replacement has a quotation mark if the line had an odd number of them, because a quoted field may end in it.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._read = stream.readline
        self.problem = ""
        self.number = 0
        """Number of the last line yielded, from 1."""

    def __iter__(self) -> Iterator[bytes]:
        while line := self._read(MAX_LINE + 1):
            self.number += 1
            line = line.removeprefix(BOM_UTF8)
            if len(line) > MAX_LINE and not line.endswith(b"\n"):
                line = self._skip(line)
            yield line

    def take_problem(self) -> str:
        problem, self.problem = self.problem, ""
        return problem

    def _skip(self, line: bytes) -> bytes:
        self.problem = f"the line is longer than {MAX_LINE:,} bytes"
        quotes = line.count(b'"')
        while line and not line.endswith(b"\n"):
            line = self._read(MAX_LINE)
            quotes += line.count(b'"')
        return b'"\n' if quotes % 2 else b"\n"
