"""Conversion of single values to canonical ones: texts, lists, numbers, days, addresses.

Functions are named after their result. They return None for an empty or unreadable value, so that one bad optional
value never costs a row.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from firmograph.directory.normalise.dates import normalise_date
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import is_member_id, linkedin_slug, linkedin_url
from firmograph.directory.normalise.phones import Number, normalise_phone
from firmograph.directory.normalise.placeholders import (
    is_placeholder_address,
    is_placeholder_email,
    is_placeholder_id,
    is_placeholder_national,
    is_placeholder_page,
    is_placeholder_phone,
    is_placeholder_text,
)
from firmograph.directory.normalise.written_dates import Order
from firmograph.ingest.reading.cell_values import ensure_scheme, split_addresses, split_links
from firmograph.ingest.reading.inputs import Scalar, Texts
from firmograph.ingest.reading.printed_lists import printed_items
from firmograph.security.record_ids import is_record_token

MAX_TEXT = 10_000
MAX_LIST = 1_000
_MAX_CACHED = 100
"""Characters of a cached value; longer ones rarely repeat."""

_PUNCTUATION = str.maketrans("", "", " -.()/+")
_LIST_SEPARATORS = re.compile(r"[;|\n]")
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")

T = TypeVar("T")
V = TypeVar("V")


def text(value: str | None, limit: int = MAX_TEXT) -> str | None:
    """Return a text without surrounding blanks, cut at `limit` characters; None also for a placeholder."""
    found = whole_text(value)
    return found[:limit].rstrip() if found else None


def whole_text(value: str | None) -> str | None:
    """Return a text of any length without surrounding blanks; None also for a placeholder."""
    if not value:
        return None
    found = value.strip()
    return found if found and not is_placeholder_text(found) else None


def line(value: str | None, limit: int = 500) -> str | None:
    """Return a text on one line with single spaces."""
    if not value:
        return None
    found = " ".join(value.split())
    return (found if len(found) <= limit else found[:limit].rstrip()) or None


def label(value: str | None, limit: int = 500) -> str | None:
    """Return a title, place or other text of one line; None also for a placeholder."""
    found = line(value, limit)
    return found if found and not is_placeholder_text(found) else None


def code(value: Scalar, limit: int = 255) -> str | None:
    """Return an identifier, telephone number or postcode, also if a table reader converted it to a number.

    None also for a placeholder.
    """
    if isinstance(value, str) or value is None:
        return label(value, limit)
    return line(str(int(value) if isinstance(value, float) and value.is_integer() else value), limit)


def token(value: object) -> str | None:
    """Return a record id from an answer of any installation of this service."""
    return value if isinstance(value, str) and is_record_token(value) else None


def items(value: Texts, commas: bool = True, read: Callable[[str | None], str | None] = label) -> list[str]:
    """Return the texts of a list, each once regardless of case.

    A single text is a printed list, or is split at `;`, `|` and line ends; without any of them at commas, if `commas`
    is true.
    """
    if not value:
        return []
    if isinstance(value, str):
        if (printed := printed_items(value)) is not None:
            if read(value) is None:
                return []
            return unique((read(item.text) for item in printed), str.casefold)
        parts = _LIST_SEPARATORS.split(value)
        return unique(map(read, value.split(",") if commas and len(parts) == 1 else parts), str.casefold)
    return unique(map(read, value), str.casefold)


def unique(values: Iterable[T | None], key: Callable[[T], object]) -> list[T]:
    """Return each value once in its first spelling, up to `MAX_LIST`."""
    by_key: dict[object, T] = {}
    for value in values:
        if value is not None:
            by_key.setdefault(key(value), value)
            if len(by_key) == MAX_LIST:
                break
    return list(by_key.values())


def convert_each(values: Sequence[V], make: Callable[[V], T | None], key: Callable[[T], object]) -> list[T]:
    """Return the results of `make` for each value, each once."""
    if len(values) == 1:
        # by far the commonest case
        one = make(values[0])
        return [] if one is None else [one]
    return unique(map(make, values), key)


def number(value: Scalar) -> float | None:
    """Return a finite number below 10^15 in size, also from text such as `1,234.5`."""
    if isinstance(value, str):
        plain = value.strip().lstrip("$€£ ")
        value = float(plain.replace(",", "")) if _NUMBER.fullmatch(plain) and len(plain) < 40 else None
    if value is None or isinstance(value, bool) or not -1e15 < value < 1e15:
        return None
    return float(value) if math.isfinite(value) else None


def amount(value: Scalar) -> float | None:
    """Return a number that is not negative."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def whole(value: Scalar, low: int = 0, high: int = 10**15) -> int | None:
    """Return a whole number within bounds."""
    found = number(value)
    return int(found) if found is not None and found.is_integer() and low <= found <= high else None


_DAY_NUMBER = re.compile(r"\d{5,7}(?:[.,]\d*)?", re.ASCII)


def year(value: Scalar) -> int | None:
    """Return a year, also from a date; a number of days would be a mistyped year as likely."""
    found = whole(value, 1000, 2100)
    if found is not None or not isinstance(value, str) or _DAY_NUMBER.fullmatch(value.strip()):
        return found
    # the year does not depend on the order of day and month
    if at := day(value, "dmy") or day(value, "mdy"):
        found = whole(at[:4], 1000, 2100)
    return found


def _spellings(yes: str, no: str) -> dict[str, bool]:
    return dict.fromkeys(yes.split(","), True) | dict.fromkeys(no.split(","), False)


