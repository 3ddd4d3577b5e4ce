"""Stored rows as JSON values, for people to read."""

import gzip
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from firmograph.kit.clock import iso

_LAST_TIME: Final = datetime.max.replace(tzinfo=UTC).timestamp()
"""Queues use later ones for what is not due any more."""


def readable_row(row: Mapping[str, Any]) -> dict[str, object]:
    """Return the values of a row that are not empty, by their names in camel case; times that never come are empty.

    Packed or stored JSON is decoded; times become ISO 8601 texts, other bytes hexadecimal digits.
    """
    return {
        camel(name): iso(value) if _is_time(name, value) else readable(value)
        for name, value in row.items()
        if value is not None and not (_is_time(name, value) and value > _LAST_TIME)
    }


def readable(value: object) -> object:
    """Return a stored value as a JSON value."""
    if not isinstance(value, bytes):
        return value
    content = _unpacked(value)
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content.hex()
    return text if text.isprintable() else content.hex()


def camel(name: str) -> str:
    """Return the name of a column in camel case."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _is_time(name: str, value: object) -> bool:
    return isinstance(value, float) and (name == "at" or name.endswith("_at"))


def _unpacked(content: bytes) -> bytes:
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            return unpack(content)
        except (OSError, zlib.error, EOFError):
            continue
    return content
