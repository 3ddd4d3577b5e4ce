"""Removal of what programs leave in texts (docs/importing.md#texts): escapes of other formats, invisible characters."""

import re
from html import unescape
from html.entities import html5
from typing import Any, Final

from firmograph.directory.normalise.plain_text import INVISIBLE, without_invisible

_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_UTF_16_ESCAPES: Final = re.compile(r"(?:_x[0-9A-Fa-f]{4}_)+")
"""Characters as Office Open XML writes them; a pair may stand for one character."""
_TEXT: Final = r'"((?:[^"]|"")*)"'
_TEXT_FORMULA: Final = re.compile(rf"\s*=\s*{_TEXT}\s*")
_LINK_FORMULA: Final = re.compile(
    rf"\s*=\s*HYPERLINK\(\s*{_TEXT}\s*(?:[,;]\s*{_TEXT}\s*)?\)\s*", re.IGNORECASE
)
_ENTITY_IN_JSON: Final = re.compile(rb"&[#\w]{1,32};")
_ESCAPE_IN_JSON: Final = re.compile(
    rb"\\u(?i:0026|003d|0000|"
    + b"|".join(sorted({sign.encode("utf-16-be")[:2].hex().encode() for sign in INVISIBLE}))
    + rb")"
)
_INVISIBLE: Final = frozenset(INVISIBLE)
_PRINTABLE: Final = "".join(filter(str.isprintable, INVISIBLE))


def clean_text(text: str) -> str:
    """Return a text without escapes, invisible characters and NUL, which databases cannot store."""
    if not text.isascii():
        text = without_invisible(text)
    if "&" in text or "_x" in text or "=" in text:
        text = without_invisible(_unescape(text))
    return text.replace("\0", "") if "\0" in text else text


def clean_value(value: Any) -> Any:
    """Clean all texts of a value."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): clean_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [clean_value(inner) for inner in value]
    return value


def is_clean_json(line: bytes) -> bool:
    """Return whether a line of JSON certainly has nothing that `clean_value` changes."""
    # each check begins with a search for bytes, because this runs for each row of a file
    if b'"=' in line or b"_x" in line or (b"&" in line and _ENTITY_IN_JSON.search(line)):
        return False
    if b"\\u" in line and _ESCAPE_IN_JSON.search(line):
        return False
    if line.isascii():
        return True
    text = line.decode(errors="replace").rstrip()
    # most of these characters are not printable, which is soon known of a whole text
    return (text.isprintable() and not any(sign in text for sign in _PRINTABLE)) or _INVISIBLE.isdisjoint(
        text
    )


def formula_text(formula: str) -> str | None:
    """Return the text that a formula shows by itself, `="text"` or `=HYPERLINK(address, text)`; None for others."""
    found = _TEXT_FORMULA.fullmatch(formula) or _LINK_FORMULA.fullmatch(formula)
    return (found[found.lastindex or 1]).replace('""', '"') if found else None


def _unescape(text: str) -> str:
    if text.lstrip()[:1] == "=":
        shown = formula_text(text)
        text = text if shown is None else shown
    if "_x" in text:
        text = _UTF_16_ESCAPES.sub(_decode_utf_16, text)
    if "&" in text:
        once = _ENTITY.sub(_decode_entity, text)
        text = _ENTITY.sub(_decode_entity, once) if once != text else text
    return text


def _decode_utf_16(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("_x", "").replace("_", "")).decode("utf-16-be", "ignore")


def _decode_entity(found: re.Match[str]) -> str:
    name = found[0]
    return unescape(name) if name[1] == "#" or name[1:] in html5 else name
