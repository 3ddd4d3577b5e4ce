"""Placeholders such as `none`, `n/a`, `noemail@...`, `0000000000` (docs/reference/records.md#placeholders).

`data/placeholders.tsv` lists them by kind of key, `data/text_placeholders.tsv` those of other texts. Every normalised
value is checked, so a check is at most a few look-ups in sets.
"""

import csv
import re
from importlib.resources import files
from string import ascii_lowercase
from typing import Final
from urllib.parse import unquote

_PUNCTUATION: Final = " \t.,:;!?*#'\"`´~=+-_/\\|()[]{}<>‐‑‒–—―−…·•¿¡‘’“”„«»、。・－？"
"""Characters that may surround a placeholder; alone they are one."""
_GAPS: Final = " -._"
_DIGITS: Final = frozenset("123456789")
"""Last characters that no placeholder for an id has."""
_SHORTEST_RUN: Final = 7
"""Minimum digits of a national number of ascending or descending digits that makes it a placeholder."""
_FEWEST_REPEATED: Final = 5
"""Minimum digits of a national number of equal digits that makes it a placeholder."""


_Entries = list[dict[str, str]]


def _load_entries(name: str, *columns: str) -> _Entries:
    text = (files(__package__) / "data" / name).read_text("utf-8")
    lines = (line for line in text.splitlines() if line and line != "#" and not line.startswith("# "))
    return list(csv.DictReader(lines, columns, restval="", delimiter="\t", quoting=csv.QUOTE_NONE))


def _marked(entries: _Entries, column: str, mark: str = "x") -> set[str]:
    return {entry["value"] for entry in entries if entry[column] == mark}


def _spelt(values: set[str]) -> frozenset[str]:
    """Return the values with each character that a blank in them represents."""
    return frozenset(value.replace(" ", gap).strip(_PUNCTUATION) for value in values for gap in (*_GAPS, ""))


_ENTRIES = _load_entries("placeholders.tsv", "value", "linkedin", "email", "phone", "host", "source")
_TEXT_ENTRIES = _load_entries("text_placeholders.tsv", "value", "kind")
_EMAILS = _marked(_ENTRIES, "email")
_PUNCTUATION_ALONE = frozenset({""})
_PAGES: Final = _spelt(_marked(_ENTRIES, "linkedin")) | _PUNCTUATION_ALONE
_PAGE_CELLS: Final = _PAGES | _spelt(_marked(_ENTRIES, "linkedin", "cell"))
_DOUBTFUL_SLUGS: Final = frozenset(
    f"{kind}/{name}" for kind in ("in", "company") for name in (*_PAGE_CELLS, *ascii_lowercase)
)
_PAGE_ADDRESS: Final = re.compile(
    r"\blinkedin\.(?:com|cn)/*(?:(?:in|pub|company|school|showcase)\b)?([^?#]*)", re.IGNORECASE
)
_ERRORS: Final = frozenset(_marked(_TEXT_ENTRIES, "kind", "error"))
"""Values of exactly this spelling, in lower case."""
_SURNAMES: Final = _spelt(_marked(_TEXT_ENTRIES, "kind", "surname"))
_WORDS: Final = _spelt(_marked(_TEXT_ENTRIES, "kind", "word")) | _SURNAMES
_TEXTS: Final = _WORDS | _PUNCTUATION_ALONE
_LONGEST_WORD: Final = max(map(len, _ERRORS | _WORDS)) + 8
"""Length with punctuation around it."""
_NO_NAME_SIGNS: Final = frozenset("/\\#<>()[]{}")
"""Signs that distinguish a placeholder from a name of the same letters."""
_IDS: Final = _spelt(_marked(_ENTRIES, "source")) | _TEXTS
_HOSTS: Final = frozenset(_marked(_ENTRIES, "host"))
_NUMBERS: Final = frozenset(_marked(_ENTRIES, "phone"))
"""National numbers."""
_RUNS: Final = ("0123456789" * 3, "9876543210" * 3)
_ENDINGS: Final = frozenset(
    {number[-4:] for number in _NUMBERS}
    | {digit * 4 for digit in "0123456789"}
    | {run[start : start + 4] for run in _RUNS for start in range(10)}
)
"""Last four digits of possible placeholders."""
_ADDRESSES: Final = frozenset(email for email in _EMAILS if "@" in email and not email.startswith("@"))
_MAIL_HOSTS: Final = frozenset(email[1:] for email in _EMAILS if email.startswith("@"))
_MAILBOXES: Final = _spelt({email for email in _EMAILS if "@" not in email})
"""Local parts of no real address."""
_WEAK_MAILBOXES: Final = _spelt(_marked(_ENTRIES, "email", "weak"))
_DOUBTFUL_MAILBOXES: Final = _MAILBOXES | _WEAK_MAILBOXES | {email.partition("@")[0] for email in _ADDRESSES}


