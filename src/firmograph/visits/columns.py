"""Sessions of websites as columns, which the query and the report read (docs/reference/website-visits.md#storage)."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from firmograph.database.connection import AccountSession
from firmograph.visits import store
from firmograph.visits.packing import DAY_SECONDS, unpack_sessions
from firmograph.visits.types import Owner, Site

_EPOCH: Final = date(1970, 1, 1).toordinal()


class Columns(NamedTuple):
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


_EMPTY: Final = Columns(
    *(np.empty(0, kind) for kind in (np.int32, np.int32, np.int64, np.int64, np.int32, np.int32)),
    *(np.empty(0, np.int16) for _ in range(3)),
)


class SiteOwner(NamedTuple):
    """Owner of sessions as one site found it."""

    site_id: int
    """A customer's id is one of the source of this site (`Site.customers`)."""
    owner: Owner


def read_columns(session: AccountSession, site_ids: Iterable[int], first_day: int, last_day: int) -> Columns:
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
    return Columns(*(np.concatenate(column) for column in zip(_EMPTY, *parts, strict=True)))


def _read_site(session: AccountSession, site: Site, first_day: int, last_day: int) -> Columns:
    starts = None if site.zone is None else _day_starts(site.zone, first_day, last_day + 1)
    if starts is None:
        first, last = first_day, last_day
    else:
        first, last = int(starts[0]) // DAY_SECONDS, (int(starts[-1]) - 1) // DAY_SECONDS
    found = unpack_sessions(b"".join(store.select_sessions_between(session, site.id, first, last)))
    if starts is None:
        days = found["started_at"] // DAY_SECONDS
    else:
        found = found[(found["started_at"] >= starts[0]) & (found["started_at"] < starts[-1])]
        days = first_day - 1 + np.searchsorted(starts, found["started_at"], side="right")
    return Columns(
        np.full(len(found), site.id, np.int32),
        *(np.ascontiguousarray(found[name]) for name in ("owner", "visitor", "started_at")),
        days.astype(np.int32),
        *(np.ascontiguousarray(found[name]) for name in ("seconds", "page_views", "intent", "country")),
    )


def _day_starts(zone: str, first_day: int, last_day: int) -> NDArray[np.int64]:
    """Return the starts of days, both inclusive, of a time zone, in seconds since 1970-01-01."""
    place = ZoneInfo(zone)
    days = (datetime.fromordinal(_EPOCH + day) for day in range(first_day, last_day + 1))
    return np.array([int(day.replace(tzinfo=place).timestamp()) for day in days], np.int64)


def read_owners(session: AccountSession, numbers: Iterable[int]) -> dict[int, SiteOwner]:
    """Return owners by number; a number never changes its meaning."""
    found = store.select_owners(session, {*map(int, numbers)})
    return {each.number: SiteOwner(each.site_id, each.owner) for each in found}


def read_revisions(session: AccountSession) -> dict[int, int]:
    """Return a number of each of the account's sites, by its id, that rises whenever its sessions change."""
    return store.select_revisions(session)
