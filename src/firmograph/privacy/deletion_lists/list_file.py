"""Files of deletion lists: CSV with `ID,Hash`, or a ZIP with one for each kind of identifier."""

import base64
import binascii
import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple

from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import refuse_machine_errors

_WITHDRAWN: Final = re.compile("removed|withdrawn")
_LISTED: Final = re.compile("e-?mail|phone")
_OTHERS: Final = re.compile(r"(?:^|[^a-z])(?:ndz|maid|namevin|vin|ctvid)(?:[^a-z]|$)")
"""Kinds of identifiers that no record has: dates of birth, devices, vehicles."""
_HASH: Final = re.compile(r"hash|sha-?_?256")
_HEX_LENGTH: Final = 64
_SHA256: Final = 32
"""Bytes of a hash."""
_NOTHING_DONE: Final = "nothing was changed"


class ListedHash(NamedTuple):
    """Line of a list."""

    id: str
    """Empty in a list without ids."""
    sha256: bytes


class DeletionList(NamedTuple):
    """One list of a file."""

    name: str
    is_withdrawn: bool
    """Whether its identifiers are lifted."""
    is_read: bool
    """Whether its kind of identifier can be matched."""
    rows: Callable[[], Iterator[ListedHash]]
    """Reads it; raises Refused naming the first line that has no hash."""


def open_lists(path: Path) -> list[DeletionList]:
    """Return the lists of a file. Raises Refused for one that is neither CSV nor a ZIP of CSV files."""
    with refuse_machine_errors(f"{path} cannot be read"):
        if not zipfile.is_zipfile(path):
            return [_list(str(path), path.name, lambda: path.open("rb"))]
        try:
            with zipfile.ZipFile(path) as archive:
                names = [each for each in archive.namelist() if each.lower().endswith(".csv")]
        except zipfile.BadZipFile:
            raise Refused(f"{path} is a damaged ZIP; {_NOTHING_DONE}") from None
    if not names:
        raise Refused(f"{path} has no CSV file; {_NOTHING_DONE}")
    return [_list(f"{path}, {name}", name, _member(path, name), zipped=True) for name in names]


def _member(path: Path, name: str) -> "Callable[[], IO[bytes]]":
    return lambda: zipfile.ZipFile(path).open(name)


def _list(title: str, name: str, opened: "Callable[[], IO[bytes]]", *, zipped: bool = False) -> DeletionList:
    plain = Path(name).name.lower()
    is_withdrawn = bool(_WITHDRAWN.search(plain))
    is_read = is_withdrawn or bool(_LISTED.search(plain)) or not (zipped or _OTHERS.search(plain))
    return DeletionList(title, is_withdrawn, is_read, lambda: _rows(title, opened))


def _rows(title: str, opened: "Callable[[], IO[bytes]]") -> Iterator[ListedHash]:
    with _refusing(title), opened() as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text)
        id_at, hash_at = None, 0
        for line, row in enumerate(reader, 1):
            if not row:
                continue
            if line == 1 and (places := _header(row)) is not None:
                id_at, hash_at = places
                continue
            found = _decode(row[hash_at]) if hash_at < len(row) else None
            if found is None:
                raise Refused(
                    f"{title}, line {line}: it has no SHA-256 as Base64 or hex in a column Hash; {_NOTHING_DONE}"
                )
            yield ListedHash(row[id_at] if id_at is not None and id_at < len(row) else "", found)


@contextmanager
def _refusing(title: str) -> Iterator[None]:
    """Refuse what is no text, or a ZIP that is damaged or encrypted."""
    try:
        with refuse_machine_errors(f"{title} cannot be read"):
            yield
    except (UnicodeDecodeError, csv.Error, zipfile.BadZipFile, RuntimeError):
        raise Refused(f"{title} is no CSV in UTF-8 with a column Hash; {_NOTHING_DONE}") from None


def _header(row: list[str]) -> tuple[int | None, int] | None:
    """Return the columns of ids and hashes, None if the row has a hash itself."""
    if len(row) == 1 and _decode(row[0]) is not None:
        return None
    names = [name.strip().lower() for name in row]
    hash_at = next((at for at, name in enumerate(names) if _HASH.search(name)), None)
    if hash_at is None:
        return None
    return names.index("id") if "id" in names else None, hash_at


def _decode(text: str) -> bytes | None:
    """Return a hash, None for what is none."""
    try:
        if len(text) == _HEX_LENGTH:
            return bytes.fromhex(text)
        found = base64.b64decode(text.strip(), validate=True)
    except (ValueError, binascii.Error):
        return _decode(text.strip()) if text != text.strip() else None
    return found if len(found) == _SHA256 else None
