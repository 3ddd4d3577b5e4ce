"""Normalisation of dates as files contain them."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

from firmograph.directory.normalise.plain_text import plain_text
from firmograph.directory.normalise.written_dates import Order, written_day

_MAX_TEXT = 64
_MONTH = re.compile(r"\d{4}-\d{2}", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)


def normalise_date(text: str, order: Order | None = None) -> str | None:
    """Return the day as `YYYY-MM-DD`, or None.

    See docs/reference/records.md#dates.

    Accepts ISO 8601 dates and date-times (with a zone, the day in UTC; without one, UTC is assumed); `YYYY-MM` and
    `YYYY` mean their first day. Also dates with names of months, serial days of spreadsheets, seconds and milliseconds
    since 1970, and numeric dates if a day above 12, dots or `order` show whether day or month comes first. Days that
    do not exist give None.
    """
    return _day(text, order) if len(text) <= _MAX_TEXT else None


@lru_cache(maxsize=16_384)
def _day(text: str, order: Order | None) -> str | None:
    text = plain_text(text)
    if len(text) > 8 and text.isdecimal():
        found = written_day(text, order)
    else:
        found = _iso_day(text) or (written_day(text, order) if text else None)
    return found.isoformat() if found else None


def _iso_day(text: str) -> date | None:
    if _YEAR.fullmatch(text):
        text += "-01-01"
    elif _MONTH.fullmatch(text):
        text += "-01"
    try:
        if len(text) <= 10:
            return date.fromisoformat(text)
        at = datetime.fromisoformat(text)
        return (at.astimezone(UTC) if at.tzinfo else at).date()
    except (ValueError, OverflowError):
        return None
