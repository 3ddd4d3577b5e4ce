"""Funding part of a company's entry: rounds by coverage, amounts in US dollars, days.

See docs/reference/prospecting.md#funding.

Imported round names are free text; filters know `pre_seed`, `seed`, `series_a` to `series_h` and `other`, and seven
kinds of funding. The last round is that of the record's summary, completed by the round with the latest day.
"""

from functools import lru_cache
from typing import Final

import msgspec

from firmograph.directory.money import dollars
from firmograph.directory.names import fold
from firmograph.directory.records import Funding, FundingRound
from firmograph.prospecting.engines.document import Figures, Terms
from firmograph.prospecting.engines.fields import (
    FUNDING_ANY,
    FUNDING_ANY_DAY,
    FUNDING_LAST,
    FUNDING_LAST_DAY,
    FUNDING_TOTAL,
    FUNDING_TYPE,
    INVESTOR,
    IS_IPO,
    ROUND,
    ROUND_NAME,
)
from firmograph.prospecting.indexing.analysis import day_number, whole

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SERIES: Final = frozenset("abcdefgh")
_KINDS: Final = {
    "debt_financing": {"debt", "loan", "convertible", "credit"},
    "grant": {"grant", "grants"},
    "crowdfunding": {"crowdfunding", "crowd"},
    "angel": {"angel", "angels"},
    "private_equity": {"private", "pe", "buyout", "lbo"},
    "venture": {"venture", "vc", "seed", "preseed", "series"},
}
"""Words that identify the kind of funding, by precedence: venture debt is debt."""


def funding_terms(funding: Funding) -> Terms:
    """Return the terms of all rounds as `any_round`, and of the last one also as `last_round`."""
    terms: Terms = [] if funding.is_ipo is None else [(IS_IPO, "1" if funding.is_ipo else "0")]
    last = _last_round(funding)
    for one in _rounds(funding, last):
        terms += _round_terms("any_round", one)
        terms += [(INVESTOR, investor) for investor in one.investors]
    return terms + _round_terms("last_round", last)


def _round_terms(coverage: str, one: FundingRound) -> Terms:
    terms: Terms = []
    if name := one.round_type or one.name:
        terms.append((ROUND, f"{coverage}|{round_value(name)}"))
    if name := one.name or one.round_type:
        kind = funding_kind(name)
        if kind == "other" and one.round_type:
            kind = funding_kind(one.round_type)
        terms.append((ROUND_NAME, f"{coverage}|{kind}"))
    if one.round_type:
        terms.append((FUNDING_TYPE, whole(one.round_type)))
    return terms


def funding_figures(funding: Funding) -> Figures:
    """Return amounts and days. Amounts without a known exchange rate and unreadable days are left out."""
    last = _last_round(funding)
    rounds = _rounds(funding, last)
    figures: Figures = []
    for one in rounds:
        _add(figures, FUNDING_ANY, _amount(one, funding))
        _add(figures, FUNDING_ANY_DAY, displayed_day_number(one.round_date))
    _add(figures, FUNDING_LAST, _amount(last, funding))
    _add(figures, FUNDING_LAST_DAY, displayed_day_number(last.round_date))
    _add(figures, FUNDING_TOTAL, _total(funding))
    return figures


def _add(figures: Figures, field: str, figure: float | None) -> None:
    if figure is not None:
        figures.append((field, figure, figure))


def _amount(one: FundingRound, funding: Funding) -> float | None:
    if one.round_amount is None:
        return None
    return dollars(one.round_amount, one.currency or funding.currency)


def _total(funding: Funding) -> float | None:
    """Return the stated total, otherwise the sum of the rounds if all of them have an amount."""
    if funding.total_rounds_amount is not None:
        return dollars(funding.total_rounds_amount, funding.currency)
    amounts = [_amount(one, funding) for one in funding.rounds]
    known = [amount for amount in amounts if amount is not None]
    all_known = len(known) == len(amounts) == (funding.total_rounds or len(amounts))
    return sum(known) if known and all_known else None


def _rounds(funding: Funding, last: FundingRound) -> list[FundingRound]:
    """Return all known rounds; if only the summary mentions one, that one."""
    return funding.rounds or [last]


def _last_round(funding: Funding) -> FundingRound:
    """Return the last round, its amount in the currency of the whole; empty if nothing is known."""
    dated = [
        (day, one) for one in funding.rounds if (day := displayed_day_number(one.round_date)) is not None
    ]
    latest = max(dated, key=lambda pair: pair[0])[1] if dated else None
    if latest is None and len(funding.rounds) == 1:
        latest = funding.rounds[0]
    last = msgspec.structs.replace(latest) if latest else FundingRound()
    if funding.last_round_type:
        last.round_type = funding.last_round_type
    if funding.last_round_date:
        last.round_date = funding.last_round_date
    if funding.last_round_amount is not None:
        last.round_amount, last.currency = funding.last_round_amount, funding.currency
    return last


@lru_cache(maxsize=4_096)
def round_value(name: str) -> str:
    """Return the filter value for an imported round name: Series A-1 is `series_a`."""
    folded = fold(name)
    words = folded.split()
    if folded.startswith(("pre seed", "preseed")):
        return "pre_seed"
    if "seed" in words:
        return "seed"
    if "series" in words[:-1]:
        letter = words[words.index("series") + 1].rstrip("0123456789")
        return f"series_{letter}" if letter in _SERIES else "other"
    return "other"


@lru_cache(maxsize=4_096)
def funding_kind(name: str) -> str:
    """Return the kind of funding for an imported round name."""
    words = set(fold(name).split())
    return next((kind for kind, markers in _KINDS.items() if markers & words), "other")


@lru_cache(maxsize=16_384)
def displayed_day_number(displayed: str | None) -> int | None:
    """Return days since 1970-01-01 of `Mon D, YYYY`."""
    words = displayed.replace(",", "").split() if displayed else []
    if len(words) != 3 or words[0] not in _MONTHS:
        return None
    return day_number(f"{words[2]}-{_MONTHS.index(words[0]) + 1:02}-{words[1].zfill(2)}")
