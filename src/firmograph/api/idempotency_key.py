"""`Idempotency-Key` of a call, with the digest of what it is valid for."""

import hashlib
from typing import Any

import msgspec

from firmograph.caller import CallKey

_encode_sorted = msgspec.json.Encoder(order="sorted").encode


def call_key(target: str, key: str, query: bytes, body: bytes) -> CallKey:
    """Return the key of a call; the order of its query counts, the spelling of its body does not."""
    comparable = comparable_body(body) if body else b""
    return CallKey(target, key, hashlib.sha256(b"%s\n%s" % (query, comparable)).digest())


def comparable_body(raw: bytes) -> bytes:
    """Return one form of all JSON bodies that decode to the same value, with null properties left out."""
    return _encode_sorted(_without_nulls(msgspec.json.decode(raw)))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
