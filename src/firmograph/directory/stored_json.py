"""Encoding of records as stored JSON parts.

A record is read far more often than it is written, and most responses are its stored fields with an id. So an import
creates the inner JSON of responses once, and a look-up only joins bytes. `decode_contact(encode_contact(r)) == r` for
every canonical record, and the same for companies.
"""

from functools import lru_cache
from typing import TypeVar

import msgspec

from firmograph.kit.whole_numbers import encode

S = TypeVar("S", bound=msgspec.Struct)


class Has(msgspec.Struct):
    """Last keys of a stored object, after its other fields."""

    has: list[str]
    partialProfile: bool | msgspec.UnsetType = msgspec.UNSET


def encode_with_has(fields: msgspec.Struct, has: tuple[str, ...], partial: bool = False) -> bytes:
    """Encode the fields, followed by the record's data points."""
    head = encode(fields)
    tail = _tail(has, partial)
    return tail if head == b"{}" else head[:-1] + b"," + tail[1:]


@lru_cache(maxsize=4096)
def _tail(has: tuple[str, ...], partial: bool) -> bytes:
    return encode(Has(list(has), True if partial else msgspec.UNSET))


def none_if_empty(part: S | None) -> S | None:
    """Return None for an object without values, so that JSON omits it (docs/reference/requests.md#answers)."""
    return None if part is None or part == type(part)() else part


def bytes_or_none(part: bytes) -> bytes | None:
    return None if part == b"{}" else part


def overlay(record: msgspec.Struct, over: msgspec.Struct) -> None:
    """Copy the present values of `over` to `record`."""
    for field in over.__struct_fields__:
        value = getattr(over, field)
        if value is not None and value != []:
            setattr(record, field, value)
