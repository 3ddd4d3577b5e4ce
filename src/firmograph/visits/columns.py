"""Sessions of websites as columns, which the query and the report read (docs/reference/visit-tracking.md#storage)."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from firmograph.database.connection import AccountSession
from firmograph.kit.clock import DAY_SECONDS
from firmograph.visits import store
from firmograph.visits.packing import SESSION, SessionArray, unpack_sessions
from firmograph.visits.types import Site, VisitOwner

_EPOCH: Final = date(1970, 1, 1).toordinal()


class SessionColumns(NamedTuple):
    """Sessions of some sites by start, in arrays of one length."""

    site: NDArray[np.int32]
    """Id of the site."""
    owner: NDArray[np.int32]
    """Number of the owner (`read_owners`), 0 without one."""
    visitor: NDArray[np.int64]
    """Hash of the visitor; the same on all sites of the account for those with an e-mail hash or a customer id."""
    started_at: NDArray[np.int64]
    """Seconds since 1970-01-01 UTC."""
    day: NDArray[np.int32]
    """Day of the start in the site's zone, in days since 1970-01-01."""
    seconds: NDArray[np.int32]
    page_views: NDArray[np.int16]
    intent: NDArray[np.int16]
    """Page views that fit an intent pattern."""
    country: NDArray[np.int16]
    """`packing.country_number` of an ISO 3166-1 alpha-2 code, 0 if unknown."""


class SiteOwner(NamedTuple):
    """Owner of sessions as one site found it."""

    site_id: int
    """A customer's id is one of the source of this site (`Site.customers`)."""
    owner: VisitOwner


def read_columns(
    session: AccountSession, site_ids: Iterable[int], first_day: int, last_day: int
) -> SessionColumns:
    """Return the sessions of the account's sites that started on these days, both inclusive, in each site's zone.

    Days are days since 1970-01-01. Sessions below `visit_confidence` are among them, with their owner. One statement,
    and one for each site.
    """
    wanted = set(site_ids)
    parts = [
        _read_site(session, site, first_day, last_day)
        for site in store.select_sites(session)
        if site.id in wanted
    ]
    empty = _columns(0, unpack_sessions(b""), np.empty(0, np.int64))
    return SessionColumns._make(map(np.concatenate, zip(empty, *parts, strict=True)))


def _read_site(session: AccountSession, site: Site, first_day: int, last_day: int) -> SessionColumns:
    # a day of a zone lies on two UTC days
    around = 0 if site.zone is None else 1
    blocks = store.select_sessions_between(session, site.id, first_day - around, last_day + around)
    found = unpack_sessions(b"".join(blocks))
    days = found["started_at"] // DAY_SECONDS
    if site.zone is not None and len(found):
        days = _days_in_zone(site.zone, found["started_at"], int(days.min()) - 1, int(days.max()) + 1)
        chosen = (days >= first_day) & (days <= last_day)
        found, days = found[chosen], days[chosen]
    return _columns(site.id, found, days)


def _columns(site_id: int, found: SessionArray, days: NDArray[np.int64]) -> SessionColumns:
    fields = {name: np.ascontiguousarray(found[name]) for name in SESSION.names or ()}
    return SessionColumns(site=np.full(len(found), site_id, np.int32), day=days.astype(np.int32), **fields)


def _days_in_zone(zone: str, times: NDArray[np.int64], first_day: int, last_day: int) -> NDArray[np.int64]:
    """Return the days of times in a zone, which lie on these days, both inclusive."""
    place = ZoneInfo(zone)
    days = (datetime.fromordinal(_EPOCH + day) for day in range(first_day, last_day + 1))
    starts = np.array([int(day.replace(tzinfo=place).timestamp()) for day in days], np.int64)
    return first_day - 1 + np.searchsorted(starts, times, side="right")


def read_owners(session: AccountSession, numbers: Iterable[int]) -> dict[int, SiteOwner]:
    """Return owners by number; a number never changes its meaning."""
    found = store.select_owners(session, {*map(int, numbers)})
    return {each.number: SiteOwner(each.site_id, each.owner) for each in found}


def read_revisions(session: AccountSession) -> dict[int, int]:
    """Return a number of each of the account's sites, by its id, that rises whenever its sessions change."""
    return store.select_revisions(session)
