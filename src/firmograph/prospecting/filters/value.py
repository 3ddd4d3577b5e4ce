"""Filters by ranges, and how the values of one filter are joined."""

from collections.abc import Sequence
from functools import cache
from math import inf

from msgspec import UNSET, UnsetType

from firmograph.prospecting.engines.query import Between, Criterion, all_of, any_of
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import At, Read, each, known_one, or_default
from firmograph.prospecting.filters.shapes import FundingRange, Range

MOST_RANGES = 200
"""Of one filter, once those that overlap are one: a search engine looks at every figure for each."""
_CONDITIONS = vocabularies.index_by_casefold(vocabularies.CONDITIONS)


def condition(value: str | UnsetType, at: At, name: str) -> bool:
    """Whether all values of the filter must hold, not just any; any unless the request says `and` under the name."""
    return value is not UNSET and known_one(value, _CONDITIONS, at.at(name)) == "and"


def joined(criteria: Sequence[Criterion], every: bool) -> Criterion:
    return all_of(criteria) if every and criteria else any_of(criteria)


def between(field: str, value: Range | FundingRange, at: At) -> Between:
    low, high = or_default(value.min, None), or_default(value.max, None)
    if low is not None and high is not None and low > high:
        at.at("min").refuse("must not be above max")
    return Between(field, low, high)


@cache
def ranges(field: str) -> Read[list[Range]]:
    """The filter that matches figures in any of the ranges."""

    def read(values: list[Range], at: At) -> Criterion:
        return any_range([between(field, value, place) for value, place in each(values, at)], at)

    return read


def any_range(found: Sequence[Between], at: At) -> Criterion:
    """Any of the ranges; of thousands, those that overlap become one first, which asks for the same."""
    if len(found) <= MOST_RANGES:
        return any_of(found)
    fewer = _united(found)
    if len(fewer) > MOST_RANGES:
        at.refuse(f"must have at most {MOST_RANGES} elements that do not overlap")
    return any_of(fewer)


def _united(found: Sequence[Between]) -> list[Between]:
    """The same figures, exact ones and bands, in ranges that do not touch."""
    united: list[Between] = []
    for one in sorted(found, key=lambda one: (one.field, -inf if one.low is None else one.low)):
        last = united[-1] if united else None
        if last is None or last.field != one.field or _end(last) < (one.low or 0):
            united.append(one)
        elif _end(one) > _end(last):
            united[-1] = Between(last.field, last.low, one.high)
    return united


def _end(one: Between) -> float:
    return inf if one.high is None else one.high
