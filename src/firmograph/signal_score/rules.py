"""The score: which share of the kinds of activity that a record could show it has shown lately.

See docs/reference/signal-score.md#score.

Growth and decline of one measure over one period are one kind of activity, since a record shows at most one of them at
a time. A kind applies to a record when what it is detected from is held of it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from firmograph.security.record_ids import Entity
from firmograph.signals.types import BY_DEPARTMENT, BY_LOCATION, COMPANY_TYPES, NEWS_EVENTS, POSTS, TYPES

ACTIVE_DAYS = 180
"""For how long after its date a signal counts as activity."""

_MEASURES = {
    "websiteTraffic": "traffic",
    "itSpend": "it-spend",
    "headcount": "headcounts",
}


class Held(NamedTuple):
    """What is held of one company that signals are detected from."""

    figures: Collection[str] = ()
    """Kinds of dated figures: headcounts, traffic, it-spend."""
    postings: bool = False
    placed_postings: bool = False
    """Whether the place of one is known."""


class Score(NamedTuple):
    value: float
    """From 0 to 1."""
    types: list[str]
    """Of the active signals, in documented order."""


def kind_of(type: str) -> str:
    """Return the kind that a type counts as: `headcountIncrease3m` and `headcountDecrease3m` are both `headcount3m`."""
    return type.replace("Increase", "").replace("Decrease", "")


def company_kinds(held: Held, feeds: Collection[str]) -> set[str]:
    """Return the kinds of activity that apply to a company; `feeds` are all kinds of facts ever loaded."""
    return {kind_of(type) for type in COMPANY_TYPES if _applies(type, held, feeds)}


def _applies(type: str, held: Held, feeds: Collection[str]) -> bool:
    if type == POSTS:
        return "posts" in feeds
    if type in NEWS_EVENTS:
        return "news" in feeds
    if type == BY_LOCATION:
        return held.placed_postings
    if type in ("surgeInHiring", BY_DEPARTMENT):
        return held.postings
    return next(feed for measure, feed in _MEASURES.items() if type.startswith(measure)) in held.figures


def contact_kinds(*, has_company: bool, has_title: bool) -> set[str]:
    return {name for name, held in (("companyChange", has_company), ("promotion", has_title)) if held}


def score(entity: Entity, kinds: Iterable[str], newest: Mapping[str, str], since: str) -> Score | None:
    """Return the share of kinds with a signal dated on or after `since`; None if no kind applies.

    `newest` is the newest day of each type. A signal shows by itself that its kind applies.
    """
    active = [type for type in TYPES[entity] if newest.get(type, "") >= since]
    shown = {kind_of(type) for type in active}
    applying = shown.union(kinds)
    return Score(len(shown) / len(applying), active) if applying else None
