"""JSON encoding that writes integral floats without `.0`, as clients in every language expect.

See docs/reference/requests.md#answers.
"""

import re
from typing import Any, Final

import msgspec

_json = msgspec.json.Encoder().encode
_TOKEN: Final = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")|(-?\d+)\.0(?!\d)')
"""String, which stays unchanged, or number that ends with `.0`."""
_MAY_END_WHOLE: Final = re.compile(rb"\d\.0(?:[,\]}]|\Z)")
"""Found wherever a number ends with `.0`, and seldom elsewhere: most texts with `.0` need no pass over all tokens."""


def encode(value: Any) -> bytes:
    """Encode a value as JSON, with floats of integral value written as integers."""
    encoded = _json(value)
    return _TOKEN.sub(_whole, encoded) if b".0" in encoded and _MAY_END_WHOLE.search(encoded) else encoded


def _whole(token: re.Match[bytes]) -> bytes:
    number = token[2]
    return token[1] if number is None else b"0" if number == b"-0" else number
