"""Suppressions in a file, for another machine: JSON Lines of keyed hashes, nothing of the persons themselves.

The first line says of which keys they are hashes, by their fingerprint, and the last number that a contact had, so
that whoever takes them over gives no number of a suppressed person to anybody else.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from firmograph.database.connection import Database
from firmograph.kit.atomic_files import written_aside
from firmograph.kit.errors import Refused
from firmograph.privacy import store
from firmograph.privacy.store import Hash

FORMAT: Final = "firmograph suppressions 1"

_Hex = Annotated[str, msgspec.Meta(pattern=r"^(?:[0-9a-f]{2}){16}\Z")]
_Number = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class _Head(msgspec.Struct, rename="camel"):
    format: str
    keyring: str
    last_contact: _Number
    hashes: _Number
    """How many lines follow."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    digest: _Hex
    person: _Hex
    strong: bool
    at: _Number


class Exported(NamedTuple):
    """What a file holds."""

    last_contact: int
    hashes: list[Hash]


def export(database: Database, keyring: str, path: Path, *, replace: bool) -> int:
    """Write every suppression, as of one moment, to a file of mode 600; how many hashes.

    The file is whole or not there. `keyring` is the fingerprint of the database's keys. Raises Refused when there is
    a file and it may not be replaced, OSError.
    """
    encode = msgspec.json.Encoder().encode
    with written_aside(path, replace=replace) as draft, database.read() as session, draft.open("wb") as file:
        count = store.count(session)
        file.write(encode(_Head(FORMAT, keyring, store.last_contact(session), count)) + b"\n")
        for each in store.every(session):
            line = _Line(each.digest.hex(), each.person.hex(), bool(each.strong), each.at)
            file.write(encode(line) + b"\n")
    return count


def read(path: Path, keyring: str) -> Exported:
    """What a file holds, which must be of the keys of this fingerprint. Raises Refused naming a bad line; OSError."""
    with path.open("rb") as file:
        head = _head(path, file.readline())
        if head.keyring != keyring:
            raise Refused(
                f"{path} holds hashes under other keys than this database's, which mean nothing here; "
                "use the key file of the machine that it comes from"
            )
        hashes = list(_hashes(path, file))
    if len(hashes) != head.hashes:
        raise Refused(
            f"{path} has {len(hashes):,} hashes, not {head.hashes:,} as it says; nothing was changed"
        )
    return Exported(head.last_contact, hashes)


def _head(path: Path, line: bytes) -> _Head:
    try:
        head = msgspec.json.decode(line, type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        head = None
    if head is None or head.format != FORMAT:
        raise Refused(f"{path} is not a file of suppressions that this release can read")
    return head


def _hashes(path: Path, lines: Iterable[bytes]) -> Iterator[Hash]:
    decode = msgspec.json.Decoder(_Line).decode
    for number, line in enumerate(lines, 2):
        try:
            each = decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            reason = re.sub(r" - at `\$\.?(\w*)`$", r" (\1)", str(error))
            raise Refused(f"{path}, line {number}: {reason}; nothing was changed") from error
        yield Hash(bytes.fromhex(each.digest), bytes.fromhex(each.person), int(each.strong), each.at)
