"""The meaning of the parts of the funding filter (docs/reference/prospecting.md#funding)."""

from collections.abc import Callable
from datetime import date
from typing import Any

import msgspec
from oracle_ranges import Span, in_range
from oracle_text import has_words, whole
from record_set import Firm, Records

from firmograph.directory.money import dollars
from firmograph.directory.records import Funding, FundingRound

Json = dict[str, Any]
Matches = Callable[[Any, Firm, Records, Json], bool]

_ROUNDS = {"pre-seed": "pre_seed", "seed": "seed"}
_ROUNDS |= {f"series{sign}{letter}": f"series_{letter}" for letter in "abcdefgh" for sign in " _"}
_ROUNDS["series a1"] = "series_a"
_KINDS = {
    "angel": "angel",
    "venture": "venture",
    "venture round": "venture",
    "private equity": "private_equity",
    "crowdfunding": "crowdfunding",
    "grant": "grant",
    "debt financing": "debt_financing",
} | dict.fromkeys(_ROUNDS, "venture")
"""How records name rounds and kinds of money, and what the filters call them; anything else is other."""


def _day(text: str | None) -> date | None:
    if not text:
        return None
    month, day, year = text.replace(",", "").split()
    return date(int(year), "JanFebMarAprMayJunJulAugSepOctNovDec".index(month) // 3 + 1, int(day))


def _last_round(funding: Funding) -> FundingRound:
    """Return the last round of the summary, completed by the round of the latest day or the only one."""
    dated = [one for one in funding.rounds if one.round_date]
    latest = max(dated, key=lambda one: _day(one.round_date)) if dated else None
    if latest is None:
        latest = funding.rounds[0] if len(funding.rounds) == 1 else FundingRound()
    last = msgspec.structs.replace(latest)
    last.round_type = funding.last_round_type or last.round_type
    last.round_date = funding.last_round_date or last.round_date
    if funding.last_round_amount is not None:
        last.round_amount, last.currency = funding.last_round_amount, funding.currency
    return last


def _covered(funding: Funding, coverage: str) -> list[FundingRound]:
    """Return the last round, or all known ones; a summary alone has only the last."""
    last = [_last_round(funding)]
    return last if coverage in ("last_round", "last_funding") else funding.rounds or last


def _amounts(funding: Funding, coverage: str) -> list[float | None]:
    if coverage == "total_funds":
        return [_total(funding)]
    return [_amount(one, funding) for one in _covered(funding, coverage)]


def _amount(one: FundingRound, funding: Funding) -> float | None:
    return None if one.round_amount is None else dollars(one.round_amount, one.currency or funding.currency)


def _total(funding: Funding) -> float | None:
    if funding.total_rounds_amount is not None:
        return dollars(funding.total_rounds_amount, funding.currency)
    amounts = [_amount(one, funding) for one in funding.rounds]
    if not amounts or None in amounts or len(amounts) != (funding.total_rounds or len(amounts)):
        return None
    return sum(amount for amount in amounts if amount is not None)


def _is_ipo(value: bool, funding: Funding) -> bool:
    return funding.is_ipo is value


def _ranges(value: list[Json], funding: Funding) -> bool:
    return any(
        in_range(Span(amount, amount), requested)
        for requested in value
        for amount in _amounts(funding, requested.get("coverage", "any_round"))
        if amount is not None
    )


def _since(value: Json, funding: Funding) -> bool:
    days = [_day(one.round_date) for one in _covered(funding, value.get("coverage", "any_round"))]
    return any(day >= date.fromisoformat(value["date"]) for day in days if day)


def _round_of(one: FundingRound) -> str | None:
    named = one.round_type or one.name
    return _ROUNDS.get(named.casefold(), "other") if named else None


def _kind_of(one: FundingRound) -> str | None:
    kinds = [_KINDS.get(named.casefold(), "other") for named in (one.name, one.round_type) if named]
    return next((kind for kind in kinds if kind != "other"), kinds[0] if kinds else None)


def _rounds(value: list[Json], funding: Funding) -> bool:
    return any(
        requested["round"] == _round_of(one)
        for requested in value
        for one in _covered(funding, requested.get("coverage", "any_round"))
    )


def _names(value: list[Json], funding: Funding) -> bool:
    return any(
        requested["name"] == _kind_of(one)
        for requested in value
        for one in _covered(funding, requested.get("coverage", "any_round"))
    )


def _investors(value: list[str], funding: Funding) -> bool:
    stored = [investor for one in _covered(funding, "any_round") for investor in one.investors]
    return any(has_words(text, investor) for text in value for investor in stored)


def _types(value: list[str], funding: Funding) -> bool:
    rounds = [*_covered(funding, "any_round"), _last_round(funding)]
    stored = [whole(one.round_type) for one in rounds if one.round_type]
    return any(whole(text) in stored for text in value)


def _of_funding(part: Callable[[Any, Funding], bool]) -> Matches:
    def matches(value: Any, firm: Firm, records: Records, criteria: Json) -> bool:
        return firm.record.funding is not None and part(value, firm.record.funding)

    return matches


FUNDING: dict[str, Matches] = {
    "funding.isIpo": _of_funding(_is_ipo),
    "funding.ranges": _of_funding(_ranges),
    "funding.date": _of_funding(_since),
    "funding.rounds": _of_funding(_rounds),
    "funding.names": _of_funding(_names),
    "funding.investors": _of_funding(_investors),
    "funding.types": _of_funding(_types),
}
