"""Report of visits for the operator: sessions by the way that their company was found, and what answers hide."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.database.connection import AccountSession, Database
from firmograph.visits import store
from firmograph.visits.columns import SessionColumns, read_columns, read_owners
from firmograph.visits.packing import unpack_measured
from firmograph.visits.types import OwnerKind, Site

_WAYS = {
    OwnerKind.DOMAIN: "passed domain",
    OwnerKind.CUSTOMER: "customer id",
    OwnerKind.NETWORK: "network",
    OwnerKind.REVERSE_DNS: "reverse DNS",
}
_NO_COMPANY = "none"


class WayCounts(NamedTuple):
    """Sessions whose company was found in one way, with one confidence."""

    way: str
    confidence: float | None
    sessions: int
    page_views: int
    high_intent_page_views: int
    visitors: int
    companies: int
    """Domains, customer ids or names, of which some may be no held company."""
    hidden: bool
    """Whether answers leave them out: without a company, or below `visit_confidence`."""


class LookedAt(NamedTuple):
    """Times for which pages were looked at, of page views that were measured."""

    page_views: int
    median_seconds: float | None
    """None without any."""
    high_intent_page_views: int
    high_intent_median_seconds: float | None


class VisitReports:
    """Reports of the sites of all accounts."""

    def __init__(self, database: Database, least_confidence: float) -> None:
        self._database = database
        self._least = least_confidence

    def report(self, sites: Sequence[Site], first_day: int, last_day: int) -> list[WayCounts]:
        """Return the counts of sites of one account on days, both inclusive: by way, the surest first."""
        if not sites:
            return []
        with self._database.read() as session:
            own = AccountSession(session, sites[0].account_id)
            columns = read_columns(own, [site.id for site in sites], first_day, last_day)
            owners = read_owners(own, np.unique(columns.owner).tolist())
        groups: dict[tuple[int, float], list[int]] = {}
        for number, found in owners.items():
            groups.setdefault((found.owner.kind, -found.owner.confidence), []).append(number)
        return list(self._counts(columns, groups, {number: one.owner.key for number, one in owners.items()}))

    def looked_at(self, sites: Sequence[Site], first_day: int, last_day: int) -> LookedAt:
        """Return for how long pages of sites of one account were looked at on UTC days, both inclusive."""
        parts = [unpack_measured(b"")]
        with self._database.read() as session:
            for site in sites:
                own = AccountSession(session, site.account_id)
                months = store.select_page_views_between(own, site.id, first_day, last_day)
                parts.extend(map(unpack_measured, months))
        measured = np.concatenate(parts)
        of_intent = measured[measured["intent"] != 0]
        return LookedAt(
            len(measured), _median(measured["seconds"]), len(of_intent), _median(of_intent["seconds"])
        )

    def _counts(
        self, columns: SessionColumns, groups: dict[tuple[int, float], list[int]], keys: dict[int, str]
    ) -> Iterator[WayCounts]:
        for (kind, negative), numbers in sorted(groups.items()):
            companies = {keys[number] for number in numbers}
            hidden = -negative < self._least
            chosen = np.isin(columns.owner, numbers)
            yield _count(columns, chosen, _WAYS[OwnerKind(kind)], -negative, len(companies), hidden=hidden)
        without = columns.owner == 0
        if without.any():
            yield _count(columns, without, _NO_COMPANY, None, 0, hidden=True)


def _median(seconds: NDArray[np.uint16]) -> float | None:
    return float(np.median(seconds)) if len(seconds) else None


def _count(
    columns: SessionColumns,
    chosen: NDArray[np.bool_],
    way: str,
    confidence: float | None,
    companies: int,
    *,
    hidden: bool,
) -> WayCounts:
    return WayCounts(
        way,
        confidence,
        int(chosen.sum()),
        int(columns.page_views[chosen].sum()),
        int(columns.intent[chosen].sum()),
        len(np.unique(columns.visitor[chosen])),
        companies,
        hidden,
    )
