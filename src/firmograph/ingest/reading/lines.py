"""Lines of a byte stream with bounded length."""

import io
import re
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


_LONE_RETURN = re.compile(rb"\r(?!\n)")


class _LineFeeds(io.RawIOBase):
    """Bytes of a stream with line feeds for carriage returns that no line feed follows."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._held = b""
        """Carriage returns at the end of a block, which may belong to a line feed."""
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        while not self._rest:
            block = self._stream.read(1 << 16)
            text = self._held + block
            if not text:
                break
            kept = text.rstrip(b"\r") if block else text
            self._held = text[len(kept) :]
            has_lone = kept.count(b"\r") > kept.count(b"\r\n")
            self._rest = _LONE_RETURN.sub(b"\n", kept) if has_lone else kept
        some = self._rest[: len(buffer)]
        self._rest = self._rest[len(some) :]
        buffer[: len(some)] = some
        return len(some)


def with_line_feeds(stream: IO[bytes]) -> IO[bytes]:
    """Return the text with all lines ended by line feeds, also those that end with a carriage return alone."""
    return io.BufferedReader(_LineFeeds(stream), 1 << 16)
