"""Values that stand for none: `none`, `n/a`, `noemail@...`, `0000000000` (docs/reference/records.md#placeholders).

`data/placeholders.tsv` lists them by kind of key. They are looked for in values that are in their one form already,
once a value, so every question is a look-up or two in a set.
"""

import csv
import re
from importlib.resources import files
from string import ascii_lowercase
from typing import Final
from urllib.parse import unquote

_SIGNS: Final = " \t.,:;!?*#'\"`´~=+-_–—/\\|()[]{}<>"
"""What may stand around a placeholder, and is one where nothing else stands."""
_GAPS: Final = " -._"
_DIGITS: Final = frozenset("123456789")
"""No placeholder for an id ends in one of them."""
_FEWEST_REPEATED: Final = 5
"""As many times one digit must stand in a national number that holds no other to make it a placeholder."""


Entries = list[dict[str, str]]


def _entries() -> Entries:
    text = (files(__package__) / "data" / "placeholders.tsv").read_text("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    columns = ("value", "linkedin", "email", "phone", "host", "source")
    return list(csv.DictReader(lines, columns, restval="", delimiter="\t", quoting=csv.QUOTE_NONE))


def _marked(entries: Entries, column: str, mark: str = "x") -> set[str]:
    return {entry["value"] for entry in entries if entry[column] == mark}


def _spelt(values: set[str]) -> frozenset[str]:
    """The values with each sign that a blank in them stands for."""
    return frozenset(value.replace(" ", gap).strip(_SIGNS) for value in values for gap in (*_GAPS, ""))


_ENTRIES = _entries()
_EMAILS = _marked(_ENTRIES, "email")
_SIGNS_ALONE = frozenset({""})
_PAGES: Final = _spelt(_marked(_ENTRIES, "linkedin")) | _SIGNS_ALONE
_PAGE_CELLS: Final = _PAGES | _spelt(_marked(_ENTRIES, "linkedin", "cell"))
_DOUBTFUL_SLUGS: Final = frozenset(
    f"{kind}/{name}" for kind in ("in", "company") for name in (*_PAGE_CELLS, *ascii_lowercase)
)
_PAGE_ADDRESS: Final = re.compile(
    r"\blinkedin\.(?:com|cn)/*(?:(?:in|pub|company|school|showcase)\b)?([^?#]*)", re.IGNORECASE
)
_IDS: Final = _spelt(_marked(_ENTRIES, "source")) | _SIGNS_ALONE
_HOSTS: Final = frozenset(_marked(_ENTRIES, "host"))
_NUMBERS: Final = frozenset(_marked(_ENTRIES, "phone"))
"""National ones."""
_ENDINGS: Final = frozenset({number[-4:] for number in _NUMBERS} | {digit * 4 for digit in "0123456789"})
"""The last four digits of numbers that may be placeholders."""
_ADDRESSES: Final = frozenset(email for email in _EMAILS if "@" in email and not email.startswith("@"))
_MAIL_HOSTS: Final = frozenset(email[1:] for email in _EMAILS if email.startswith("@"))
_MAILBOXES: Final = _spelt({email for email in _EMAILS if "@" not in email})
"""What stands before the `@` of no address."""
_WEAK_MAILBOXES: Final = _spelt(_marked(_ENTRIES, "email", "weak"))
_DOUBTFUL_MAILBOXES: Final = _MAILBOXES | _WEAK_MAILBOXES | {email.partition("@")[0] for email in _ADDRESSES}


def is_placeholder_id(source_id: str) -> bool:
    # most ids end in a digit, and this runs once a row
    return source_id[-1:] not in _DIGITS and source_id.lower().strip(_SIGNS) in _IDS


def is_placeholder_page(slug: str, cell: str) -> bool:
    """Whether the canonical slug of a LinkedIn page, read from this cell, is the name of nobody's page."""
    # signs that stand around a placeholder stand at its end too
    if slug not in _DOUBTFUL_SLUGS and slug[-1:].isalnum():
        return False
    kind, _, name = slug.rpartition("/")
    if len(name) == 1 and name not in _PAGES:
        # names of people's pages have three letters at least; `in/N/A` leads here too
        return kind == "in" or is_placeholder_address(cell) or (name in _PAGE_CELLS and "/" not in cell)
    name = name.strip(_SIGNS)
    return name in _PAGES or (name in _PAGE_CELLS and "/" not in cell)


def is_placeholder_address(cell: str) -> bool:
    """Whether a cell is an address of LinkedIn that leads to nobody: `linkedin.com/in/N/A`, `linkedin.com/in/`."""
    address = _PAGE_ADDRESS.search(cell)
    return address is not None and unquote(address[1]).lower().strip(_SIGNS) in _PAGES


def is_placeholder_email(address: str) -> bool:
    """Whether a normalised address is nobody's."""
    local, _, host = address.partition("@")
    if local not in _DOUBTFUL_MAILBOXES and host not in _MAIL_HOSTS:
        return False
    if local in _MAILBOXES or host in _MAIL_HOSTS or address in _ADDRESSES:
        return True
    return local in _WEAK_MAILBOXES and (host in _HOSTS or host.partition(".")[0] == local)


def is_placeholder_phone(number: str) -> bool:
    """Whether a number in E.164 form is nobody's."""
    return number[-4:] in _ENDINGS and is_placeholder_national(_national(number))


def is_placeholder_national(digits: str) -> bool:
    """Whether the digits of a number without its calling code are nobody's."""
    alike = len(digits) >= _FEWEST_REPEATED and digits == digits[0] * len(digits)
    return alike or digits in _NUMBERS


def is_placeholder_host(host: str) -> bool:
    return host in _HOSTS


def _national(number: str) -> str:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    start = next((end for end in (2, 3, 4) if int(number[1:end]) in COUNTRY_CODE_TO_REGION_CODE), 1)
    return number[start:]
