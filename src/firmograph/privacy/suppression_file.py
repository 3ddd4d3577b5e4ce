"""Suppression file for another installation: JSON Lines of keyed hashes, without personal data.

The first line holds the fingerprint of the hash key and the last contact number, so that an importing installation
never assigns the number of a suppressed person to another contact.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from firmograph.database.connection import Database
from firmograph.kit.atomic_files import atomic_write
from firmograph.kit.errors import Refused
from firmograph.privacy import store
from firmograph.privacy.store import SuppressedKey

FORMAT: Final = "firmograph suppressions 1"

_Hex = Annotated[str, msgspec.Meta(pattern=r"^(?:[0-9a-f]{2}){16}\Z")]
_Number = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class _Header(msgspec.Struct, rename="camel"):
    format: str
    keyring: str
    last_contact: _Number
    hashes: _Number
    """Number of following lines."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    digest: _Hex
    person: _Hex
    strong: bool
    at: _Number


class ExportedSuppressions(NamedTuple):
    """Content of a suppression file."""

    last_contact: int
    hashes: list[SuppressedKey]


def export_suppressions(database: Database, keyring: str, path: Path, *, replace: bool) -> int:
    """Write all suppressions, from one snapshot, to a file of mode 600 and return the number of hashes.

    The file is created atomically. `keyring` is the fingerprint of the database's keys. Raises Refused if the file
    exists and may not be replaced, and OSError.
    """
    encode = msgspec.json.Encoder().encode
    with atomic_write(path, replace=replace) as draft, database.read() as session, draft.open("wb") as file:
        count = store.count_keys(session)
        file.write(encode(_Header(FORMAT, keyring, store.select_last_contact(session), count)) + b"\n")
        for each in store.select_all(session):
            line = _Line(each.digest.hex(), each.person.hex(), bool(each.strong), each.at)
            file.write(encode(line) + b"\n")
    return count


def read_suppressions(path: Path, keyring: str) -> ExportedSuppressions:
    """Read a file written under the keys of this fingerprint. Raises Refused naming an invalid line, and OSError."""
    with path.open("rb") as file:
        head = _decode_header(path, file.readline())
        if head.keyring != keyring:
            raise Refused(
                f"{path} was written under other keys than this database's; "
                "use the key file of the installation that exported it"
            )
        hashes = list(_decode_hashes(path, file))
    if len(hashes) != head.hashes:
        raise Refused(
            f"{path} contains {len(hashes):,} hashes instead of {head.hashes:,}; nothing was changed"
        )
    return ExportedSuppressions(head.last_contact, hashes)


def _decode_header(path: Path, line: bytes) -> _Header:
    try:
        head = msgspec.json.decode(line, type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        head = None
    if head is None or head.format != FORMAT:
        raise Refused(f"{path} is not a suppression file that this release can read")
    return head


def _decode_hashes(path: Path, lines: Iterable[bytes]) -> Iterator[SuppressedKey]:
    decode = msgspec.json.Decoder(_Line).decode
    for number, line in enumerate(lines, 2):
        try:
            each = decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            reason = re.sub(r" - at `\$\.?(\w*)`$", r" (\1)", str(error))
            raise Refused(f"{path}, line {number}: {reason}; nothing was changed") from error
        yield SuppressedKey(bytes.fromhex(each.digest), bytes.fromhex(each.person), int(each.strong), each.at)
