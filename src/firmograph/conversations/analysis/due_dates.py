"""Due dates in a sentence, counted from the day of the conversation."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from typing import Final

_Compute = Callable[[re.Match[str], date], date]
_DAYS: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS: Final = (
    "january february march april may june july august september october november december".split()
)
_ORDINALS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
).split()
_COUNTS: Final = dict(zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True)) | {
    "a": 1, "an": 1, "a couple of": 2, "the next": 1, "the next two": 2, "the next three": 3, "the next four": 4,
}  # fmt: skip
_DAY: Final = f"(?P<weekday>{'|'.join(_DAYS)})"
_MONTH: Final = f"(?:{'|'.join(_MONTHS)})|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
_TENS: Final = {"twenty": 20, "thirty": 30}
_NUMBER: Final = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|(?:twenty|thirty)[- ](?:{'|'.join(_ORDINALS[:9])})|{'|'.join(_ORDINALS)})"
)
_AFTER_DAY: Final = r"(?=\s*(?:$|[,.;!?)]|(?:and|so|or|at|with|if|please|then|to)\b))"
"""After a day of the month without its month, or "on the second floor" would be one."""
_FRIDAY: Final = 4


def find_due_date(text: str, day: date) -> date | None:
    """Return the day by which something is promised in a text in lower case; None if it names none.

    Full dates count before days of the week and spans, and of several the first counts.
    """
    for expression, compute in _RULES:
        for found in expression.finditer(text):
            # a day that no calendar has is none
            with suppress(ValueError, OverflowError):
                return compute(found, day)
    return None


def _iso(found: re.Match[str], day: date) -> date:
    return date.fromisoformat(found[0])


def _calendar_day(found: re.Match[str], day: date) -> date:
    """Return a day and month, of the given year or of the next one that is not long past."""
    part = found.groupdict()
    month = next(number for number, name in enumerate(_MONTHS, 1) if name.startswith(part["month"][:3]))
    number = _ordinal(part["number"])
    if part.get("year"):
        return date(int(part["year"]), month, number)
    due = date(day.year, month, number)
    return due if day - due < timedelta(days=60) else date(day.year + 1, month, number)


def _day_of_month(found: re.Match[str], day: date) -> date:
    """Return the next day of this number."""
    number = _ordinal(found["number"])
    if number >= day.day:
        return day.replace(day=number)
    return _next_month(day).replace(day=number)


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def _weekday(found: re.Match[str], day: date) -> date:
    """Return the next day of this name; with "next" or "of next week" the one of the next calendar week."""
    number = _DAYS.index(found["weekday"])
    if "next" in found[0]:
        return _week(day, 1, number)
    return day + timedelta(days=(number - day.weekday() - 1) % 7 + 1)


def _week(day: date, weeks: int, weekday: int) -> date:
    return day + timedelta(days=7 * weeks + weekday - day.weekday())


def _span(found: re.Match[str], day: date) -> date:
    number = found["count"]
    count = int(number) if number.isdigit() else _COUNTS[" ".join(number.split())]
    unit = found["unit"]
    if unit == "month":
        month = day.month - 1 + count
        year, month = day.year + month // 12, month % 12 + 1
        return date(year, month, min(day.day, monthrange(year, month)[1]))
    return day + timedelta(days=count * (7 if unit == "week" else 1))


def _end_of_month(found: re.Match[str], day: date) -> date:
    name = found["name"]
    if name in ("this", "the"):
        return _last(day.year, day.month)
    if name == "next":
        following = _next_month(day)
        return _last(following.year, following.month)
    month = next(number for number, one in enumerate(_MONTHS, 1) if one.startswith(name[:3]))
    return _last(day.year + (month < day.month), month)


def _last(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _ordinal(text: str) -> int:
    if text[0].isdigit():
        return int(re.sub(r"\D", "", text))
    if text == "thirtieth":
        return 30
    if text in _ORDINALS:
        return _ORDINALS.index(text) + 1
    tens, ones = re.split(r"[- ]", text)
    return _TENS[tens] + _ORDINALS.index(ones) + 1


def _rules() -> Iterator[tuple[re.Pattern[str], _Compute]]:
    """Yield the forms of a day, those that decide first before others."""

    def rule(pattern: str, compute: _Compute) -> tuple[re.Pattern[str], _Compute]:
        return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), compute

    counts = "|".join(map(re.escape, sorted(_COUNTS, key=len, reverse=True)))
    yield rule(r"\d{4}-\d\d-\d\d", _iso)
    yield rule(
        rf"(?:the )?(?P<number>{_NUMBER})(?: of)? (?P<month>{_MONTH})(?:,? (?P<year>20\d\d))?", _calendar_day
    )
    yield rule(
        rf"(?P<month>(?!may (?:the )?[a-z])(?:{_MONTH})) (?:the )?(?P<number>{_NUMBER})(?:,? (?P<year>20\d\d))?",
        _calendar_day,
    )
    yield rule(rf"(?:by|on|before|until|for|of) the (?P<number>{_NUMBER}){_AFTER_DAY}", _day_of_month)
    yield rule(rf"next {_DAY}", _weekday)
    yield rule(rf"{_DAY} (?:of )?next week", _weekday)
    yield rule(r"day after tomorrow", lambda found, day: day + timedelta(days=2))
    yield rule(r"tomorrow", lambda found, day: day + timedelta(days=1))
    yield rule(r"this time next week", lambda found, day: day + timedelta(days=7))
    yield rule(_DAY, _weekday)
    yield rule(r"next week", lambda found, day: _week(day, 1, _FRIDAY))
    yield rule(
        r"end of (?:the|this) week|before the weekend|this week|by the weekend",
        lambda found, day: max(day, _week(day, 0, _FRIDAY)),
    )
    yield rule(rf"(?:in|within) (?P<count>\d{{1,3}}|{counts}) (?P<unit>day|week|month)s?", _span)
    yield rule(rf"end of (?P<name>this|the|next|{_MONTH})(?: month)?", _end_of_month)
    yield rule(
        r"today|tonight|this (?:afternoon|evening|morning)|right after (?:this|the) call",
        lambda found, day: day,
    )


_RULES: Final = tuple(_rules())
