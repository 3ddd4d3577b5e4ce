"""Entries: one record as a search engine indexes it."""

from typing import NamedTuple

Terms = list[tuple[str, str]]
"""(field, value) pairs of term and text fields; a pair may occur twice."""

Figures = list[tuple[str, float, float]]
"""(field, low, high) of figure fields; an exact figure has `low == high`."""


class Entry(NamedTuple):
    """Indexed content of one record."""

    number: int
    company: int | None
    """Number of the company record of a contact; None for a company."""
    points: int
    """Completeness, 0..255 (`completeness.py`); higher comes first."""
    day: int
    """`updateDate` in days since 1970-01-01, 0 when absent, at most 65535; later comes first."""
    terms: Terms
    figures: Figures
    position: tuple[float, float] | None = None
    """Latitude and longitude in degrees, rounded to 7 decimal places."""
