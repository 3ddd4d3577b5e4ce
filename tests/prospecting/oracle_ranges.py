"""Ranges in filters: an exact figure must be inside, a band must overlap by more than an edge.

See docs/reference/prospecting.md#ranges.
"""

from collections.abc import Iterable
from math import inf
from typing import Any, NamedTuple


class Span(NamedTuple):
    """A figure, with equal ends, or a band; None is an open end."""

    low: float | None
    high: float | None


def in_range(figure: Span, limits: dict[str, Any]) -> bool:
    low, high = limits.get("min", -inf), limits.get("max", inf)
    start = -inf if figure.low is None else figure.low
    end = inf if figure.high is None else figure.high
    if start == end:
        return low <= start <= high
    return low < end and high > start


def in_ranges(figure: Span, limits: Iterable[dict[str, Any]]) -> bool:
    return any(in_range(figure, one) for one in limits if one)
