"""Extraction of values from cells with additional text.

Programs put several values in a cell, or add names, types and signs. Each function returns a plain value unchanged, by
far the commonest case.
"""

import re
from typing import Final

from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.plain_text import plain_text
from firmograph.ingest.reading.printed_lists import printed_items

_MAX_CELL: Final = 4_000

# --- e-mails ---

_PLAIN_EMAIL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*+@[A-Za-z0-9.-]*[A-Za-z]")
_EMAIL: Final = re.compile(
    r"(?:([^\s@:]*\w)[^\S\n]+)?([^\s<>,;|()\[\]{}\"“”„‘’«»]+@[^\s?<>,;|()\[\]{}\"“”„‘’«»]+)"
)
"""An address, with the word before it if only a blank separates them."""


def is_plain_email(cell: str) -> bool:
    """Return whether a cell contains nothing but an address in the common form."""
    return _PLAIN_EMAIL.fullmatch(cell) is not None


def split_emails(cell: str) -> list[str]:
    """Return the addresses of a cell such as `Jane <jane@acme.com>; jd@acme.com`; the cell itself if it has none.

    A bare word before an address stays with it and makes it invalid: `jane doe@acme.com` may lack a dot.
    """
    if is_plain_email(cell):
        return [cell]
    if (items := printed_items(cell)) is not None:
        return [one for item in items for one in split_emails(item.text)]
    text = plain_text(cell[:_MAX_CELL]).replace(":::", " ")
    found = [one[0] if one[1] else one[2].rpartition(":")[2].rstrip("'.") for one in _EMAIL.finditer(text)]
    return found or [text]


# --- web addresses ---

_BETWEEN_HOSTS: Final = re.compile(r"[\s,;|]+|:::")
_BETWEEN_ADDRESSES: Final = re.compile(r"[,;|]?\s+|[,;|]+(?=https?:|www\.|\Z)", re.IGNORECASE)
"""Commas inside a path do not separate addresses."""
_SCHEMES: Final = re.compile(r"(?:(https?)(?::/*|/{2,}))+", re.IGNORECASE)


def split_addresses(cell: str) -> list[str]:
    """Return the web addresses or hosts of a cell."""
    if (items := printed_items(cell)) is not None:
        return [one for item in items for one in split_addresses(item.text)]
    if _is_single(cell):
        return [cell] if host_of(cell) else []
    between = _BETWEEN_ADDRESSES if host_of(cell) else _BETWEEN_HOSTS
    return [part for part in between.split(cell[:_MAX_CELL]) if host_of(part)]


def _is_single(cell: str) -> bool:
    """Return whether a cell contains no sign that separates addresses."""
    return (
        not (" " in cell or "," in cell or ";" in cell or "|" in cell or ":::" in cell) and cell.isprintable()
    )


def ensure_scheme(address: str) -> str:
    """Return the address with exactly one scheme, by default `https`."""
    if address.startswith(("http://", "https://")) and "http" not in address[5:14]:
        return address
    found = _SCHEMES.match(address)
    if found is None:
        return "https://" + address.removeprefix("//")
    return f"{found[1]}://{address[found.end() :]}"


_BEFORE_LINK: Final = re.compile(r"[\s,;|]+(?=(?:https?:|(?:[a-z]+\.)?linkedin\.))", re.IGNORECASE)


def split_links(cell: str) -> list[str]:
    """Return the addresses of a cell with LinkedIn pages."""
    if (items := printed_items(cell)) is not None:
        return [one for item in items for one in split_links(item.text)]
    if _is_single(cell):
        return [cell]
    return _BEFORE_LINK.split(cell[:_MAX_CELL])


# --- telephone numbers ---

_PLAIN_NUMBER: Final = re.compile(r"\+?[\d ().-]+", re.ASCII)
_BETWEEN_NUMBERS: Final = re.compile(
    r"\s*(?::::|[;|\n]|,(?=\s*[+(\d])|\s(?:or|oder|ou|und|and|y|e|&)\s)\s*|\s+(?=\+)", re.IGNORECASE
)
_WORD_BEFORE: Final = re.compile(r"[\s(\[]*([^\W\d_][^\d+(]*?)[\s)\].:=-]*(?=[+(\d])")
_WORD_AFTER: Final = re.compile(r"[\s(\[,-]+([^\W\d_][^\d()\[\]]*?)[\s)\].:]*\Z")
_MAX_AREA_CODE: Final = 6
"""Digits including the trunk zero; more digits before a slash are a number of their own."""

NO_TELEPHONE: Final = "fax"
_NUMBER_TYPES: Final = {
    word: kind
    for kind, words in {
        "mobile": "mobile m mob cell cellular c cellphone mobil handy móvil movil celular cellulare portable natel gsm",
        "direct": "direct d dd ddi did direct_dial durchwahl direkt directo ligne_directe",
        "work": "work w office o business b company corporate hq main büro buero dienstlich geschäftlich arbeit bureau "
        "trabajo oficina ufficio lavoro werk kantoor zentrale switchboard",
        "unknown": "home h private privat personal other o. phone ph p tel t tél telefon telefono teléfono téléphone "
        "telefone telefoon telephone landline festnetz voice privé domicile casa thuis",
        NO_TELEPHONE: "fax telefax f fx telecopie télécopie pager",
    }.items()
    for word in words.replace(" ", "\n").replace("_", " ").split("\n")
}


def is_plain_number(cell: str) -> bool:
    """Return whether a cell contains nothing but digits and the usual signs between them."""
    return _PLAIN_NUMBER.fullmatch(cell) is not None


def split_numbers(cell: str) -> list[tuple[str, str | None]]:
    """Return the telephone numbers of a cell such as `+1 512 555 0123 (mobile) / ...`, each with its type or None."""
    if is_plain_number(cell):
        return [(cell, None)]
    if (items := printed_items(cell)) is not None:
        return [
            (number, kind or _NUMBER_TYPES.get(item.type.casefold()))
            for item in items
            for number, kind in split_numbers(item.text)
        ]
    parts = _BETWEEN_NUMBERS.split(plain_text(cell[:_MAX_CELL]))
    return [_strip_type(part) for several in parts for part in _split_at_slashes(several) if part]


def _split_at_slashes(text: str) -> list[str]:
    """Split numbers at slashes, except after an area code and before an alternative ending of the same number."""
    first, *others = text.split("/")
    found = [first]
    for other in others:
        before = found[-1].lstrip()
        if _count_digits(before) <= _MAX_AREA_CODE + before.startswith("+"):
            found[-1] += " " + other
        elif other.lstrip()[:1] in ("+", "0", "(") or _count_digits(other) > _MAX_AREA_CODE:
            found.append(other)
        elif not _count_digits(other) or not other.strip().isdigit():
            found[-1] += " " + other
    return [one.strip() for one in found]


def _count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _strip_type(text: str) -> tuple[str, str | None]:
    """Return a number without the word around it that names its type, and the type."""
    for pattern in (_WORD_BEFORE, _WORD_AFTER):
        found = pattern.search(text) if pattern is _WORD_AFTER else pattern.match(text)
        kind = _NUMBER_TYPES.get(found[1].casefold().rstrip(" .:")) if found else None
        if found and kind:
            return text[: found.start()] + text[found.end() :], kind
    return text, None
