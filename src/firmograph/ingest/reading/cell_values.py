"""Cells that hold more than a value: several of them, names, types, signs that programs add.

Each function passes a plain value on as it is, which is the common case by far.
"""

import re
from typing import Final

from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.plain_text import plain_text

_MAX_CELL: Final = 4_000

# --- e-mails ---

_PLAIN_EMAIL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*+@[A-Za-z0-9.-]*[A-Za-z]")
_EMAIL: Final = re.compile(
    r"(?:([^\s@:]*\w)[^\S\n]+)?([^\s<>,;|()\[\]\"“”„‘’«»]+@[^\s?<>,;|()\[\]\"“”„‘’«»]+)"
)
"""An address, behind the word that only a blank parts from it."""


def is_plain_email(cell: str) -> bool:
    """Whether a cell holds an address in the common form alone."""
    return _PLAIN_EMAIL.fullmatch(cell) is not None


def split_emails(cell: str) -> list[str]:
    """Return the addresses of a cell such as `Jane <jane@acme.com>; jd@acme.com`; the cell itself if there is none.

    A bare word in front of an address stays with it, which is none then: `jane doe@acme.com` may lack a point.
    """
    if is_plain_email(cell):
        return [cell]
    text = plain_text(cell[:_MAX_CELL]).replace(":::", " ")
    found = [one[0] if one[1] else one[2].rpartition(":")[2].strip("'.") for one in _EMAIL.finditer(text)]
    return found or [text]


# --- web addresses ---

_BETWEEN_HOSTS: Final = re.compile(r"[\s,;|]+|:::")
_BETWEEN_ADDRESSES: Final = re.compile(r"[,;|]?\s+|[,;|]+(?=https?:|www\.|\Z)", re.IGNORECASE)
"""In the path of an address a comma may stand."""
_SCHEMES: Final = re.compile(r"(?:(https?)(?::/*|/{2,}))+", re.IGNORECASE)


def split_addresses(cell: str) -> list[str]:
    """The web addresses or hosts of a cell."""
    if _is_single(cell):
        return [cell] if host_of(cell) else []
    between = _BETWEEN_ADDRESSES if host_of(cell) else _BETWEEN_HOSTS
    return [part for part in between.split(cell[:_MAX_CELL]) if host_of(part)]


def _is_single(cell: str) -> bool:
    """Whether no sign stands in a cell that may stand between two addresses."""
    return (
        not (" " in cell or "," in cell or ";" in cell or "|" in cell or ":::" in cell) and cell.isprintable()
    )


def ensure_scheme(address: str) -> str:
    """The address with one scheme, `https` where it has none."""
    if address.startswith(("http://", "https://")) and "http" not in address[5:14]:
        return address
    found = _SCHEMES.match(address)
    if found is None:
        return "https://" + address.removeprefix("//")
    return f"{found[1]}://{address[found.end() :]}"


_BEFORE_LINK: Final = re.compile(r"[\s,;|]+(?=(?:https?:|(?:[a-z]+\.)?linkedin\.))", re.IGNORECASE)


def split_links(cell: str) -> list[str]:
    """The addresses of a cell with LinkedIn pages."""
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
"""Digits with the trunk zero; before a slash more of them are a number by themselves."""

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
    """Whether a cell holds digits and the usual signs between them alone."""
    return _PLAIN_NUMBER.fullmatch(cell) is not None


def split_numbers(cell: str) -> list[tuple[str, str | None]]:
    """The telephone numbers of a cell, each with its type where the cell says it: `+1 512 555 0123 (mobile) / ...`."""
    if is_plain_number(cell):
        return [(cell, None)]
    parts = _BETWEEN_NUMBERS.split(plain_text(cell[:_MAX_CELL]))
    return [_strip_type(part) for several in parts for part in _split_at_slashes(several) if part]


def _split_at_slashes(text: str) -> list[str]:
    """A slash stands behind an area code, between numbers, or before another ending of the same number."""
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
    """A number without the words around it that name its type."""
    for pattern in (_WORD_BEFORE, _WORD_AFTER):
        found = pattern.search(text) if pattern is _WORD_AFTER else pattern.match(text)
        kind = _NUMBER_TYPES.get(found[1].casefold().rstrip(" .:")) if found else None
        if found and kind:
            return text[: found.start()] + text[found.end() :], kind
    return text, None
