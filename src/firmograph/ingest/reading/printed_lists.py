"""Lists as programs print them into one cell: `['a', 'b']`, `["a","b"]`, `{a,b}`, `[a, b]`, `[{"number": "1"}]`."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from firmograph.ingest.reading.conversion import whole_number_text

_CLOSING: Final = {"[": "]", "{": "}", "(": ")"}
_FIRST: Final = frozenset("[{( \t\n")
_MAX_CELL: Final = 32_767
"""Characters of a cell in a spreadsheet."""
_NEIGHBOURS: Final = re.compile(r"""(['"])\s+\1""")
"""Quoted items without a comma between them, as NumPy prints them."""
_ITEM: Final = re.compile(
    r"""\s*(?:[uUbB]?'((?:[^'\\]|\\.)*)'|[uUbB]?"((?:[^"\\]|\\.)*)"|([^,\s'"][^,]*))\s*,?""", re.DOTALL
)
_NULLS: Final = frozenset(("", "null", "none", "nan"))
_VALUE_KEYS: Final = (
    "email emailaddress address number phonenumber phone sanitizednumber rawnumber url domain "
    "name value title label text"
).split()
_TYPE_KEYS: Final = ("type", "label", "kind")


class PrintedItem(NamedTuple):
    text: str
    type: str = ""
    """Type of an address or number, if the item is an object that states it."""


def printed_items(cell: str) -> list[PrintedItem] | None:
    """Return the items of a printed list or of one object; None if a cell is neither."""
    if cell[:1] not in _FIRST:
        return None
    cell = cell.strip()
    if (
        _CLOSING.get(cell[:1]) != cell[-1:]
        or len(cell) > _MAX_CELL
        or (cell[0] == "(" and cell[1] not in "'\"")
    ):
        return None
    return list(_items(_parse(cell)))


def _parse(cell: str) -> Any:
    inner = f"[{cell[1:-1]}]"
    for text in (cell, inner) if cell[0] == "{" else (inner,):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = _parse_literal(text)
        if isinstance(found, list | dict):
            return found
    parts = (found.group(1, 2, 3) for found in _ITEM.finditer(cell[1:-1]))
    return [next(part for part in each if part is not None).strip("[]{}") for each in parts]


def _parse_literal(text: str) -> Any:
    """Return the value of a Python literal; None for a set, which would lose its order, and for anything else."""
    # without quotation marks numbers would lose their signs and zeros
    if ("'" not in text and '"' not in text) or _NEIGHBOURS.search(text):
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _items(found: Any) -> Iterator[PrintedItem]:
    if isinstance(found, list | tuple):
        for item in found:
            yield from _items(item)
    elif isinstance(found, dict):
        members = {
            key.replace("_", "").casefold(): text for key, value in found.items() if (text := _text(value))
            if isinstance(key, str)
        }  # fmt: skip
        value = next((members[key] for key in _VALUE_KEYS if key in members), "")
        if value:
            yield PrintedItem(value, next((members[key] for key in _TYPE_KEYS if key in members), ""))
    elif text := _text(found):
        yield PrintedItem(text)


def _text(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else whole_number_text(value) or ""
    return "" if text.casefold() in _NULLS else text
