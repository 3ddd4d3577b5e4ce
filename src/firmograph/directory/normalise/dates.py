"""Days, from the date forms that files hold."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

_MAX_TEXT = 64
_MONTH = re.compile(r"\d{4}-\d{2}", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)


def normalise_date(text: str) -> str | None:
    """The day as `YYYY-MM-DD`.

    From ISO 8601 dates and date-times; one with a zone gives its day in UTC, one without is taken as UTC
    (decisions, row 17). `YYYY-MM` and `YYYY` stand for their first day. None for anything else, days that
    no calendar has included.
    """
    return _day(text) if len(text) <= _MAX_TEXT else None


@lru_cache(maxsize=16_384)
def _day(text: str) -> str | None:
    text = text.strip()
    if _YEAR.fullmatch(text):
        text += "-01-01"
    elif _MONTH.fullmatch(text):
        text += "-01"
    try:
        if len(text) <= 10:
            return date.fromisoformat(text).isoformat()
        at = datetime.fromisoformat(text)
        return (at.astimezone(UTC) if at.tzinfo else at).date().isoformat()
    except (ValueError, OverflowError):
        return None
