"""Page views and sessions of suppressed people, who are known by the hash of their e-mail address."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import DAY_SECONDS, iso
from firmograph.privacy.declarations import Erasure, People
from firmograph.visits import store
from firmograph.visits.packing import PAGE_VIEW, country_code, unpack_sessions, visitor_number
from firmograph.visits.service import remove_visitors
from firmograph.visits.store import StoredDay

Rows = Iterable[Mapping[str, Any]]


def erase_visitors(erasure: Erasure) -> None:
    """Delete the page views and sessions of the people on the sites of all accounts."""
    keys = erasure.people.keys
    if not keys:
        return
    for site in store.select_every_site(erasure.session):
        own = AccountSession(erasure.session, site.account_id)
        # an addition that has asked whether they are suppressed ends first, and a later one asks again
        if store.lock_site(own, site.id):
            remove_visitors(own, site.id, keys)


def find_page_views(session: Session, people: People) -> Rows:
    """Yield the page views of the people, by site and day."""
    for own, site_id, day in _find(session, people):
        yield {"account_id": own.account_id, "site_id": site_id, **day._asdict()}


def find_sessions(session: Session, people: People) -> Rows:
    """Yield the sessions of the people, by site and day."""
    for own, site_id, (visitor, day, _) in _find(session, people):
        for packed in store.select_sessions(own, site_id, [day]).values():
            held = unpack_sessions(packed)
            theirs = held[np.equal(held["visitor"], visitor_number(visitor))]
            if len(theirs):
                shown = {"day": day, "sessions": theirs.tobytes()}
                yield {"account_id": own.account_id, "site_id": site_id, **shown}


def read_page_views(row: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the times of a visitor's page views on a day; pages are stored as keyed hashes."""
    start = row["day"] * DAY_SECONDS
    times = [iso(start + second) for second, *_ in PAGE_VIEW.iter_unpack(row["page_views"])]
    return {"accountId": row["account_id"], "siteId": row["site_id"], "viewedAt": times}


def read_sessions(row: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the sessions of a visitor on a day."""
    sessions = [
        {
            "startedAt": iso(int(each["started_at"])),
            "seconds": int(each["seconds"]),
            "pageViews": int(each["page_views"]),
            "intentPageViews": int(each["intent"]),
            "country": country_code(int(each["country"])),
        }
        for each in unpack_sessions(row["sessions"])
    ]
    return {"accountId": row["account_id"], "siteId": row["site_id"], "sessions": sessions}


def _find(session: Session, people: People) -> Iterator[tuple[AccountSession, int, StoredDay]]:
    for site in store.select_every_site(session) if people.keys else ():
        own = AccountSession(session, site.account_id)
        for day in store.select_visitors(own, site.id, people.keys):
            yield own, site.id, day
