"""File of rejected rows: JSON Lines of `line`, `reason` and `sourceId`.

It contains no other value of a row, so that it can be passed on. For a suppressed row it contains only the line
(docs/reference/records.md#suppression).
"""

import os
from pathlib import Path
from types import TracebackType
from typing import IO

import msgspec

from firmograph.ingest.records.prepared_rows import Reject
from firmograph.kit.errors import Refused


class _RejectLine(msgspec.Struct, omit_defaults=True, rename="camel"):
    line: int
    reason: str
    source_id: str = ""
    file: str = ""


def default_rejects_path(path: Path) -> Path:
    """Return the default path for the rejects of a file."""
    return path.with_name(path.name + ".rejects.jsonl")


class RejectsFile:
    """Writer of one import's rejects.

    Deletes the file of an earlier import on entering and creates a new one at the first reject.
    """

    def __init__(self, path: Path, *, with_file_names: bool = False) -> None:
        self.path = path
        self.written = 0
        self._tell_file = with_file_names
        self._file: IO[bytes] | None = None

    def __enter__(self) -> "RejectsFile":
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._refused(error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._file:
                self._file.close()
        except OSError as error:
            # closing flushes the buffer; an exception already raised takes precedence
            if kind is None:
                raise self._refused(error) from None

    def add(self, reject: Reject, file: str) -> None:
        try:
            if self._file is None:
                self._file = open(self.path, "wb", opener=_open_private)  # noqa: SIM115 - closed on leaving
            line = _RejectLine(reject.line, reject.reason, reject.source_id, file if self._tell_file else "")
            self._file.write(msgspec.json.encode(line) + b"\n")
        except OSError as error:
            raise self._refused(error) from None
        self.written += 1

    def _refused(self, error: OSError) -> Refused:
        return Refused(
            f"The rejects file {self.path} cannot be written: {error.strerror}; choose another with --rejects"
        )


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class NoRejectsFile(RejectsFile):
    """Writer that writes nothing and keeps an earlier import's file."""

    def __enter__(self) -> "NoRejectsFile":
        return self

    def add(self, reject: Reject, file: str) -> None:
        pass
