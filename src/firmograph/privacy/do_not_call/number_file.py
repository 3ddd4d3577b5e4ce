"""Lists of telephone numbers: a number a line, or CSV with a column `phone`."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmograph.directory.normalise.phones import normalise_phone
from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import refuse_machine_errors

_COLUMN: Final = "phone"
_NOTHING_DONE: Final = "nothing was changed"


def read_number(text: str, country: str) -> str:
    """Return a number as E.164. Raises Refused for what is none."""
    number = normalise_phone(text, country or None)
    if number is None:
        raise Refused(
            "it is no telephone number; write it with its country code, such as +1 202 555 0101, or give --country"
        )
    return number[0]


def read_number_file(path: Path, country: str) -> Iterator[str]:
    """Yield the numbers of a list as E.164. Raises Refused naming the first line that has none.

    `country` is the ISO 3166-1 code by which numbers without a country code are read, or empty.
    """
    found = False
    try:
        with (
            refuse_machine_errors(f"{path} cannot be read"),
            path.open(encoding="utf-8-sig", newline="") as file,
        ):
            for line, text in _texts(csv.reader(file)):
                found = True
                yield _read_line(path, line, text, country)
    except (UnicodeDecodeError, csv.Error):
        raise Refused(
            f"{path} is no list of numbers: it needs a number a line, or CSV with a column {_COLUMN}, in UTF-8;"
            f" {_NOTHING_DONE}"
        ) from None
    if not found:
        raise Refused(f"{path} has no numbers; {_NOTHING_DONE}")


def _read_line(path: Path, line: int, text: str, country: str) -> str:
    try:
        return read_number(text, country)
    except Refused as refusal:
        raise Refused(f"{path}, line {line}: {refusal.message}; {_NOTHING_DONE}") from None


def _texts(rows: Iterator[list[str]]) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each number; blank lines are skipped."""
    column: int | None = None
    for line, row in enumerate(rows, 1):
        if not any(row):
            continue
        if column is None:
            names = [name.strip().lower() for name in row]
            column = names.index(_COLUMN) if _COLUMN in names else 0
            if _COLUMN in names:
                continue
            if len(row) > 1:
                raise csv.Error
        yield line, row[column] if column < len(row) else ""
