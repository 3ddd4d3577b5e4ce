"""Ranges in filters: an exact figure decides, a band must overlap by more than an edge.

See docs/reference/prospecting.md#ranges.
"""

from collections.abc import Iterable
from math import inf
from typing import Any, NamedTuple


class Span(NamedTuple):
    """A figure, where both are the same, or a band; None is open."""

    low: float | None
    high: float | None


def in_range(held: Span, wanted: dict[str, Any]) -> bool:
    low, high = wanted.get("min", -inf), wanted.get("max", inf)
    start = -inf if held.low is None else held.low
    end = inf if held.high is None else held.high
    if start == end:
        return low <= start <= high
    return low < end and high > start


def in_ranges(held: Span, wanted: Iterable[dict[str, Any]]) -> bool:
    return any(in_range(held, one) for one in wanted if one)
