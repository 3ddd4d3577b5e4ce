"""Range filters, and the combination of a filter's values."""

from collections.abc import Sequence
from functools import cache
from math import inf

from msgspec import UNSET, UnsetType

from firmograph.prospecting.engines.query import Between, Criterion, all_of, any_of
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import (
    FilterParser,
    RequestPath,
    known_value,
    or_default,
    present_items,
)
from firmograph.prospecting.filters.shapes import FundingRange, Range

MAX_RANGES = 200
"""Maximum number of ranges per filter after merging; a search engine scans all figures for each range."""
_CONDITIONS = vocabularies.index_by_casefold(vocabularies.CONDITIONS)


def requires_all(value: str | UnsetType, path: RequestPath, name: str) -> bool:
    """Check whether the request demands all values of a filter (`and`) instead of any."""
    return value is not UNSET and known_value(value, _CONDITIONS, path.child(name)) == "and"


def combine(criteria: Sequence[Criterion], every: bool) -> Criterion:
    return all_of(criteria) if every and criteria else any_of(criteria)


def between(field: str, value: Range | FundingRange, path: RequestPath) -> Between:
    low, high = or_default(value.min, None), or_default(value.max, None)
    if low is not None and high is not None and low > high:
        path.child("min").refuse("must not be above max")
    return Between(field, low, high)


@cache
def ranges(field: str) -> FilterParser[list[Range]]:
    """Return the parser that matches figures in any of the ranges."""

    def parse(values: list[Range], path: RequestPath) -> Criterion:
        return any_range(
            [between(field, value, item_path) for value, item_path in present_items(values, path)], path
        )

    return parse


def any_range(found: Sequence[Between], path: RequestPath) -> Criterion:
    """Match any of the ranges. If there are many, overlapping ones are merged first."""
    if len(found) <= MAX_RANGES:
        return any_of(found)
    fewer = _merge_overlapping(found)
    if len(fewer) > MAX_RANGES:
        path.refuse(f"must have at most {MAX_RANGES} elements that do not overlap")
    return any_of(fewer)


def _merge_overlapping(found: Sequence[Between]) -> list[Between]:
    """Return ranges that do not touch and contain the same figures, exact values and bands."""
    merged: list[Between] = []
    for one in sorted(found, key=lambda one: (one.field, -inf if one.low is None else one.low)):
        last = merged[-1] if merged else None
        if last is None or last.field != one.field or _end(last) < (one.low or 0):
            merged.append(one)
        elif _end(one) > _end(last):
            merged[-1] = Between(last.field, last.low, one.high)
    return merged


def _end(one: Between) -> float:
    return inf if one.high is None else one.high
