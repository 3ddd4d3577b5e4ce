"""Sample of a text whose encoding is not known yet."""

import re
from collections import Counter
from typing import IO, NamedTuple

_MAX_LINE = 10_000
"""Bytes of a line that are looked at in one piece."""
_COUNTED_BYTES = 256 << 10
"""Bytes of lines beyond ASCII that are tried as UTF-8."""
_UNITS_EACH = 6
"""Units kept for each value of a byte, so that bytes that occur late or seldom are in the sample."""
_SIGHTINGS_EACH = 500
"""Units looked at for each value of a byte, most of which may be the same."""
_MAX_UNIT = 80
_ASCII_BEFORE = 16
_ASCII = bytes(range(128))
_SEPARATORS = bytes(
    byte for byte in range(128) if not (chr(byte).isdigit() or chr(byte) >= "@") or byte == 127
)
"""Bytes that are never part of a character of several bytes."""
_APART = bytes.maketrans(_SEPARATORS, b" " * len(_SEPARATORS))
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"0" * 9)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class ByteSample(NamedTuple):
    units: list[bytes]
    """Distinct words, numbers and names between separators, with bytes beyond ASCII."""
    utf_8_share: float
    """Share of lines that are UTF-8, of those beyond ASCII at the beginning."""


def read_sample(stream: IO[bytes]) -> ByteSample:
    """Return a sample of a whole text; its size does not depend on the text's."""
    units: dict[bytes, bytes] = {}
    counts: Counter[int] = Counter()
    sightings: Counter[int] = Counter()
    settled = _ASCII
    lines = valid = size = 0
    while line := stream.readline(_MAX_LINE):
        if line.isascii():
            continue
        if size < _COUNTED_BYTES:
            size += len(line)
            # some lines end with a carriage return alone
            parts = [part for part in line.splitlines() if not part.isascii()]
            lines += len(parts)
            valid += sum(map(_is_utf_8, parts))
        if not line.translate(None, settled):
            continue
        for unit in _units(line):
            values = set(unit.translate(None, settled))
            sightings.update(values)
            # other digits next to the same sign prove nothing more
            if values and (key := unit.translate(_DIGITS_ALIKE)) not in units:
                units[key] = unit
                counts.update(values)
        settled = _ASCII + bytes(
            value
            for value, count in sightings.items()
            if counts[value] >= _UNITS_EACH or count >= _SIGHTINGS_EACH
        )
    return ByteSample(list(units.values()), valid / max(lines, 1))


def _units(line: bytes) -> list[bytes]:
    return [_shorten(unit) for unit in line.translate(_APART).split(b" ") if not unit.isascii()]


def _shorten(unit: bytes) -> bytes:
    """Return the part of a unit from shortly before its first byte beyond ASCII."""
    if len(unit) <= _MAX_UNIT:
        return unit
    found = _BEYOND_ASCII.search(unit)
    start = max(found.start() - _ASCII_BEFORE, 0) if found else 0
    return unit[start : start + _MAX_UNIT]


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
