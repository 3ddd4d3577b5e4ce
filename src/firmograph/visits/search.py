"""Companies by the visits of their people to an account's sites (docs/reference/website-visits.md)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, timedelta, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from firmograph.caller import AccountCaller
from firmograph.database.connection import AccountSession, Database
from firmograph.indexing.company_changes import SequenceState, current_position
from firmograph.kit.whole_numbers import encode
from firmograph.prospecting.service import Previews
from firmograph.visits import store
from firmograph.visits.columns import read_revisions
from firmograph.visits.metrics import SORT_KEYS, CompanyMetrics, WindowSessions
from firmograph.visits.owner_companies import OwnerCompanies
from firmograph.visits.packing import country_code
from firmograph.visits.query import VisitQuery, VisitWindow, read_query
from firmograph.visits.score import BandLimits
from firmograph.visits.session_blocks import SessionBlocks, join
from firmograph.visits.shapes import WebsiteVisitsRequest
from firmograph.visits.types import Site

_EPOCH: Final = date(1970, 1, 1)


class FoundVisits(NamedTuple):
    """Content of an answer."""

    results: Sequence[bytes]
    offset: int
    limit: int
    total: int


class WebsiteVisits:
    """Query of the visits of an account's sites."""

    def __init__(
        self,
        database: Database,
        blocks: SessionBlocks,
        companies: OwnerCompanies,
        previews: Previews,
        limits: BandLimits,
    ) -> None:
        self._database = database
        self._blocks = blocks
        self._companies = companies
        self._previews = previews
        self._limits = limits

    def find(self, caller: AccountCaller, body: WebsiteVisitsRequest, at: float) -> FoundVisits:
        """Return one page. Raises BadRequest."""
        position = current_position(self._database.session())
        with self._database.read() as reading:
            session = AccountSession(reading, caller.account_id)
            sites = store.select_sites(session)
            query = read_query(body, {site.domain: zone_of(site) for site in sites}, at)
            numbers, metrics = self._metrics(session, position, sites, query)
            chosen = query.criteria.matching(metrics, self._limits)
            shown = query.order(metrics, chosen)[query.offset : query.offset + query.limit]
            companies = numbers[metrics.company[shown]].tolist()
            previews = self._previews(reading, caller, companies)
        results = [
            _with_figures(previews[number], figures)
            for number, figures in zip(companies, self._figures(query.window, metrics, shown), strict=True)
            if number in previews
        ]
        return FoundVisits(results, query.offset, query.limit, len(chosen))

    def _metrics(
        self, session: AccountSession, position: SequenceState, sites: Sequence[Site], query: VisitQuery
    ) -> tuple[NDArray[np.int64], CompanyMetrics]:
        """Return the record numbers of companies, and metrics that refer to them."""
        first = (query.window.start - _EPOCH).days
        last = first + query.window.days - 1
        revisions = read_revisions(session)
        sessions = join(
            block
            for site in (sites[place] for place in query.sites)
            for block in self._blocks.read(
                session, site.id, (position.identity, revisions[site.id]), first, last
            )
        )
        companies = self._companies.find(session, position, sites, sessions.owner)
        places, count = companies.of(sessions.owner).astype(np.int64), len(companies.numbers)
        places[places < 0] = count
        found = WindowSessions(
            places,
            sessions.visitor,
            sessions.day - first,
            sessions.seconds,
            sessions.intent,
            sessions.country,
        )
        until = query.window.until(query.today)
        return companies.numbers, CompanyMetrics(found, count, query.window.days, until)

    def _figures(
        self, window: VisitWindow, metrics: CompanyMetrics, places: NDArray[np.int64]
    ) -> Iterator[dict[str, object]]:
        """Yield the members that are added to the preview of each company (`answers.VisitingCompany`)."""
        values = [metrics.of(key, places).tolist() for key in SORT_KEYS]
        countries = map(country_code, metrics.countries(places).tolist())
        for *figures, country in zip(*values, countries, strict=True):
            shown = dict(zip(SORT_KEYS, figures, strict=True))
            yield {
                **shown,
                "scoreBand": self._limits.band(shown["score"]),
                "lastVisit": (window.start + timedelta(shown["lastVisit"])).isoformat(),
                **({"visitorCountry": country} if country else {}),
            }


def zone_of(site: Site) -> tzinfo:
    return ZoneInfo(site.zone) if site.zone else UTC


def _with_figures(preview: bytes, figures: dict[str, object]) -> bytes:
    """Return a preview, a JSON object, with metrics."""
    return b"%s,%s" % (preview[:-1], encode(figures)[1:])
