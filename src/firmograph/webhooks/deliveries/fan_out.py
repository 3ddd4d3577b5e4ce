"""Fan-out: one delivery per new signal and matching subscription.

See docs/reference/webhooks.md#what-fires.

A position in the order of detection records the progress. It moves in the transaction that creates the deliveries, and
these transactions run one at a time. So no signal is left out or delivered twice, whatever crashes and however many
workers run. Signals become visible in the order of their ids, as only one transaction at a time stores signals.

Deliveries of signals dated in the future are created with the others, but scheduled until that day begins, so that
nothing in the queue waits for them. Then they join the end of the queue.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from firmograph.billing.plans import Plans
from firmograph.database.connection import SUBSCRIPTIONS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.kit.clock import Clock, midnight
from firmograph.signals import store as signal_store
from firmograph.signals.types import FEATURE, Signal
from firmograph.webhooks.deliveries import fan_out_store as store
from firmograph.webhooks.deliveries import scheduled_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.fan_out_store import NewDelivery
from firmograph.webhooks.deliveries.matching import Match, is_deliverable, match_signals
from firmograph.webhooks.deliveries.scheduled_store import ScheduledDelivery
from firmograph.webhooks.types import State

_MAX_SIGNALS: Final = 1000
"""Signals that one step passes."""
_MAX_DELIVERIES: Final = 5000
"""Deliveries that one step creates, unless a single signal has more; bounds the time other writers wait."""


class FanOut:
    """Creator of deliveries for new signals.

    Several workers may run one each on the same database.
    """

    def __init__(
        self, database: Database, clock: Clock, plans: Plans, digests: Digests, max_age_days: int
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans
        self._digests = digests
        self._max_age_days = max_age_days
        self._limit = _MAX_SIGNALS

    def step(self, limit: int = _MAX_SIGNALS) -> int:
        """Queue scheduled deliveries that are due, and create deliveries for the next signals.

        Returns the number of queued deliveries plus the progress of the position; 0 when there was nothing to do.
        """
        now = self._clock.seconds()
        with self._database.look() as session:
            if not (store.is_behind(session) or scheduled_store.has_due(session, now)):
                return 0
        with self._database.write(SUBSCRIPTIONS) as session:
            return self._queue_due(session, now) + self._step(session, min(limit, self._limit))

    def matches(self, session: Session, signals: Sequence[Signal]) -> list[Match]:
        """Return the matches of these signals, in their order. Reads only; at most one statement."""
        signals = [signal for signal in signals if is_deliverable(signal, self._max_age_days)]
        watchers = store.find_watchers(session, {signal.number for signal in signals}) if signals else []
        return list(
            match_signals(signals, (watcher for watcher in watchers if self._is_entitled(watcher.plan)))
        )

    def payload_id(self, one: Match) -> str:
        """Derive the payload id: stable for a signal and a subscription, even across a restored backup."""
        digest = self._digests.delivery(one.watcher.token, one.signal.identity)
        return str(uuid.UUID(bytes=digest, version=4))

    def _is_entitled(self, plan: str) -> bool:
        found = self._plans.find(plan)
        return found is not None and found.features[FEATURE]

    def _step(self, session: Session, limit: int) -> int:
        position = store.read_position(session)
        start = self._start(session, position)
        signals = signal_store.signals_after(session, start, limit)
        matches = self.matches(session, signals)
        end = signals[-1].id if signals else start
        if len(matches) > _MAX_DELIVERIES:
            first = matches[0].signal.id
            end = max(matches[_MAX_DELIVERIES].signal.id - 1, first)
            matches = [one for one in matches if one.signal.id <= end]
            self._limit = max(1, sum(signal.id <= end for signal in signals))
        else:
            self._limit = min(2 * self._limit, _MAX_SIGNALS)
        self._make_deliveries(session, matches)
        store.save_position(session, end)
        return end - (position or 0)

    def _start(self, session: Session, position: int | None) -> int:
        """Return the signal to start after, skipping signals older than every subscription."""
        if position is not None and store.is_watched(session):
            return position
        first = store.first_watched_signal(session)
        return max(position or 0, signal_store.last_signal_id(session) if first is None else first)

    def _make_deliveries(self, session: Session, matches: Iterable[Match]) -> None:
        now = self._clock.seconds()
        scheduled = [
            ScheduledDelivery(
                self.payload_id(one),
                one.watcher.account_id,
                one.watcher.id,
                one.signal.id,
                one.signal.identity,
                midnight(one.signal.day) if one.signal.ahead else now,
            )
            for one in matches
        ]
        if not scheduled:
            return
        open_ids = store.lock_subscriptions(session, {one.subscription_id for one in scheduled})
        scheduled_store.add(
            session, [one for one in scheduled if one.due_at > now and one.subscription_id in open_ids]
        )
        _queue(
            session, [one for one in scheduled if one.due_at <= now and one.subscription_id in open_ids], now
        )

    def _queue_due(self, session: Session, now: float) -> int:
        due = scheduled_store.find_due(session, now, _MAX_DELIVERIES)
        if due:
            remaining = store.lock_subscriptions(session, {one.subscription_id for one in due}, disabled=True)
            scheduled_store.delete(session, [one.payload_id for one in due])
            _queue(session, [one for one in due if one.subscription_id in remaining], now)
        return len(due)


def _queue(session: Session, due: Iterable[ScheduledDelivery], now: float) -> None:
    by_id = {one.payload_id: one for one in due}
    if not by_id:
        return
    # a signal may have been erased and detected again before its first delivery was finished
    existing = delivery_store.existing(session, list(by_id))
    queued = [
        NewDelivery(
            one.payload_id,
            one.account_id,
            one.subscription_id,
            State.WAITING,
            one.signal_id,
            one.identity,
            now,
        )
        for one in by_id.values()
        if one.payload_id not in existing
    ]
    store.add_deliveries(session, queued)
    delivery_store.add_queued(session, Counter(one.subscription_id for one in queued))
