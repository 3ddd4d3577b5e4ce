"""The filters by funding. `last_funding` and `last_round` mean the same; figures are US dollars."""

from msgspec import UnsetType

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import Between, Criterion, Term
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import At, Side, day_number, each, known_one, or_default
from firmograph.prospecting.filters.shapes import (
    Funding,
    FundingDate,
    FundingName,
    FundingRange,
    FundingRound,
)
from firmograph.prospecting.filters.text import all_words, term_each
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


def funding(value: Funding, at: At) -> Side:
    side = Side(at)
    side.read("isIpo", value.is_ipo, lambda is_ipo, _: Term(fields.IS_IPO, "1" if is_ipo else "0"))
    side.read("ranges", value.ranges, amounts)
    side.read("date", value.date, since)
    side.read("rounds", value.rounds, rounds)
    side.read("names", value.names, names)
    side.read("investors", value.investors, all_words(fields.INVESTOR))
    side.read("types", value.types, types)
    return side


def amounts(values: list[FundingRange], at: At) -> Criterion:
    return any_range([_amount(value, place) for value, place in each(values, at)], at)


def _amount(value: FundingRange, at: At) -> Between:
    coverage = known_one(or_default(value.coverage, _ANY), _COVERAGES, at.at("coverage"))
    return between(_AMOUNTS[coverage or _ANY], value, at)


def since(value: FundingDate, at: At) -> Criterion:
    """Funded on this day or later."""
    last = _coverage(value.coverage, at) == _LAST
    return Between(
        fields.FUNDING_LAST_DAY if last else fields.FUNDING_ANY_DAY, low=day_number(value.date, at.at("date"))
    )


def rounds(values: list[FundingRound], at: At) -> Criterion:
    return term_each(fields.ROUND, [_round(value, place) for value, place in each(values, at)])


def _round(value: FundingRound, at: At) -> str:
    return f"{_coverage(value.coverage, at)}|{known_one(value.round, _ROUNDS, at.at('round'))}"


def names(values: list[FundingName], at: At) -> Criterion:
    return term_each(fields.ROUND_NAME, [_name(value, place) for value, place in each(values, at)])


def _name(value: FundingName, at: At) -> str:
    return f"{_coverage(value.coverage, at)}|{known_one(value.name, _NAMES, at.at('name'))}"


def _coverage(value: str | UnsetType, at: At) -> str:
    coverage = known_one(or_default(value, _ANY), _ROUND_COVERAGES, at.at("coverage"))
    return _ANY if coverage == _ANY else _LAST


def types(values: list[str], at: At) -> Criterion:
    """Types of rounds as rows named them."""
    return term_each(fields.FUNDING_TYPE, [text for value in values if (text := whole(value))])