_YES_OR_NO = _spellings(
    "true,yes,y,1,1.0,t,x,on,checked,ja,j,wahr,oui,o,vrai,si,sí,sì,listed,registered,✓,✔,☑,✅,☒",
    "false,no,n,0,0.0,f,off,unchecked,nein,falsch,non,faux,not listed,not registered,☐,✗,✘,❌",
)
"""Spellings of yes and no in exports and spreadsheets."""
_OBJECTIONS = _spellings(
    "dnc,do not call,donotcall,do not allow,opted out,opt out,opted-out,opt-out,optout,unsubscribed,do not contact,"
    "do not email",
    "not dnc,ok to call,may call,callable,allow,allowed,opted in,opt in,opted-in,opt-in,optin,subscribed",
)
"""Words that say themselves whether somebody objects, in columns of either sense."""
_FLAGS = _YES_OR_NO | _OBJECTIONS
_REFUSALS = (
    {text: not agrees for text, agrees in _YES_OR_NO.items()}
    | _OBJECTIONS
    | _spellings(
        "not subscribed,never subscribed,not allowed,no consent,not given,denied,refused,declined,withdrawn,revoked",
        "consent,consented,given,granted,agreed,accepted,confirmed",
    )
)


def flag(value: bool | Scalar) -> bool | None:
    """Return yes or no in its usual spellings."""
    return _read_flag(value, _FLAGS)


def opt_out(value: bool | Scalar) -> bool | None:
    """Return yes or no in its usual spellings; a date, on which somebody opted out, is a yes."""
    found = flag(value)
    return True if found is None and _is_date(value) else found


def refusal(value: bool | Scalar) -> bool | None:
    """Return whether the value of a column of consents refuses it."""
    found = _read_flag(value, _REFUSALS)
    return found if found is None or isinstance(value, str) else not found


def _read_flag(value: bool | Scalar, spellings: dict[str, bool]) -> bool | None:
    if isinstance(value, str):
        # a tick may be followed by the sign that asks for its coloured form
        plain = value.removesuffix("\ufe0f")
        return spellings.get(" ".join(plain.split()).casefold().replace("_", " "))
    return bool(value) if value in (0, 1) else None


def day(value: Scalar, order: Order | None = None) -> str | None:
    """Return the day of a date as `YYYY-MM-DD`; a number is a count of days or seconds since a program's epoch."""
    if isinstance(value, str) and len(value) <= _MAX_CACHED:
        return _text_day(value, order)
    given = code(value, 100)
    return normalise_date(given, order) if given else None


@lru_cache(maxsize=16_384)
def _text_day(text: str, order: Order | None) -> str | None:
    given = line(text, 100)
    return normalise_date(given, order) if given else None


def _is_date(value: Scalar) -> bool:
    """Return whether a value is a date in any order of day and month; a number of days may be any other number."""
    if _DAY_NUMBER.fullmatch(str(value).strip()):
        return False
    return (day(value, "dmy") or day(value, "mdy")) is not None


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def display_day(found: str | None) -> str | None:
    """Return a day in the format of funding rounds, `Mon D, YYYY` (docs/reference/records.md#dates)."""
    return f"{_MONTHS[int(found[5:7]) - 1]} {int(found[8:])}, {found[:4]}" if found else None


def url(value: str | None) -> str | None:
    """Return an HTTP address, with the scheme added if it is missing."""
    given = text(value, 2048)
    if not given:
        return None
    given = ensure_scheme(next(iter(split_addresses(given)), given))
    return given if host_of(given) and not any(sign.isspace() for sign in given) else None


_HANDLE = re.compile(r"@?([A-Za-z0-9_]{1,100})")


def profile(site: str, value: str) -> str | None:
    """Return the address of a profile, or of a bare handle on its site."""
    handle = _HANDLE.fullmatch(value.strip())
    return f"https://{site}{handle[1]}" if handle else url(value)


def linkedin(value: str | None, kind: str) -> str | None:
    """Return the full address of the first public LinkedIn page of this kind."""
    if not value or is_placeholder_text(value.strip()):
        return None
    for one in split_links(value):
        slug = linkedin_slug(one, kind)
        if slug and not is_placeholder_page(slug, one) and not is_member_id(slug, one):
            return linkedin_url(slug)
    return None


_SIGNS_BEFORE = re.compile(r"\s*[^\w+\s]+\s*")


def has_sign_before(email: str) -> bool:
    """Return whether an address begins with a sign that none begins with, as marks and lists leave it there."""
    return not email[:1].isalnum() and _SIGNS_BEFORE.match(email) is not None


def without_sign_before(email: str) -> str:
    """Return an address without the signs that none begins with."""
    return _SIGNS_BEFORE.sub("", email, count=1) if has_sign_before(email) else email


def email_address(value: str) -> str | None:
    """Return the normalised address without signs before it; None also for a placeholder."""
    address = normalise_email(without_sign_before(value))
    return None if address is None or is_placeholder_email(address) else address


def phone_number(value: str, region: str | None) -> Number | None:
    """Return the number as E.164 with its country; None also for a placeholder."""
    number = normalise_phone(value, region)
    return None if number is None or is_placeholder_phone(number[0]) else number


def is_any_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder of any kind."""
    if is_placeholder_id(value):
        return True
    if "/" not in value and is_placeholder_page("in/" + value.strip().lower(), value):
        return True
    if is_placeholder_text(value.strip()):
        return True
    if is_placeholder_address(value):
        return True
    address = normalise_email(value)
    if address is not None:
        return is_placeholder_email(address)
    digits = value.translate(_PUNCTUATION)
    return digits.isdecimal() and is_placeholder_national(digits)


def read_source_id(value: Scalar) -> str:
    """Return a record's id in its source; `""` if the row has none or a placeholder."""
    found = code(value)
    return "" if found is None or is_placeholder_id(found) else found
