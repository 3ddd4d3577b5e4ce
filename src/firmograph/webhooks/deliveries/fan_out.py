"""Fan-out: each new signal becomes one delivery for each subscription that is told of it (decisions G, What fires).

A position in the order of detection says how far this is. It moves in the transaction that makes the deliveries, and
one such transaction goes on at a time; so whatever crashes, and however many workers there are, no signal is left out
and none is told twice. Signals become visible in the order of their numbers, as one transaction at a time stores some.

Deliveries of a signal of a day to come are made with the others, and lie aside until that day begins. So nothing in the
queue waits for them. They join it behind what is there by then.
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
from firmograph.signals.store import Signal
from firmograph.webhooks.deliveries import fan_out_store as store
from firmograph.webhooks.deliveries import scheduled_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.fan_out_store import NewDelivery
from firmograph.webhooks.deliveries.matching import Told, is_told, matching
from firmograph.webhooks.deliveries.scheduled_store import Coming
from firmograph.webhooks.types import State

FEATURE: Final = "signals"
"""Of plans."""
_MOST: Final = 1000
"""Signals that a step passes."""
_MOST_DELIVERIES: Final = 5000
"""That a step makes, but for those of a single signal: others wait for the embedded database meanwhile."""


class FanOut:
    """Makes deliveries of the signals of one database. Any number of workers may have one each."""

    def __init__(
        self, database: Database, clock: Clock, plans: Plans, digests: Digests, max_age_days: int
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans
        self._digests = digests
        self._max_age_days = max_age_days
        self._most = _MOST

    def step(self, most: int = _MOST) -> int:
        """Queue deliveries whose day has begun, and make those of the next signals.

        How many were queued and by how much it came forward, together; 0 when there was nothing to do.
        """
        now = self._clock.seconds()
        with self._database.look() as session:
            if not (store.is_behind(session) or scheduled_store.is_due(session, now)):
                return 0
        with self._database.write(SUBSCRIPTIONS) as session:
            return self._queue_due(session, now) + self._step(session, min(most, self._most))

    def told(self, session: Session, signals: Sequence[Signal]) -> list[Told]:
        """What subscriptions are told of these, in the order of the signals. Reads only; at most one statement."""
        signals = [signal for signal in signals if is_told(signal, self._max_age_days)]
        watchers = store.watchers(session, {signal.number for signal in signals}) if signals else []
        return list(matching(signals, (watcher for watcher in watchers if self._entitled(watcher.plan))))

    def payload_id(self, one: Told) -> str:
        """The same whenever the same signal is told to the same subscription, even after a backup was restored."""
        digest = self._digests.delivery(one.watcher.token, one.signal.identity)
        return str(uuid.UUID(bytes=digest, version=4))

    def _entitled(self, plan: str) -> bool:
        found = self._plans.find(plan)
        return found is not None and found.features[FEATURE]

    def _step(self, session: Session, most: int) -> int:
        position = store.position(session)
        start = self._start(session, position)
        signals = signal_store.after(session, start, most)
        told = self.told(session, signals)
        end = signals[-1].id if signals else start
        if len(told) > _MOST_DELIVERIES:
            first = told[0].signal.id
            end = max(told[_MOST_DELIVERIES].signal.id - 1, first)
            told = [one for one in told if one.signal.id <= end]
            self._most = max(1, sum(signal.id <= end for signal in signals))
        else:
            self._most = min(2 * self._most, _MOST)
        self._make(session, told)
        store.put_position(session, end)
        return end - (position or 0)

    def _start(self, session: Session, position: int | None) -> int:
        """After which signal to begin: what nobody was subscribed to yet needs no look, be it millions."""
        if position is not None and store.is_watched(session):
            return position
        first = store.first_signal(session)
        return max(position or 0, signal_store.last(session) if first is None else first)

    def _make(self, session: Session, told: Iterable[Told]) -> None:
        now = self._clock.seconds()
        new = [
            Coming(
                self.payload_id(one),
                one.watcher.account_id,
                one.watcher.id,
                one.signal.id,
                one.signal.identity,
                midnight(one.signal.day) if one.signal.ahead else now,
            )
            for one in told
        ]
        if not new:
            return
        held = store.locked(session, {one.subscription_id for one in new})
        scheduled_store.put(session, [one for one in new if one.due_at > now and one.subscription_id in held])
        _queue(session, [one for one in new if one.due_at <= now and one.subscription_id in held], now)

    def _queue_due(self, session: Session, now: float) -> int:
        due = scheduled_store.due(session, now, _MOST_DELIVERIES)
        if due:
            there = store.locked(session, {one.subscription_id for one in due}, disabled=True)
            scheduled_store.drop(session, [one.payload_id for one in due])
            _queue(session, [one for one in due if one.subscription_id in there], now)
        return len(due)


def _queue(session: Session, new: Iterable[Coming], now: float) -> None:
    by_id = {one.payload_id: one for one in new}
    if not by_id:
        return
    # of a signal that went with a suppression and came back, before its first delivery had ended
    made = delivery_store.held(session, list(by_id))
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
        if one.payload_id not in made
    ]
    store.put(session, queued)
    delivery_store.queue(session, Counter(one.subscription_id for one in queued))
