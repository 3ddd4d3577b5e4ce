"""Funding filters. `last_funding` and `last_round` mean the same; figures are US dollars."""

from msgspec import UnsetType

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import Between, Criterion, Term
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import (
    FilterSet,
    RequestPath,
    day_number,
    known_value,
    or_default,
    present_items,
)
from firmograph.prospecting.filters.shapes import (
    FundingDate,
    FundingFilter,
    FundingName,
    FundingRange,
    FundingRoundFilter,
)
from firmograph.prospecting.filters.text import all_words, any_term
from firmograph.prospecting.filters.value import any_range, between
from firmograph.prospecting.indexing.analysis import whole

_COVERAGES = vocabularies.index_by_casefold(vocabularies.FUNDING_COVERAGES)
_ROUND_COVERAGES = vocabularies.index_by_casefold(vocabularies.ROUND_COVERAGES)
_ROUNDS = vocabularies.index_by_casefold(vocabularies.FUNDING_ROUNDS)
_NAMES = vocabularies.index_by_casefold(vocabularies.FUNDING_NAMES)

_AMOUNTS = {
    "last_funding": fields.FUNDING_LAST,
    "last_round": fields.FUNDING_LAST,
    "any_round": fields.FUNDING_ANY,
    "total_funds": fields.FUNDING_TOTAL,
}
_LAST, _ANY = "last_round", "any_round"


def funding(value: FundingFilter, path: RequestPath) -> FilterSet:
    filters = FilterSet(path)
    filters.add("isIpo", value.is_ipo, lambda is_ipo, _: Term(fields.IS_IPO, "1" if is_ipo else "0"))
    filters.add("ranges", value.ranges, amounts)
    filters.add("date", value.date, since)
    filters.add("rounds", value.rounds, rounds)
    filters.add("names", value.names, names)
    filters.add("investors", value.investors, all_words(fields.INVESTOR))
    filters.add("types", value.types, types)
    return filters


def amounts(values: list[FundingRange], path: RequestPath) -> Criterion:
    return any_range([_amount(value, item_path) for value, item_path in present_items(values, path)], path)


def _amount(value: FundingRange, path: RequestPath) -> Between:
    coverage = known_value(or_default(value.coverage, _ANY), _COVERAGES, path.child("coverage"))
    return between(_AMOUNTS[coverage or _ANY], value, path)


def since(value: FundingDate, path: RequestPath) -> Criterion:
    """Match companies funded on this day or later."""
    last = _coverage(value.coverage, path) == _LAST
    return Between(
        fields.FUNDING_LAST_DAY if last else fields.FUNDING_ANY_DAY,
        low=day_number(value.date, path.child("date")),
    )


def rounds(values: list[FundingRoundFilter], path: RequestPath) -> Criterion:
    return any_term(
        fields.ROUND, [_round(value, item_path) for value, item_path in present_items(values, path)]
    )


def _round(value: FundingRoundFilter, path: RequestPath) -> str:
    return f"{_coverage(value.coverage, path)}|{known_value(value.round, _ROUNDS, path.child('round'))}"


def names(values: list[FundingName], path: RequestPath) -> Criterion:
    return any_term(
        fields.ROUND_NAME, [_name(value, item_path) for value, item_path in present_items(values, path)]
    )


def _name(value: FundingName, path: RequestPath) -> str:
    return f"{_coverage(value.coverage, path)}|{known_value(value.name, _NAMES, path.child('name'))}"


def _coverage(value: str | UnsetType, path: RequestPath) -> str:
    coverage = known_value(or_default(value, _ANY), _ROUND_COVERAGES, path.child("coverage"))
    return _ANY if coverage == _ANY else _LAST


def types(values: list[str], path: RequestPath) -> Criterion:
    """Match types of rounds, as imported."""
    return any_term(fields.FUNDING_TYPE, [text for value in values if (text := whole(value))])
