"""Rules of the score: the share of applicable kinds of activity with a recent signal.

See docs/reference/signal-score.md#score.

Growth and decline of one measure over one period are one kind of activity, since a record shows at most one of them at
a time. A kind applies to a record with stored facts that it is detected from.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from firmograph.security.record_ids import Entity
from firmograph.signals.types import BY_DEPARTMENT, BY_LOCATION, COMPANY_TYPES, NEWS_EVENTS, POSTS, TYPES

ACTIVE_DAYS = 180
"""Days after its date in which a signal counts as activity."""

_MEASURES = {
    "websiteTraffic": "traffic",
    "itSpend": "it-spend",
    "headcount": "headcounts",
}


class StoredFacts(NamedTuple):
    """Kinds of facts stored about a company, from which signals are detected."""

    figures: Collection[str] = ()
    """Kinds of dated figures: headcounts, traffic, it-spend."""
    postings: bool = False
    located_postings: bool = False
    """Whether a posting has a known location."""


class Score(NamedTuple):
    value: float
    """From 0 to 1."""
    types: list[str]
    """Types of the active signals, in documented order."""


def kind_of(type: str) -> str:
    """Return the kind that a type counts as: `headcountIncrease3m` and `headcountDecrease3m` are both `headcount3m`."""
    return type.replace("Increase", "").replace("Decrease", "")


def company_kinds(facts: StoredFacts, feeds: Collection[str]) -> set[str]:
    """Return the kinds of activity that apply to a company; `feeds` are all kinds of facts ever loaded."""
    return {kind_of(type) for type in COMPANY_TYPES if _applies(type, facts, feeds)}


def _applies(type: str, facts: StoredFacts, feeds: Collection[str]) -> bool:
    if type == POSTS:
        return "posts" in feeds
    if type in NEWS_EVENTS:
        return "news" in feeds
    if type == BY_LOCATION:
        return facts.located_postings
    if type in ("surgeInHiring", BY_DEPARTMENT):
        return facts.postings
    return next(feed for measure, feed in _MEASURES.items() if type.startswith(measure)) in facts.figures


def contact_kinds(*, has_company: bool, has_title: bool) -> set[str]:
    return {name for name, applies in (("companyChange", has_company), ("promotion", has_title)) if applies}


def score(entity: Entity, kinds: Iterable[str], newest: Mapping[str, str], since: str) -> Score | None:
    """Return the share of kinds with a signal dated on or after `since`; None if no kind applies.

    `newest` is the newest day of each type. A signal shows by itself that its kind applies.
    """
    active = [type for type in TYPES[entity] if newest.get(type, "") >= since]
    active_kinds = {kind_of(type) for type in active}
    applicable = active_kinds.union(kinds)
    return Score(len(active_kinds) / len(applicable), active) if applicable else None
