"""JSON as JavaScript gives it back: `JSON.stringify(JSON.parse(body))` is the body (decisions, row 14).

Receivers make the text again from what they parsed before they check its signature. Of what the encoder writes,
JavaScript would change only these: `5.0` (5), `-0.0` (0), `1e-5` (0.00001), `1e16` (10000000000000000), integers that
it cannot tell from their neighbours, and the place of keys that look like indexes of an array, which it puts first.
Texts come out the same, all of Unicode.
"""

import math
import re
from decimal import Decimal
from typing import Any, Final

import msgspec

MOST_WHOLE: Final = 2**53 - 1
"""The largest integer that JavaScript tells from its neighbours."""

_MOST_INDEX: Final = 2**32 - 2
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")

_encode = msgspec.json.Encoder().encode


def canonical(value: Any) -> bytes:
    """A JSON value (of dicts, lists, texts, numbers, booleans and None) as these bytes, which are UTF-8 and compact.

    Numbers beyond `MOST_WHOLE` become it, as nothing nearer is safe; what is no number becomes null. Raises ValueError
    for texts with half a surrogate pair, which UTF-8 cannot hold.
    """
    return _encode(_unchanged(value))


def _unchanged(value: Any) -> Any:
    """The value as the encoder writes it like JavaScript."""
    if isinstance(value, dict):
        indexes = sorted((key for key in value if _is_index(key)), key=int)
        names = (key for key in value if not _is_index(key)) if indexes else value
        return {key: _unchanged(value[key]) for key in (*indexes, *names)}
    if isinstance(value, list | tuple):
        return [_unchanged(each) for each in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return max(-MOST_WHOLE, min(value, MOST_WHOLE))
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> Any:
    if math.isnan(value) or math.isinf(value):
        return None
    if value.is_integer() or abs(value) > MOST_WHOLE:
        return _unchanged(int(value))
    shown = repr(value)
    if "e" not in shown:
        return value
    # both know the shortest digits, but JavaScript begins with exponents two places later, and pads none of them
    text = shown.replace("e-0", "e-") if abs(value) < 1e-6 else format(Decimal(shown), "f")
    return msgspec.Raw(text.encode())


def _is_index(key: str) -> bool:
    return bool(_INDEX.fullmatch(key)) and int(key) <= _MOST_INDEX
