"""Records as the JSON fragments that are stored, and back again.

A record is written far less often than it is read, and most answers are its stored fields beside an id. So
the answers' inner JSON is made once, on import, and a look-up only joins bytes.
`decode_contact(encode_contact(r)) == r` for every canonical record, and the same for companies.
"""

from functools import lru_cache
from typing import TypeVar

import msgspec

from firmograph.kit.whole_numbers import encode

S = TypeVar("S", bound=msgspec.Struct)


class Has(msgspec.Struct):
    """The last keys of a stored object; its other fields come before them."""

    has: list[str]
    partialProfile: bool | msgspec.UnsetType = msgspec.UNSET


def encode_with_has(fields: msgspec.Struct, has: tuple[str, ...], partial: bool = False) -> bytes:
    """The fields and, after them, what the record has."""
    head = encode(fields)
    tail = _tail(has, partial)
    return tail if head == b"{}" else head[:-1] + b"," + tail[1:]


@lru_cache(maxsize=4096)
def _tail(has: tuple[str, ...], partial: bool) -> bytes:
    return encode(Has(list(has), True if partial else msgspec.UNSET))


def none_if_empty(part: S | None) -> S | None:
    """None for an object without a value: what is absent is left out (docs/reference/requests.md#answers)."""
    return None if part is None or part == type(part)() else part


def bytes_or_none(fragment: bytes) -> bytes | None:
    return None if fragment == b"{}" else fragment


def overlay(record: msgspec.Struct, over: msgspec.Struct) -> None:
    """Set on `record` what `over` says, absent values aside."""
    for field in over.__struct_fields__:
        value = getattr(over, field)
        if value is not None and value != []:
            setattr(record, field, value)
