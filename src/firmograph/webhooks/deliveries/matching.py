"""Matching of signals to subscriptions, without database access (docs/reference/webhooks.md#what-fires)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from firmograph.kit.clock import day_of
from firmograph.signals.types import ALL_SIGNALS, Signal

_MAX_DAYS = 365_000
"""Days; keeps the earliest day within the calendar's range."""


class Watcher(NamedTuple):
    """Subscription to a record, as the fan-out sees it."""

    id: int
    account_id: int
    token: str
    """Public id."""
    entity: int
    entity_id: int
    types: str
    """Joined by commas."""
    after_signal: int
    plan: str
    """Plan of the account."""


class Match(NamedTuple):
    """Signal and a subscription that receives it."""

    watcher: Watcher
    signal: Signal


def match_signals(signals: Iterable[Signal], watchers: Iterable[Watcher]) -> Iterator[Match]:
    """Yield the matches, ordered by signal and then by watcher."""
    by_record: dict[tuple[int, int], list[Watcher]] = defaultdict(list)
    for watcher in watchers:
        by_record[watcher.entity, watcher.entity_id].append(watcher)
    for signal in signals:
        for watcher in by_record.get((signal.entity, signal.number), ()):
            if signal.id > watcher.after_signal and _includes(watcher.types, signal.type):
                yield Match(watcher, signal)


def is_deliverable(signal: Signal, max_age_days: int) -> bool:
    """Return whether webhooks deliver the signal: not if stored quietly or dated long before its detection."""
    return not signal.quiet and signal.day >= _earliest_day(signal.detected_at, max_age_days)


@lru_cache(maxsize=1024)
def _includes(types: str, type: str) -> bool:
    named = types.split(",")
    return type in named or ALL_SIGNALS in named


@lru_cache(maxsize=64)
def _earliest_day(detected_at: float, max_age_days: int) -> str:
    return (day_of(detected_at) - timedelta(days=min(max_age_days, _MAX_DAYS))).isoformat()
