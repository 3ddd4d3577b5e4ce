"""JSON in which whole numbers are written without `.0`, as callers of every language read them (decisions N)."""

import re
from typing import Any, Final

import msgspec

_json = msgspec.json.Encoder().encode
_TOKEN: Final = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")|(-?\d+)\.0(?!\d)')
"""A text, which stays as it is, or a number that ends with `.0`."""
_MAY_END_WHOLE: Final = re.compile(rb"\d\.0(?:[,\]}]|\Z)")
"""What stands wherever a number ends with `.0`; seldom in a text, where going over all tokens would find nothing."""


def encode(value: Any) -> bytes:
    """The JSON of a value; a figure that is a float only because others of its field have decimals is whole in it."""
    written = _json(value)
    return _TOKEN.sub(_whole, written) if b".0" in written and _MAY_END_WHOLE.search(written) else written


def _whole(token: re.Match[bytes]) -> bytes:
    number = token[2]
    return token[1] if number is None else b"0" if number == b"-0" else number
