"""Filters by ranges, and how the values of one filter are joined."""

from collections.abc import Sequence
from functools import cache

from msgspec import UNSET, UnsetType

from firmograph.prospecting import vocabularies
from firmograph.prospecting.criteria import Between, Criterion, all_of, any_of
from firmograph.prospecting.criteria_shapes import FundingRange, Range
from firmograph.prospecting.reading import At, Read, each, known_one

_CONDITIONS = vocabularies.by_spelling(vocabularies.CONDITIONS)


def condition(value: str | UnsetType, at: At, name: str) -> bool:
    """Whether all values of the filter must hold, not just any; any unless the request says `and` under the name."""
    return value is not UNSET and known_one(value, _CONDITIONS, at.at(name)) == "and"


def joined(criteria: Sequence[Criterion], every: bool) -> Criterion:
    return all_of(criteria) if every and criteria else any_of(criteria)


def between(field: str, value: Range | FundingRange, at: At) -> Criterion:
    low = None if value.min is UNSET else value.min
    high = None if value.max is UNSET else value.max
    if low is not None and high is not None and low > high:
        at.at("min").refuse("must not be above max")
    return Between(field, low, high)


@cache
def ranges(field: str) -> Read[list[Range]]:
    """The filter that matches figures in any of the ranges."""

    def read(values: list[Range], at: At) -> Criterion:
        return any_of([between(field, value, place) for value, place in each(values, at)])

    return read
