"""Conversion of SIC and NAICS codes to canonical ones."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from firmograph.directory.records import Code
from firmograph.ingest.reading.inputs import CodeInput, Codes, Scalar
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import code, items, label, unique

_CODE = re.compile(r"(\d{1,6})\b\W*(.*)")
_RANGES = {first: (last, re.compile(rf"{last}\b\W*(.*)")) for first, last in ((31, 33), (44, 45), (48, 49))}
"""NAICS sectors with several codes: their last code by the first, and the pattern of the text after the first."""


def read_sic_codes(value: Codes, notes: Notes) -> list[Code]:
    read = _read_codes(value, 9999, partial(notes.check, "sicCodes"))
    return unique((_with_description(given, one) for given, one in read), _number)


def read_naics_codes(value: Codes, notes: Notes) -> list[Code]:
    """Return NAICS codes; a sector such as `31-33` gives each of its codes."""
    every = _read_codes(value, 999_999, partial(notes.check, "naicsCodes"))
    read = ((given, each) for given, one in every for each in expand_sector(one))
    return unique((_with_description(given, one) for given, one in read), _number)


def expand_sector(read: Code) -> list[Code]:
    """Return all codes of a sector, given its first code with the last one at the start of the description."""
    last, named = _RANGES.get(read.code, (0, None))
    found = named.fullmatch(read.description) if named else None
    if found is None:
        return [read]
    return [Code(code=each, description=found[1]) for each in range(read.code, last + 1)]


def _read_codes(
    value: Codes, highest: int, check: Callable[[object, object], None]
) -> Iterator[tuple[CodeInput | Scalar, Code]]:
    """Yield each code with the row's entry for it; a description may follow the number."""
    if value is None:
        return
    given: Iterable[CodeInput | Scalar] = (
        items(value) if isinstance(value, str) else value if isinstance(value, list) else [value]
    )
    for one in given:
        text = code(one.code if isinstance(one, CodeInput) else one)
        match = _CODE.fullmatch(text or "")
        is_known = match is not None and 0 < int(match[1]) <= highest
        check(text, is_known)
        if match and is_known:
            yield one, Code(code=int(match[1]), description=label(match[2]) or "")


def _with_description(given: CodeInput | Scalar, one: Code) -> Code:
    """Return the code with the entry's own description if it has one."""
    stated = label(given.description) if isinstance(given, CodeInput) else None
    return Code(code=one.code, description=stated or one.description)


def _number(one: Code) -> int:
    return one.code
