"""Reading of the open data and writing of the demo files: the same bytes for the same input."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
"""A native record, or the beginnings of one."""


class OpenData:
    """The folder of open data, with a list of files read, for the NOTICE. A missing file is empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.used: set[str] = set()

    def table(self, name: str) -> Iterator[dict[str, str]]:
        if text := self._open(name):
            with text:
                for row in csv.DictReader(text):
                    yield {key: (value or "").strip() for key, value in row.items()}

    def objects(self, name: str) -> Iterator[dict[str, Any]]:
        if text := self._open(name):
            with text:
                for line in text:
                    yield json.loads(line)

    def lines(self, name: str) -> Iterator[str]:
        if text := self._open(name):
            with text:
                yield from text

    def _open(self, name: str) -> io.TextIOBase | None:
        path = self._folder / name
        if not path.exists():
            return None
        self.used.add(name)
        return gzip.open(path, "rt", encoding="utf-8", newline="")  # type: ignore[return-value]


def without_empty(value: Any) -> Any:
    """Return the value without absent parts, which a native record omits."""
    if isinstance(value, dict):
        present = {key: without_empty(part) for key, part in value.items()}
        return {key: part for key, part in present.items() if part not in (None, "", [], {})}
    if isinstance(value, list):
        return [without_empty(part) for part in value]
    return value


def write_rows(path: Path, rows: Iterable[Row], *order: str) -> int:
    """Write compressed JSON Lines without a time, ordered by fields (by default `sourceId`); return the count."""
    ordered = sorted(rows, key=lambda row: [row[field] for field in order or ("sourceId",)])
    lines = [
        json.dumps(without_empty(row), ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
        for row in ordered
    ]
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write("".join(lines).encode())
    return len(lines)
