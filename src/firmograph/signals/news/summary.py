"""Stored parts of an article: a generated summary, one quoted sentence and two dates, never the whole text."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from firmograph.signals.news.table import summaries

HIGHLIGHT: Final = 500
"""Limit of characters of the quoted sentence."""
_SEVERAL: Final = re.compile(r"\[(.*?)\]")
_MONTHS: Final = (
    "january february march april may june july august september october november december".split()
)
_MONTH: Final = "|".join(f"{month}|{month[:3]}\\.?" for month in _MONTHS)
_DAY: Final = re.compile(
    r"\b(?:on|effective|as of|from|starting|beginning)\s+(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?"
    rf"(?:(?P<month>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{{4}}))?"
    rf"|(?P<day2>\d{{1,2}})\s+(?P<month2>{_MONTH})(?:,?\s+(?P<year2>\d{{4}}))?"
    rf"|(?P<iso>\d{{4}}-\d\d-\d\d))\b",
    re.IGNORECASE,
)


def summarise(event: str, companies: Sequence[str]) -> str:
    """Return the event in one sentence: Acme announced a partnership with Globex."""
    names = list(dict.fromkeys(companies))
    others = " and ".join(filter(None, (", ".join(names[1:-1]), names[-1]))) if len(names) > 1 else ""
    text = _SEVERAL.sub(lambda part: part[1] if others else "", summaries()[event])
    return text.format(first=names[0] if names else "A company", others=others) + "."


def highlight(sentence: str) -> str:
    """Shorten a sentence to `HIGHLIGHT` characters, at the end of a word."""
    if len(sentence) <= HIGHLIGHT:
        return sentence
    return sentence[: HIGHLIGHT - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def effective_date(sentence: str, published: str) -> str:
    """Return the only day that a sentence names (on March 3, effective January 1, 2020), else the day of the article.

    A day without a year is the one nearest to the article's day.
    """
    days = {found for match in _DAY.finditer(sentence) if (found := _day(match, published))}
    return days.pop() if len(days) == 1 else published


def _day(match: re.Match[str], published: str) -> str | None:
    part = match.groupdict()
    try:
        if part["iso"]:
            return date.fromisoformat(part["iso"]).isoformat()
        name = (part["month"] or part["month2"]).lower()[:3]
        month = next(number for number, one in enumerate(_MONTHS, 1) if one.startswith(name))
        day, year = int(part["day"] or part["day2"]), part["year"] or part["year2"]
        if year:
            return date(int(year), month, day).isoformat()
        return _nearest(month, day, date.fromisoformat(published))
    except ValueError:
        return None


def _nearest(month: int, day: int, to: date) -> str:
    years = [year for year in (to.year - 1, to.year, to.year + 1) if 1 <= year <= 9999]
    return min((date(year, month, day) for year in years), key=lambda one: abs(one - to)).isoformat()
