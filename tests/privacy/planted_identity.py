"""Identity of the planted person, and the search for it in any content."""

import io
import re
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

import pyarrow

from firmograph.security.record_ids import Entity, RecordIds
from record_factory import KEYRING

MARK: Final = "zqxv"
"""Part of every text of the person: name, addresses, LinkedIn page and everything said."""


class PlantedIdentity(NamedTuple):
    """Identifiers of the person, for the fillings of packages."""

    mark: str
    email: str
    page: str
    """LinkedIn URL."""
    phone: str
    """Digits without the country code."""
    number: int
    """Record number, which no other number equals; the engine holds an array of this length."""

    @property
    def id(self) -> str:
        return RecordIds(KEYRING).seal(Entity.CONTACT, self.number)

    @property
    def name(self) -> str:
        return f"{self.mark.title()}first {self.mark.title()}last"


PERSON: Final = PlantedIdentity(
    MARK,
    f"{MARK}mail@people.example.com",
    f"https://www.linkedin.com/in/{MARK}-page",
    "2025550187",
    7_390_477,
)
_SPELLINGS: Final = tuple(
    text.encode(encoding) for text in (MARK, PERSON.phone) for encoding in ("utf-8", "utf-16-le", "utf-16-be")
)
_PACKED: Final = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08|\x28\xb5\x2f\xfd")
"""Beginnings of zlib, gzip and zstd streams. MessagePack stores texts as they are."""
_ZSTD: Final = b"\x28"
_MOST: Final = 1 << 24


def contains_person(content: bytes) -> bool:
    """Return whether content, or a stream packed in it, has a text of the person, in any letter case."""
    return any(spelling in layer for layer in _layers(content) for spelling in _SPELLINGS)


def _layers(content: bytes) -> Iterator[bytes]:
    """Yield content in lower case, and every stream within it unpacked as far as it goes."""
    yield content.lower()
    for found in _PACKED.finditer(content):
        unpacked = _unpacked(content[found.start() : found.start() + _MOST])
        if unpacked:
            yield from _layers(unpacked)


def _unpacked(content: bytes) -> bytes:
    if content.startswith(_ZSTD):
        try:
            return pyarrow.CompressedInputStream(io.BytesIO(content), "zstd").read(_MOST)
        except OSError:
            return b""
    try:
        # either header, and whatever follows the stream
        return zlib.decompressobj(32 + zlib.MAX_WBITS).decompress(content, _MOST)
    except zlib.error:
        return b""
