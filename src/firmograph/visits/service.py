"""Page views of sites: storage, in any order and portions, and the sessions derived from them.

A visitor's page views of a UTC day are one row; sessions are stored by the day of their start. A change of a visitor's
day derives the sessions of the days around it again, as far as its page views may belong to one session.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from firmograph.database.connection import AccountSession, Database
from firmograph.kit.clock import DAY_SECONDS
from firmograph.kit.errors import Refused
from firmograph.privacy.person_keys import suppressed_among
from firmograph.visits import store
from firmograph.visits.packing import (
    SESSION,
    make_sessions,
    owner_numbers,
    pack_page_views,
    replace_sessions,
    unpack_page_views,
    unpack_sessions,
    visitor_number,
)
from firmograph.visits.sessions import BREAK_SECONDS, ROBOTS_MARK, merge, sessions_of_visitor
from firmograph.visits.store import StoredDay
from firmograph.visits.types import AddedPageViews, PageView, Site, VisitOwner, VisitSession

_BATCH: Final = 4_000
"""Page views of one transaction: some 100 ms of the embedded database's writer."""

_Place = tuple[int, bytes]
"""Second and path of a page view."""


class PageViews:
    """Page views of the sites of all accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, site: Site, page_views: Iterable[PageView | None]) -> AddedPageViews:
        """Add page views of a site and derive their sessions. None stands for one of a closed quarter.

        Each 4,000 are one transaction; the same ones again change nothing. Raises Refused if the site is not tracked
        any more, and Busy.
        """
        counts: Counter[str] = Counter()
        waiting = iter(page_views)
        while batch := list(islice(waiting, _BATCH)):
            given = [one for one in batch if one is not None]
            counts["closed"] += len(batch) - len(given)
            if given:
                counts.update(self._add(site, given))
        return AddedPageViews(**counts)

    def _add(self, site: Site, given: Sequence[PageView]) -> Mapping[str, int]:
        with self._database.write(None) as session:
            own = AccountSession(session, site.account_id)
            if not store.lock_site(own, site.id):
                raise Refused(
                    f"{site.domain} is not tracked any more; track it with `firmograph visits track`"
                )
            # asked under the lock, which an erasure takes as well
            suppressed = suppressed_among(session, {one.visitor for one in given})
            allowed = [one for one in given if one.visitor not in suppressed] if suppressed else given
            counts = _Addition(own, site.id).add(allowed) if allowed else {}
        return {**counts, "suppressed": len(given) - len(allowed)}


class _Addition:
    """Addition of page views to one site, in the transaction that has locked it."""

    def __init__(self, session: AccountSession, site_id: int) -> None:
        self._session = session
        self._site_id = site_id
        self._days: dict[bytes, dict[int, dict[_Place, PageView]]] = defaultdict(dict)
        """Page views by visitor, UTC day and place, as far as they are read."""
        self._owners: dict[int, VisitOwner] = {}

    def add(self, given: Sequence[PageView]) -> Mapping[str, int]:
        """Add page views and return counts of `AddedPageViews`."""
        times = [one.at // DAY_SECONDS for one in given]
        self._first, self._last = min(times) - 1, max(times) + 1
        self._load({one.visitor for one in given}, self._first, self._last)
        counts = Counter(new=0, known=0, sessions=0)
        changed: dict[bytes, set[int]] = defaultdict(set)
        for one, day in zip(given, times, strict=True):
            views = self._days[one.visitor].setdefault(day, {})
            known = views.get((one.at, one.path))
            merged = one if known is None else merge(known, one)
            if one.path != ROBOTS_MARK:
                counts["new" if known is None else "known"] += 1
            if merged is not known:
                views[one.at, one.path] = merged
                changed[one.visitor].add(day)
        if changed:
            counts["sessions"] = self._write(changed)
        return counts

    def _load(self, visitors: Collection[bytes], first: int, last: int) -> None:
        stored = store.select_page_views(self._session, self._site_id, visitors, first, last)
        numbers = {number for each in stored for number in owner_numbers(each.page_views)}
        found = store.select_owners(self._session, numbers - self._owners.keys())
        self._owners.update((each.number, each.owner) for each in found)
        for visitor, day, packed in stored:
            views = unpack_page_views(packed, visitor, day, self._owners)
            self._days[visitor][day] = {(one.at, one.path): one for one in views}

    def _write(self, changed: Mapping[bytes, Collection[int]]) -> int:
        """Write changed days and the sessions around them; return the number of sessions more than before."""
        numbers = self._number_owners(changed)
        store.put_page_views(
            self._session,
            self._site_id,
            [
                StoredDay(visitor, day, pack_page_views(self._days[visitor][day].values(), day, numbers))
                for visitor, days in changed.items()
                for day in days
            ],
        )
        visitors: dict[int, set[int]] = defaultdict(set)
        sessions: dict[int, list[VisitSession]] = defaultdict(list)
        for visitor, days in changed.items():
            around = {each for day in days for each in self._days_around(visitor, day)}
            for day in around:
                visitors[day].add(visitor_number(visitor))
            views = (one for day in around for one in self._days[visitor][day].values())
            for found in sessions_of_visitor(views):
                sessions[found.started_at // DAY_SECONDS].append(found)
        held = store.select_sessions(self._session, self._site_id, visitors)
        derived = {
            day: replace_sessions(
                unpack_sessions(held.get(day, b"")), some, make_sessions(sessions[day], numbers)
            ).tobytes()
            for day, some in visitors.items()
        }
        differing = {day: packed for day, packed in derived.items() if packed != held.get(day, b"")}
        if differing:
            store.put_sessions(self._session, self._site_id, differing)
            store.raise_revision(self._session, self._site_id)
        return (
            sum(len(packed) - len(held.get(day, b"")) for day, packed in differing.items())
            // SESSION.itemsize
        )

    def _number_owners(self, changed: Mapping[bytes, Collection[int]]) -> dict[VisitOwner, int]:
        """Return the numbers of all owners that are read or new."""
        numbers = {owner: number for number, owner in self._owners.items()}
        views = (
            one
            for visitor, days in changed.items()
            for day in days
            for one in self._days[visitor][day].values()
        )
        new = {one.owner for one in views if one.owner is not None} - numbers.keys()
        return numbers | store.number_owners(self._session, self._site_id, new) if new else numbers

    def _days_around(self, visitor: bytes, day: int) -> Iterator[int]:
        """Yield a day and those before and after it whose page views may share a session with its own."""
        yield day
        for step in (-1, 1):
            at = day
            while self._reaches(visitor, at, step) and self._has(visitor, at + step):
                at += step
                yield at

    def _reaches(self, visitor: bytes, day: int, step: int) -> bool:
        """Return whether a session of the day may have begun on the day before, or go on on the day after."""
        seconds = [at - day * DAY_SECONDS for at, _ in self._days[visitor][day]]
        return min(seconds) < BREAK_SECONDS if step < 0 else max(seconds) > DAY_SECONDS - BREAK_SECONDS

    def _has(self, visitor: bytes, day: int) -> bool:
        if not self._first <= day <= self._last and day not in self._days[visitor]:
            self._load([visitor], day, day)
        return day in self._days[visitor]


def remove_visitors(session: AccountSession, site_id: int, visitors: Collection[bytes]) -> int:
    """Delete the page views and sessions of visitors of a site that is locked; return the number of their days."""
    stored = store.select_visitors(session, site_id, visitors)
    if not stored:
        return 0
    store.delete_visitors(session, site_id, visitors)
    gone = [visitor_number(each.visitor) for each in stored]
    held = store.select_sessions(session, site_id, {each.day for each in stored})
    left = {
        day: replace_sessions(unpack_sessions(packed), gone, make_sessions([], {})).tobytes()
        for day, packed in held.items()
    }
    store.put_sessions(session, site_id, left)
    store.raise_revision(session, site_id)
    return len(stored)
