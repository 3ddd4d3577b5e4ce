"""Sessions as a pure function of page views: the same for every order, portion and repetition of them (ruling J 12)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from firmograph.kit.clock import DAY_SECONDS
from firmograph.visits.types import PageView, VisitOwner, VisitSession

BREAK_SECONDS: Final = 1_800
"""Time without a page view that ends a session."""
_LONGEST_SECONDS: Final = 86_400
_HOUR_SECONDS: Final = 3_600
_MOST_PAGE_VIEWS: Final = 1_000
_MOST_IN_AN_HOUR: Final = 300
"""Page views in an hour of the clock that a person may have."""
ROBOTS_MARK: Final = b"robots\0\0"
"""Stands for the path where a visitor read robots.txt, which is no page view."""


def sessions(page_views: Iterable[PageView]) -> list[VisitSession]:
    """Return the sessions of any visitors, by start and visitor."""
    by_visitor: dict[bytes, dict[tuple[int, bytes], PageView]] = defaultdict(dict)
    for one in page_views:
        place = (one.at, one.path)
        known = by_visitor[one.visitor].get(place)
        by_visitor[one.visitor][place] = one if known is None else merge(known, one)
    found = [each for views in by_visitor.values() for each in sessions_of_visitor(views.values())]
    return sorted(found, key=lambda each: (each.started_at, each.visitor))


def sessions_of_visitor(page_views: Iterable[PageView]) -> Iterator[VisitSession]:
    """Yield the sessions of one visitor, whose page views are each given once.

    UTC days on which it read robots.txt, or had too many page views in an hour, are left out (ruling J 11).
    """
    ordered = _without_robots(sorted(page_views, key=lambda one: (one.at, one.path)))
    begin = 0
    for place in range(1, len(ordered) + 1):
        if place == len(ordered) or _ends(ordered, begin, place):
            yield _session(ordered[begin:place])
            begin = place


def as_robots_mark(page_view: PageView) -> PageView:
    """Return the mark that a visitor read robots.txt."""
    return page_view._replace(path=ROBOTS_MARK, is_intent=False, seconds=None, owner=None, country=None)


def merge(one: PageView, other: PageView) -> PageView:
    """Return what two statements of the same page view say together, in either order."""
    if one == other:
        return one
    measured = [each.seconds for each in (one, other) if each.seconds is not None]
    return one._replace(
        is_intent=one.is_intent or other.is_intent,
        seconds=max(measured, default=None),
        owner=_surest([one, other]),
        country=min((each.country for each in (one, other) if each.country), default=None),
    )


def _without_robots(ordered: list[PageView]) -> list[PageView]:
    """Return page views without the UTC days on which the visitor is taken for a robot."""
    robots = {one.at // DAY_SECONDS for one in ordered if one.path == ROBOTS_MARK}
    if len(ordered) > _MOST_IN_AN_HOUR:
        hours = Counter(one.at // _HOUR_SECONDS for one in ordered)
        robots |= {
            hour * _HOUR_SECONDS // DAY_SECONDS for hour, count in hours.items() if count > _MOST_IN_AN_HOUR
        }
    return [one for one in ordered if one.at // DAY_SECONDS not in robots] if robots else ordered


def _ends(ordered: Sequence[PageView], begin: int, place: int) -> bool:
    at = ordered[place].at
    return (
        at - ordered[place - 1].at >= BREAK_SECONDS
        or at - ordered[begin].at > _LONGEST_SECONDS
        or place - begin == _MOST_PAGE_VIEWS
    )


def _session(page_views: Sequence[PageView]) -> VisitSession:
    first = page_views[0]
    return VisitSession(
        first.visitor,
        first.at,
        page_views[-1].at - first.at,
        len(page_views),
        sum(one.is_intent for one in page_views),
        _surest(page_views),
        next((one.country for one in page_views if one.country), None),
    )


def _surest(page_views: Iterable[PageView]) -> VisitOwner | None:
    owners = {one.owner for one in page_views if one.owner is not None}
    return min(owners, key=lambda owner: (owner.kind, -owner.confidence, owner.key), default=None)
