"""Lines of a byte stream, none longer than a bound."""

from collections.abc import Iterator
from typing import IO

MAX_LINE = 1 << 20
"""Bytes: a longer line is no row."""


class Lines:
    """Iterates over the lines of a stream, with their ends.

    A line over `MAX_LINE` comes as an empty one, with one quotation mark if it held an odd number of them (a
    quoted field may end in it), and `problem` says so until `take_problem`.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._read = stream.readline
        self.problem = ""
        self.number = 0
        """Of the line that was given out last, from 1."""

    def __iter__(self) -> Iterator[bytes]:
        while line := self._read(MAX_LINE + 1):
            self.number += 1
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
