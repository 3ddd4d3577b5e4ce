"""Which signals a subscription is told of (decisions G, What fires). Pure: `fanout.py` brings both sides."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from firmograph.kit.clock import day_of
from firmograph.signals.store import Signal
from firmograph.signals.types import ALL_SIGNALS

_CENTURIES = 365_000
"""Days: as far back as calendars go, nearly."""


class Watcher(NamedTuple):
    """A subscription to a record, as far as new signals are concerned."""

    id: int
    account_id: int
    token: str
    """The public id."""
    entity: int
    entity_id: int
    types: str
    """Joined by commas."""
    after_signal: int
    plan: str
    """Of the account."""


class Told(NamedTuple):
    """A signal that a subscription is told of."""

    watcher: Watcher
    signal: Signal


def matching(signals: Iterable[Signal], watchers: Iterable[Watcher]) -> Iterator[Told]:
    """Which of the signals each of the watchers is told of, in the order of the signals, then of the watchers."""
    by_record: dict[tuple[int, int], list[Watcher]] = defaultdict(list)
    for watcher in watchers:
        by_record[watcher.entity, watcher.entity_id].append(watcher)
    for signal in signals:
        for watcher in by_record.get((signal.entity, signal.number), ()):
            if signal.id > watcher.after_signal and _wants(watcher.types, signal.type):
                yield Told(watcher, signal)


def is_told(signal: Signal, max_age_days: int) -> bool:
    """Whether webhooks tell of it at all: not where it was stored quietly, or tells of days long before its
    detection."""
    return not signal.quiet and signal.day >= _oldest(signal.detected_at, max_age_days)


@lru_cache(maxsize=1024)
def _wants(types: str, type: str) -> bool:
    named = types.split(",")
    return type in named or ALL_SIGNALS in named


@lru_cache(maxsize=64)
def _oldest(detected_at: float, max_age_days: int) -> str:
    return (day_of(detected_at) - timedelta(days=min(max_age_days, _CENTURIES))).isoformat()
