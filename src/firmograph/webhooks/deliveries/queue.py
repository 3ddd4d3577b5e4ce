"""The queue of deliveries: what a worker takes of it, records in it, and ends (decisions G)."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Database, account_scope
from firmograph.kit.clock import Clock
from firmograph.webhooks.deliveries import backlog_store, cancel, claim_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.backlog_store import Backlog
from firmograph.webhooks.deliveries.claim import Taking
from firmograph.webhooks.deliveries.result import Recorded, Recording
from firmograph.webhooks.types import Attempt, Outcome

_PART: Final = 1_000
"""Deliveries ended in one transaction."""

GIVEN_BACK_SECONDS: Final = 1.0
"""When somebody tries again."""


class Queue:
    """The queue of one database, which any number of workers share. Every method may raise Busy and Unavailable."""

    def __init__(self, database: Database, clock: Clock, taking: Taking, recording: Recording) -> None:
        self._database = database
        self._clock = clock
        self._taking = taking
        self._recording = recording

    def take(self, most: int, now: float) -> list[Attempt]:
        """Attempts to make now, in the order of detection, at most one of each subscription."""
        return self._taking.take(most, now)

    def record(self, outcomes: Sequence[Outcome]) -> list[Recorded]:
        """What came of attempts: those that count. Of the others another worker has the subscription by now."""
        return self._recording.record(outcomes)

    def still_held(self, attempts: Sequence[Attempt]) -> set[int]:
        """The deliveries, of those of attempts that were not made yet, that are still this worker's to send."""
        with self._database.look() as session:
            held = claim_store.still_held(
                session, {each.claim.key for each in attempts}, self._clock.seconds()
            )
        return {each.delivery_id for each in attempts if each.claim in held}

    def backlog(self) -> Backlog:
        """What waits of the whole database, and not of this worker alone."""
        with self._database.look() as session:
            return backlog_store.backlog(session, self._clock.seconds())

    def give_back(self, attempts: Sequence[Attempt]) -> None:
        """Nothing was sent of these, for a reason on this side: somebody tries again, and no retry is used up."""
        if attempts:
            due_at = self._clock.seconds() + GIVEN_BACK_SECONDS
            with self._database.write(None) as session:
                claim_store.give_back(session, (each.claim for each in attempts), due_at)

    def end_cancelled(self) -> int:
        """End deliveries that were cancelled; how many."""
        with self._database.look() as session:
            accounts = claim_store.accounts_with_cancelled(session)
        return sum(self._end_cancelled(account) for account in sorted(accounts))

    def _end_cancelled(self, account: int) -> int:
        with self._database.write(account_scope(account)) as session:
            ids = claim_store.cancelled(session, account, _PART)
            found = delivery_store.of_ids(session, account, ids)
            cancel.end(session, account, found, self._clock.seconds())
        return len(found)
