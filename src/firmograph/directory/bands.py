"""Parser of company sizes and revenues, written as numbers or bands.

See docs/reference/filters.md#sizes.

A number becomes its band of the catalogue; a size keeps the exact figure too. A band stays as given, even across
the catalogue's limits, because a narrower band is more precise. Anything but a positive number or band gives None,
so the caller decides whether that is an error.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from firmograph.directory.records import Count, Revenue
from firmograph.directory.vocabulary import REVENUE_BANDS, SIZE_BANDS, TOP_SIZE_MAX

_SCALE = {"": 1, "k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "mil": 1e6, "million": 1e6}
_SCALE |= {"b": 1e9, "bn": 1e9, "bil": 1e9, "billion": 1e9, "t": 1e12, "trillion": 1e12}

_FIGURE = (
    r"(\d[\d,.' \u00a0]*)\s*(?:(k|thousand|mm|mn|mil(?:lion)?|m|bn|bil(?:lion)?|b|trillion|t)\.?)?(?![a-z])"
)
_BAND = re.compile(rf"{_FIGURE}\s*(?:-|–|—|to|until|\.\.+)\s*{_FIGURE}\s*\Z")
_SINGLE = re.compile(rf"{_FIGURE}\s*(\+|plus|and (?:more|over|up|above)|or more)?\s*\Z")
_FROM = re.compile(r"(?:>=?|≥|over|more than|above|at least|from)\s*(?=\d)")
_UP_TO = re.compile(r"(?:<=?|≤|under|less than|fewer than|below|up to|at most)\s*(?=\d)")
_THOUSANDS = re.compile(r"[,.' \u00a0](?=\d{3}(?!\d))")

_SIZE_WORDS = re.compile(
    r"employees?|people|persons?|staff|headcount|fte|team(?: size)?|[:~()\[\]]|approx\.?|about|ca\.|"
    r"mitarbeiter(?:innen)?|beschäftigte|employés|salariés|empleados|dipendenti|medewerkers|werknemers|funcionários"
)
_REVENUE_WORDS = re.compile(
    r"us\s?\$|usd|us dollars?|dollars?|\$|revenues?|annual|a year|per year|/ ?yea?r|"
    r"[:~()\[\]]|approx\.?|about|ca\."
)
_SELF_EMPLOYED = {
    "self employed",
    "self-employed",
    "selfemployed",
    "myself only",
    "freelancer",
    "sole trader",
}


def parse_size(value: int | float | str | Mapping[str, Any] | Count | None) -> Count | None:
    """Return employees as `{exact, min, max}`; the open top band ends at `TOP_SIZE_MAX`.

    Accepts numbers, `51-200`, `10,001+`, `1k-5k`, `>500`, `self-employed`, and objects with `exact`, `min` and `max`.
    An exact figure implies its band of the catalogue and overrides any given band.
    """
    if isinstance(value, Count):
        value = {"exact": value.exact, "min": value.min, "max": value.max}
    low, high, exact = _parse(value, _parse_size_text)
    if exact is not None:
        return _exact_size(exact)
    if low is None and high is None:
        return None
    lowest = max(1, round(low or 1))
    highest = TOP_SIZE_MAX if high is None else round(high)
    return Count(min=lowest, max=highest) if lowest <= highest <= TOP_SIZE_MAX else None


def parse_revenue(value: int | float | str | Mapping[str, Any] | Revenue | None) -> Revenue | None:
    """Return US dollars a year as `{min, max}`, without `max` for the open top band.

    Accepts numbers, `$10M-$50M`, `10-50M`, `1B+`, `<1M`, and objects with `min` and `max` or `exact`.
    Text with another currency gives None: no rate is applied.
    """
    if isinstance(value, Revenue):
        value = {"min": value.min, "max": value.max}
    low, high, exact = _parse(value, _parse_revenue_text)
    if exact is not None:
        return _exact_revenue(exact)
    if low is None and high is None:
        return None
    low = max(1.0, low or 1.0)
    return Revenue(min=low, max=high) if high is None or low <= high else None


_Span = tuple[float | None, float | None, float | None]
_NOTHING: _Span = (None, None, None)


def _parse(value: Any, parse_text: Any) -> _Span:
    """Return the lowest, highest and exact figure; positive and finite, or None."""
    if isinstance(value, str):
        span: _Span = parse_text(value)
        return span
    if isinstance(value, Mapping):
        exact = _number(value.get("exact", value.get("value")), parse_text)
        return _number(value.get("min"), parse_text), _number(value.get("max"), parse_text), exact
    return None, None, _number(value, parse_text)


def _number(value: Any, parse_text: Any) -> float | None:
    if isinstance(value, str):
        value = parse_text(value)[2]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if value > 0 and math.isfinite(value) else None


@lru_cache(maxsize=4096)
def _parse_size_text(text: str) -> _Span:
    plain = text.strip().casefold()
    if plain in _SELF_EMPLOYED:
        return None, None, 1.0
    return _span(_SIZE_WORDS.sub(" ", plain))


@lru_cache(maxsize=4096)
def _parse_revenue_text(text: str) -> _Span:
    return _span(_REVENUE_WORDS.sub(" ", text.casefold()))


def _span(text: str) -> _Span:
    text = text.strip()
    if band := _BAND.match(text):
        low, low_scale, high, high_scale = band.groups()
        # in "10-50M" both figures are millions
        return _figure(low, low_scale or high_scale), _figure(high, high_scale), None
    opened, closed = _FROM.match(text), _UP_TO.match(text)
    start = opened or closed
    single = _SINGLE.match(text, start.end() if start else 0)
    if single is None:
        return _NOTHING
    figure = _figure(single[1], single[2])
    if closed:
        return None, figure, None
    return (figure, None, None) if opened or single[3] else (None, None, figure or None)


def _figure(digits: str, scale: str | None) -> float | None:
    plain = _THOUSANDS.sub("", digits.strip()).replace(",", ".")
    try:
        return float(plain) * _SCALE[scale or ""]
    except ValueError:
        return None


def _exact_size(figure: float) -> Count | None:
    exact = max(1, round(figure))
    for low, high in SIZE_BANDS:
        if exact <= (high or TOP_SIZE_MAX):
            return Count(exact=exact, min=low, max=high or TOP_SIZE_MAX)
    return None


def _exact_revenue(figure: float) -> Revenue:
    low, high = next(band for band in REVENUE_BANDS if band[1] is None or figure <= band[1])
    return Revenue(min=float(low), max=None if high is None else float(high))
