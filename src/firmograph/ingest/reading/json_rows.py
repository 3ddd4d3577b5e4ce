"""Lenient decoding of JSON Lines, with bad values marked."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from firmograph.ingest.reading.unreadable_value import UNREADABLE, is_text

_MAX_DEPTH = 100
"""Nesting depth; no field needs more than six."""
_MAX_DIGITS = 300
"""Digits of a number; longer ones exceed the largest float."""
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]')
_TOO_DEEP = b"Infinity"
"""Replacement of parts cut away, which decodes as an unreadable number."""


def load_json_line(line: bytes) -> Any:
    """Return the value of a line. Unreadable values in it are `UNREADABLE`, NaN is None.

    Raises `msgspec`'s ValueError, or RecursionError, when the line is not JSON.
    """
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        try:
            return _load_leniently(_cut_nesting(line))
        except (ValueError, RecursionError):
            raise error from None


def value_paths(value: Any, whole: Iterable[str] = (), path: str = "") -> Iterator[str]:
    """Yield the paths of an object's values; objects named in `whole` count as one value."""
    if isinstance(value, dict) and value and path not in whole:
        for name, inner in value.items():
            yield from value_paths(inner, whole, f"{path}.{name}" if path else str(name))
    elif path:
        yield path


def _load_leniently(line: bytes) -> Any:
    text = line.decode(errors="surrogateescape")
    found = json.loads(
        text, strict=False, parse_constant=_read_constant, parse_float=_read_float, parse_int=_read_int
    )
    return _mark_unreadable(found)


def _read_constant(name: str) -> object:
    return None if name == "NaN" else UNREADABLE


def _read_float(text: str) -> object:
    value = float(text)
    return value if math.isfinite(value) else UNREADABLE


def _read_int(text: str) -> object:
    return int(text) if len(text) <= _MAX_DIGITS else UNREADABLE


def _mark_unreadable(value: Any) -> Any:
    if isinstance(value, str):
        return value if is_text(value) else UNREADABLE
    if isinstance(value, dict):
        return {key: _mark_unreadable(inner) for key, inner in value.items() if is_text(key)}
    if isinstance(value, list):
        return [_mark_unreadable(inner) for inner in value]
    return value


def _cut_nesting(line: bytes) -> bytes:
    """Return the line without parts nested deeper than `_MAX_DEPTH`."""
    pieces, depth, start = [], 0, 0
    for found in _NESTING.finditer(line):
        if found[0] in b"[{":
            depth += 1
            if depth == _MAX_DEPTH + 1:
                pieces += [line[start : found.start()], _TOO_DEEP]
        elif found[0] in b"]}":
            if depth == _MAX_DEPTH + 1:
                start = found.end()
            depth -= 1
    return b"".join([*pieces, line[start:]])