def is_placeholder_id(source_id: str) -> bool:
    # a shortcut: most ids end in a digit, and this runs for each row
    if source_id[-1:] in _DIGITS and source_id[:1] not in "Ee":
        return False
    folded = source_id.casefold()
    return folded.strip(_PUNCTUATION) in _IDS or folded in _ERRORS


def is_placeholder_page(slug: str, cell: str) -> bool:
    """Return whether the canonical slug of a LinkedIn page, read from this cell, is a placeholder."""
    # a placeholder within punctuation also ends with it
    if slug not in _DOUBTFUL_SLUGS and slug[-1:].isalnum():
        return False
    kind, _, name = slug.rpartition("/")
    stripped = name.strip(_PUNCTUATION)
    if len(stripped) == len(name) == 1 and name not in _PAGES:
        # names of people's pages have at least three letters; `in/N/A` also gets here
        return kind == "in" or is_placeholder_address(cell) or (name in _PAGE_CELLS and "/" not in cell)
    return stripped in _PAGES or (stripped in _PAGE_CELLS and "/" not in cell)


def is_placeholder_address(cell: str) -> bool:
    """Return whether a cell is a LinkedIn address of nobody: `linkedin.com/in/N/A`, `linkedin.com/in/`."""
    address = _PAGE_ADDRESS.search(cell)
    return address is not None and unquote(address[1]).lower().strip(_PUNCTUATION) in _PAGES


def is_placeholder_text(text: str) -> bool:
    """Return whether a whole text stands for none or for an unknown one."""
    if len(text) > _LONGEST_WORD:
        return not text.strip(_PUNCTUATION)
    folded = text.casefold()
    if folded in _TEXTS or folded in _ERRORS:
        return True
    # most texts begin and end with a letter
    return not (folded[0].isalnum() and folded[-1].isalnum()) and folded.strip(_PUNCTUATION) in _TEXTS


def is_unnamed(text: str) -> bool:
    """Return whether a text is an error of a spreadsheet, a database's null marker, or punctuation."""
    return not text.isalpha() and (text.casefold() in _ERRORS or not text.strip(_PUNCTUATION))


def is_placeholder_name(name: str) -> bool:
    """Return whether one of the names of a person is a placeholder whatever the other one is: `N/A`, `<null>`."""
    if name.isalpha():
        return False
    return is_unnamed(name) or (not _NO_NAME_SIGNS.isdisjoint(name) and is_placeholder_text(name))


def are_placeholder_names(first: str, last: str) -> bool:
    """Return whether both names of a person are the same placeholder: `nan nan`, but not `Null Null`."""
    folded = first.casefold()
    if folded != last.casefold():
        return False
    word = folded.strip(_PUNCTUATION)
    return word in _WORDS and word not in _SURNAMES


def is_placeholder_email(address: str) -> bool:
    """Return whether a normalised address is a placeholder."""
    local, _, host = address.partition("@")
    if local not in _DOUBTFUL_MAILBOXES and host not in _MAIL_HOSTS:
        return False
    if local in _MAILBOXES or host in _MAIL_HOSTS or address in _ADDRESSES:
        return True
    return local in _WEAK_MAILBOXES and (host in _HOSTS or host.partition(".")[0] == local)


def is_placeholder_phone(number: str) -> bool:
    """Return whether a number in E.164 form is a placeholder, and no valid number of its country's plan."""
    return number[-4:] in _ENDINGS and is_placeholder_national(_national(number)) and not _is_valid(number)


def is_placeholder_national(digits: str) -> bool:
    """Return whether the digits of a number without its calling code look like a placeholder."""
    alike = len(digits) >= _FEWEST_REPEATED and digits == digits[0] * len(digits)
    return (
        alike or digits in _NUMBERS or (len(digits) >= _SHORTEST_RUN and any(digits in run for run in _RUNS))
    )


def _is_valid(number: str) -> bool:
    import phonenumbers as library

    return library.is_valid_number(library.parse(number))


def is_placeholder_host(host: str) -> bool:
    return host in _HOSTS


def _national(number: str) -> str:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    start = next((end for end in (2, 3, 4) if int(number[1:end]) in COUNTRY_CODE_TO_REGION_CODE), 1)
    return number[start:]
