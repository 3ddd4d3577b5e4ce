"""What an index holds of one record: its values by field, its place in the order, its position."""

from typing import NamedTuple

Terms = list[tuple[str, str]]
"""(field, value) pairs of fields of terms and of entries; a pair may come twice."""

Figures = list[tuple[str, float, float]]
"""(field, low, high) of fields of figures; an exact figure has `low == high`."""


class Entry(NamedTuple):
    """One record as an index holds it."""

    number: int
    company: int | None
    """Of a contact: the number of its company record. Of a company: None."""
    points: int
    """Completeness, 0..255 (`completeness.py`): higher comes first."""
    day: int
    """`updateDate` in days since 1970-01-01, 0 when absent; later comes first. 0..65535."""
    terms: Terms
    figures: Figures
    position: tuple[float, float] | None = None
    """Latitude and longitude in degrees, rounded to 7 digits behind the point."""
