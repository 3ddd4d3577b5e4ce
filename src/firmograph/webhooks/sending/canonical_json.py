"""Canonical JSON that JavaScript reproduces: `JSON.stringify(JSON.parse(body))` equals the body.

See docs/reference/webhooks.md#payloads.

Some receivers serialise the parsed body again before they check its signature. JavaScript would change only these parts
of the encoder's output: `5.0` (5), `-0.0` (0), `1e-5` (0.00001), `1e16` (10000000000000000), integers beyond its exact
range, and keys that look like array indexes, which it moves to the front. Strings come out unchanged, for all of
Unicode.
"""

import math
import re
from decimal import Decimal
from typing import Any, Final

import msgspec

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""Largest integer that JavaScript represents exactly along with its neighbours."""

_MAX_INDEX: Final = 2**32 - 2
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")

_encode = msgspec.json.Encoder().encode


def canonical_json(value: Any) -> bytes:
    """Encode a JSON value (dicts, lists, strings, numbers, booleans, None) as compact canonical UTF-8.

    Numbers beyond `MAX_SAFE_INTEGER` are clamped to it; NaN and infinities become null. Raises ValueError for strings
    with unpaired surrogates, which UTF-8 cannot represent.
    """
    return _encode(_canonical_value(value))


def _canonical_value(value: Any) -> Any:
    """Return the value that the encoder writes as JavaScript would."""
    if isinstance(value, dict):
        indexes = sorted((key for key in value if _is_index(key)), key=int)
        names = (key for key in value if not _is_index(key)) if indexes else value
        return {key: _canonical_value(value[key]) for key in (*indexes, *names)}
    if isinstance(value, list | tuple):
        return [_canonical_value(each) for each in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return max(-MAX_SAFE_INTEGER, min(value, MAX_SAFE_INTEGER))
    return _canonical_number(value) if isinstance(value, float) else value


def _canonical_number(value: float) -> Any:
    if math.isnan(value) or math.isinf(value):
        return None
    if value.is_integer() or abs(value) > MAX_SAFE_INTEGER:
        return _canonical_value(int(value))
    digits = repr(value)
    if "e" not in digits:
        return value
    # both print the shortest digits, but JavaScript switches to exponents two digits later and does not pad them
    text = digits.replace("e-0", "e-") if abs(value) < 1e-6 else format(Decimal(digits), "f")
    return msgspec.Raw(text.encode())


def _is_index(key: str) -> bool:
    return bool(_INDEX.fullmatch(key)) and int(key) <= _MAX_INDEX
