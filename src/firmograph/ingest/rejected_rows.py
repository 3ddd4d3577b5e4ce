"""File of rejected rows with their values, in the form of their source, to mend and import again.

A table is CSV with the source's header and delimiter and a first column with the reason; JSON is JSON Lines with the
reason as a first key. It holds personal data, unlike the rejects file (`rejects.py`).
"""

import csv
import io
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import msgspec

from firmograph.ingest.reading.unknown_keys import REJECT_REASON
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.kit.atomic_files import private_folder
from firmograph.kit.errors import Refused

_encode = msgspec.json.encode
_decode_cells = msgspec.json.Decoder(list[str]).decode
_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class RejectedRowsFile:
    """Writer of rejected rows. The file appears when the import has ended, if there is a row."""

    def __init__(self, path: Path, header: list[str] | None, delimiter: str) -> None:
        """Take the columns and delimiter of a table; no columns for JSON."""
        self.path = path
        self._header = header
        self._has_reason = header is not None and header[:1] == [REJECT_REASON]
        self._delimiter = delimiter or ","
        self.written = 0
        self.without_values = 0
        """Rejected rows that could not be taken apart, such as lines that are too long."""
        self._file: IO[bytes] | None = None
        self._draft = Path()
        self._stack = ExitStack()

    def __enter__(self) -> "RejectedRowsFile":
        """Raise Refused if the file exists, as somebody may be mending it, or cannot be written."""
        if self.path.exists():
            raise Refused(f"{self.path} exists already; choose another name with --rejects-with-values")
        try:
            self._draft = self._stack.enter_context(private_folder(self.path)) / "rows"
        except OSError as error:
            raise self._refused(error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            try:
                if self._file:
                    self._file.close()
                    if kind is None:
                        self._draft.rename(self.path)
            except OSError as error:
                if kind is None:
                    raise self._refused(error) from None

    def add(self, reject: Reject) -> None:
        if not reject.is_lost:
            return
        if not reject.row:
            self.without_values += 1
            return
        try:
            if self._file is None:
                self._file = open(self._draft, "wb", opener=_open_private)  # noqa: SIM115 - closed on leaving
                if self._header is not None:
                    self._file.write(self._table_line(REJECT_REASON, self._header))
            if self._header is None:
                self._file.write(_object_line(reject))
            else:
                self._file.write(self._table_line(reject.reason, _decode_cells(reject.row)))
        except OSError as error:
            raise self._refused(error) from None
        self.written += 1

    def _table_line(self, reason: str, cells: Sequence[str]) -> bytes:
        line = io.StringIO(newline="")
        own = cells[1:] if self._has_reason else cells
        csv.writer(line, delimiter=self._delimiter).writerow([reason, *own])
        return line.getvalue().encode(errors="replace")

    def _refused(self, error: OSError) -> Refused:
        return Refused(
            f"{self.path} cannot be written: {error.strerror}; choose another with --rejects-with-values"
        )


def _object_line(reject: Reject) -> bytes:
    """Return an object with its reason in one line; a line that is no object stays as it is."""
    try:
        found: dict[str, Any] = _decode_object(reject.row)
        found.pop(REJECT_REASON, None)
        return msgspec.json.format(_encode({REJECT_REASON: reject.reason, **found}), indent=-1) + b"\n"
    except (ValueError, RecursionError):
        return reject.row.rstrip(b"\r\n") + b"\n"


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
