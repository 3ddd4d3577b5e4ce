"""Funding as an index holds it: rounds by coverage, amounts in US dollars, days.

Rows name rounds freely; filters know `pre_seed`, `seed`, `series_a` to `series_h` and `other`, and seven kinds of
money (wire-a 4.1). The last round is what the record's summary says, completed by its round of the latest day.
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
"""Words that tell the kind of money, in the order in which they decide: venture debt is debt."""


def funding_terms(funding: Funding) -> Terms:
    """Every round counts as `any_round`, the last also as `last_round`."""
    terms: Terms = [] if funding.is_ipo is None else [(IS_IPO, "1" if funding.is_ipo else "0")]
    last = _last_round(funding)
    for one in _rounds(funding, last):
        terms += _round_terms("any_round", one)
        terms += [(INVESTOR, investor) for investor in one.investors]
    return terms + _round_terms("last_round", last)


def _round_terms(coverage: str, one: FundingRound) -> Terms:
    terms: Terms = []
    if named := one.round_type or one.name:
        terms.append((ROUND, f"{coverage}|{round_of(named)}"))
    if named := one.name or one.round_type:
        kind = kind_of(named)
        if kind == "other" and one.round_type:
            kind = kind_of(one.round_type)
        terms.append((ROUND_NAME, f"{coverage}|{kind}"))
    if one.round_type:
        terms.append((FUNDING_TYPE, whole(one.round_type)))
    return terms


def funding_figures(funding: Funding) -> Figures:
    """Amounts without a known rate, and days that cannot be read, are left out."""
    last = _last_round(funding)
    rounds = _rounds(funding, last)
    figures: Figures = []
    for one in rounds:
        _add(figures, FUNDING_ANY, _amount(one, funding))
        _add(figures, FUNDING_ANY_DAY, shown_day_number(one.round_date))
    _add(figures, FUNDING_LAST, _amount(last, funding))
    _add(figures, FUNDING_LAST_DAY, shown_day_number(last.round_date))
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
    """As the record says, else the sum of its rounds where all of them are held with an amount."""
    if funding.total_rounds_amount is not None:
        return dollars(funding.total_rounds_amount, funding.currency)
    amounts = [_amount(one, funding) for one in funding.rounds]
    known = [amount for amount in amounts if amount is not None]
    all_known = len(known) == len(amounts) == (funding.total_rounds or len(amounts))
    return sum(known) if known and all_known else None


def _rounds(funding: Funding, last: FundingRound) -> list[FundingRound]:
    """All that are known: where only the summary tells of one, that one."""
    return funding.rounds or [last]


def _last_round(funding: Funding) -> FundingRound:
    """What is known of the last round, its amount in the currency of the whole; empty if nothing is."""
    dated = [(day, one) for one in funding.rounds if (day := shown_day_number(one.round_date)) is not None]
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
def round_of(named: str) -> str:
    """The round of the filter's vocabulary that a row's name for it means: Series A-1 is `series_a`."""
    folded = fold(named)
    split = folded.split()
    if folded.startswith(("pre seed", "preseed")):
        return "pre_seed"
    if "seed" in split:
        return "seed"
    if "series" in split[:-1]:
        letter = split[split.index("series") + 1].rstrip("0123456789")
        return f"series_{letter}" if letter in _SERIES else "other"
    return "other"


@lru_cache(maxsize=4_096)
def kind_of(named: str) -> str:
    """The kind of money of the filter's vocabulary that a row's name for a round means."""
    split = set(fold(named).split())
    return next((kind for kind, telling in _KINDS.items() if split & telling), "other")


@lru_cache(maxsize=16_384)
def shown_day_number(shown: str | None) -> int | None:
    """Days since 1970-01-01 of `Mon D, YYYY`."""
    split = shown.replace(",", "").split() if shown else []
    if len(split) != 3 or split[0] not in _MONTHS:
        return None
    return day_number(f"{split[2]}-{_MONTHS.index(split[0]) + 1:02}-{split[1].zfill(2)}")
