"""Files as rows: JSON Lines, CSV and Parquet, plain or gzipped, read in bounded memory.

What a file is shows in its first bytes where they are decisive (gzip, Parquet), else in its name's ending,
else in its first character. A row that cannot be read is given out with a problem in place of a value, and
reading goes on behind it.
"""

import csv
import gzip
import io
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from firmograph.ingest.csv_rows import csv_table
from firmograph.ingest.lines import Lines
from firmograph.ingest.parquet_rows import ParquetTable
from firmograph.kit.errors import Refused


class RawRow(NamedTuple):
    line: int
    """Where the record starts in its file, from 1; in Parquet the number of the row."""
    value: bytes | list[object] | None
    """A line of JSON, or the cells of a table's row in the order of its columns."""
    problem: str = ""
    """Why there is no value."""


_BOM = b"\xef\xbb\xbf"
_NOT_READ = {
    b"PK\x03\x04": "is a ZIP archive or a spreadsheet; save it as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it, or compress it with gzip",
    b"BZh": "is compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ": "is compressed with xz; unpack it, or compress it with gzip",
    b"\xff\xfe": "is in UTF-16; save it as UTF-8",
    b"\xfe\xff": "is in UTF-16; save it as UTF-8",
}
_GZIP_DAMAGES = EOFError, gzip.BadGzipFile, zlib.error
_JSON_ENDINGS = {".jsonl", ".ndjson", ".jsonlines", ".ldjson"}
_TABLE_ENDINGS = {".csv", ".tsv", ".tab", ".psv"}


class RowFile:
    """An open file of rows. Iterate once; close it, or use it in a `with` block."""

    columns: list[str] | None = None
    """The header of a table; None for JSON Lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._raw = _opened(path)
        try:
            self.bytes_total = path.stat().st_size
            self._rows = self._open()
        except _GZIP_DAMAGES as error:
            self._raw.close()
            raise Refused(f"{path} is damaged: {_gzip_reason(error)}") from error
        except BaseException:
            self._raw.close()
            raise

    def __enter__(self) -> "RowFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def bytes_read(self) -> int:
        """How much of the file as it is stored has been read."""
        return self._raw.tell()

    def __iter__(self) -> Iterator[RawRow]:
        line = 0
        try:
            for row in self._rows:
                line = row.line
                yield row
        except _GZIP_DAMAGES as error:
            raise Refused(f"{self.path} is damaged behind line {line}: {_gzip_reason(error)}") from error

    def _open(self) -> Iterator[RawRow]:
        stream: IO[bytes] = self._raw
        zipped = self._raw.peek(2).startswith(b"\x1f\x8b")
        if zipped:
            stream = io.BufferedReader(gzip.GzipFile(fileobj=self._raw), 1 << 16)
        head: bytes = stream.peek(512)  # type: ignore[attr-defined]
        for magic, what in _NOT_READ.items():
            if head.startswith(magic):
                raise Refused(f"{self.path} {what}")
        if head.startswith(b"PAR1"):
            return self._parquet(_unpacked(stream) if zipped else self._raw)
        if head.startswith(_BOM):
            stream.read(len(_BOM))
        if self._is_json(head.removeprefix(_BOM).lstrip()):
            return self._json_lines(Lines(stream))
        return self._csv(Lines(stream))

    def _is_json(self, head: bytes) -> bool:
        ending = self._ending()
        if ending in _JSON_ENDINGS or ending in _TABLE_ENDINGS:
            return ending in _JSON_ENDINGS
        if head.startswith(b"["):
            raise Refused(f"{self.path} is one JSON list; write it as JSON Lines, one object a line")
        if b"\x00" in head:
            raise Refused(f"{self.path} is none of JSON Lines, CSV and Parquet")
        return ending == ".json" or head.startswith(b"{")

    def _ending(self) -> str:
        name = self.path.name.lower()
        return Path(name.removesuffix(".gz")).suffix

    def _json_lines(self, lines: Lines) -> Iterator[RawRow]:
        for number, line in enumerate(lines, 1):
            if lines.problem:
                yield RawRow(number, None, lines.take_problem())
            elif not line.isspace():
                yield RawRow(number, line)

    def _csv(self, lines: Lines) -> Iterator[RawRow]:
        try:
            table = csv_table(lines)
        except csv.Error as error:
            raise Refused(f"{self.path} has no header that could be read; save it as CSV in UTF-8") from error
        self.columns = table.columns
        return (RawRow(*row) for row in table.rows)

    def _parquet(self, file: IO[bytes]) -> Iterator[RawRow]:
        table = ParquetTable(file, self.path)
        self.columns = table.columns
        return (RawRow(number, row) for number, row in enumerate(table, 1))


def open_rows(path: Path) -> RowFile:
    """Open a file of rows. Raises Refused, with what to do, when it is missing or of no readable kind."""
    return RowFile(path)


def _opened(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise Refused(f"{path} does not exist; check the path") from None
    except IsADirectoryError:
        raise Refused(f"{path} is a directory; name the files in it") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None


def _unpacked(stream: IO[bytes]) -> IO[bytes]:
    """Parquet is read from its end, so a gzipped one is unpacked to a nameless file first."""
    import shutil

    unpacked = tempfile.TemporaryFile()  # noqa: SIM115 - the reader closes it by letting it go
    shutil.copyfileobj(stream, unpacked)
    unpacked.seek(0)
    return unpacked


def _gzip_reason(error: Exception) -> str:
    return "it ends too early" if isinstance(error, EOFError) else "its gzip data are broken"
