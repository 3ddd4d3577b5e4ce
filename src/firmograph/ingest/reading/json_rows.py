"""A line of JSON as an object, where one bad value must not cost the others."""

import json
import math
import re
from typing import Any

import msgspec

from firmograph.ingest.reading.unreadable import UNREADABLE, is_text

_DEEPEST = 100
"""How far objects and lists may lie in each other; no field needs more than six."""
_LONGEST_NUMBER = 300
"""Digits: a longer one is beyond the largest float."""
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]')
_TOO_DEEP = b"Infinity"
"""JSON for what is cut away; it is read as any other number that cannot be held."""


def loaded(line: bytes) -> Any:
    """The value of a line. What cannot be held inside of it is `UNREADABLE`, NaN is null.

    Raises ValueError as `msgspec` words it, or RecursionError, when the line is not JSON.
    """
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        try:
            return _mended(_shallow(line))
        except (ValueError, RecursionError):
            raise error from None


def _mended(line: bytes) -> Any:
    text = line.decode(errors="surrogateescape")
    found = json.loads(text, strict=False, parse_constant=_constant, parse_float=_float, parse_int=_int)
    return _readable(found)


def _constant(name: str) -> object:
    return None if name == "NaN" else UNREADABLE


def _float(text: str) -> object:
    value = float(text)
    return value if math.isfinite(value) else UNREADABLE


def _int(text: str) -> object:
    return int(text) if len(text) <= _LONGEST_NUMBER else UNREADABLE


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return value if is_text(value) else UNREADABLE
    if isinstance(value, dict):
        return {key: _readable(inner) for key, inner in value.items() if is_text(key)}
    if isinstance(value, list):
        return [_readable(inner) for inner in value]
    return value


def _shallow(line: bytes) -> bytes:
    """The line without what lies deeper than `_DEEPEST`."""
    kept, depth, start = [], 0, 0
    for found in _NESTING.finditer(line):
        if found[0] in b"[{":
            depth += 1
            if depth == _DEEPEST + 1:
                kept += [line[start : found.start()], _TOO_DEEP]
        elif found[0] in b"]}":
            if depth == _DEEPEST + 1:
                start = found.end()
            depth -= 1
    return b"".join([*kept, line[start:]])
