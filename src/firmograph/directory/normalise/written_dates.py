"""Parser of dates in other forms than ISO 8601.

A numeric date is unambiguous only if a number is above 12, or if the order of day and month in its column is known.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from firmograph.directory.normalise.gazetteer import fold_label

Order = Literal["dmy", "mdy"]

_CLOCK: Final = re.compile(
    r"[T,\s]+(\d{1,2})[:.h](\d{2})(?:[:.]\d{2}(?:[.,]\d+)?)?\s*(?:([ap])\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?\Z",
    re.ASCII | re.IGNORECASE,
)
_YEAR_LAST: Final = re.compile(r"(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{4}|\d{2})", re.ASCII)
_YEAR_FIRST: Final = re.compile(
    r"(\d{4})(?:[./-]|\s?[年년]\s?)(\d{1,2})(?:[./-]|\s?[月월]\s?)(\d{1,2})\s?[日일]?", re.ASCII
)
_WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
_FILLERS: Final = frozenset("a de del di do of the th st nd rd er º ª".split())

_FIRST_SERIAL, _LAST_SERIAL = 18_264, 73_050
"""Serial days of spreadsheets from 1950 to 2099."""
_SERIAL_ZERO: Final = date(1899, 12, 30)
_SERIAL: Final = re.compile(r"(\d{5})(?:[.,]\d+)?", re.ASCII)
_EPOCH_SECONDS: Final = range(1_000_000_000, 4_102_444_800)
"""From 2001 to 2099."""


def written_day(text: str, order: Order | None) -> date | None:
    """Return the day of a stripped text; None without exactly one interpretation."""
    if text[:1].isdecimal() and (counted := _counted(text)):
        return counted
    clock = _CLOCK.search(text)
    day = _day_of(text[: clock.start()] if clock else text, order)
    try:
        return _in_utc(day, clock) if day and clock else day
    except (ValueError, OverflowError):
        return None


def date_order(text: str) -> Order | None:
    """Return the order of day and month that a numeric date proves."""
    found = _YEAR_LAST.match(text)
    if found is None:
        return None
    first, second, year = int(found[1]), int(found[3]), found[4]
    if first <= 12 < second <= 31:
        return "mdy"
    # a year of two digits may come first
    return "dmy" if second <= 12 < first <= 31 and (len(year) == 4 or int(year) > 31) else None


def is_numeric_date(text: str) -> bool:
    """Return whether a text begins like a date with day or month first."""
    return _YEAR_LAST.match(text) is not None


def _counted(text: str) -> date | None:
    """Return the day of a serial day of spreadsheets, or of seconds or milliseconds since 1970."""
    if serial := _SERIAL.fullmatch(text):
        days = int(serial[1])
        return _SERIAL_ZERO + timedelta(days) if _FIRST_SERIAL <= days <= _LAST_SERIAL else None
    if not text.isdecimal() or len(text) not in (10, 13, 14):
        return None
    if len(text) == 14:
        return _date(int(text[:4]), int(text[4:6]), int(text[6:8]))
    seconds = int(text[:10])
    is_hour = len(text) == 10 and _date(int(text[:4]), int(text[4:6]), int(text[6:8])) and text[8:] < "24"
    return datetime.fromtimestamp(seconds, UTC).date() if seconds in _EPOCH_SECONDS and not is_hour else None


def _in_utc(day: date, clock: "re.Match[str]") -> date:
    zone = clock[4] or ""
    if zone[:1] not in ("+", "-"):
        return day
    hour = int(clock[1]) % 12 + (12 if clock[3] in ("p", "P") else 0) if clock[3] else int(clock[1])
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=hour, minutes=int(clock[2]))
    return (at - offset if zone[0] == "+" else at + offset).date()


def _day_of(text: str, order: Order | None) -> date | None:
    text = text.strip(" ,")
    if found := _YEAR_FIRST.fullmatch(text):
        return _date(*map(int, found.groups()))
    if found := _YEAR_LAST.fullmatch(text):
        return _in_order(found, order)
    return _with_month_name(text)


def _in_order(found: "re.Match[str]", order: Order | None) -> date | None:
    first, second, year = int(found[1]), int(found[3]), _year(found[4])
    shown = date_order(found[0])
    if len(found[4]) == 4 and first == second:
        shown = "dmy"
    # with dots, the day always comes first
    order = shown or order or ("dmy" if found[2] == "." and len(found[4]) == 4 else None)
    may_be_year_first = found[2] == "-" and len(found[4]) == 2 and shown is None
    if order is None or may_be_year_first:
        return None
    return _date(year, second, first) if order == "dmy" else _date(year, first, second)


def _with_month_name(text: str) -> date | None:
    words = _WORDS.findall(text)
    numbers = [(at, word) for at, word in enumerate(words) if word.isdecimal()]
    names = [(at, fold_label(word)) for at, word in enumerate(words) if not word.isdecimal()]
    if not names or not 1 <= len(numbers) <= 2 or len(words) > 8:
        return None
    months = [(at, month) for at, name in names if (month := _month(name))]
    if len(months) == 2 and names[0][0] == months[0][0] and names[0][1] in _weekdays():
        del months[0]
    if len(months) != 1 or any(at != months[0][0] and not _is_filler(name) for at, name in names):
        return None
    at, month = months[0]
    (first_at, first), (last_at, last) = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return _date(int(first), month, 1) if len(first) == 4 else None
    if len(first) == 4 and first_at < at < last_at and len(last) < 3:
        return _date(int(first), month, int(last))
    if len(first) < 3 and at < last_at and len(last) in (2, 4):
        return _date(_year(last), month, int(first))
    return None


def _is_filler(name: str) -> bool:
    return name in _FILLERS or name in _weekdays()


def _year(digits: str) -> int:
    year = int(digits)
    return year if len(digits) == 4 else year + (2000 if year < 70 else 1900)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# --- names of months and weekdays ---

_ENGLISH: Final = {
    name: month
    for month, names in enumerate(
        "jan january,feb february,mar march,apr april,may,jun june,jul july,aug august,sep sept september,"
        "oct october,nov november,dec december".split(","),
        1,
    )
    for name in names.split()
}


def _month(name: str) -> int | None:
    return _ENGLISH.get(name) or _months().get(name)


@cache
def _months() -> dict[str, int]:
    """Return months by folded name, without names that mean different months in different languages."""
    return {name: int(month) for month, names in _table() if month != _WEEKDAY for name in names}


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(name for key, names in _table() if key == _WEEKDAY for name in names)


_WEEKDAY: Final = "weekday"


def _table() -> Iterator[tuple[str, list[str]]]:
    """Yield the folded names of the CLDR: of each month, and of weekdays."""
    text = (files(__package__) / "data" / "date_names.tsv").read_text("utf-8")
    for line in text.splitlines():
        key, tab, names = line.partition("\t")
        if tab:
            yield key, names.split()
