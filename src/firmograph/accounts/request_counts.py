"""Counts of requests by account, UTC day, key and operation, kept in memory and saved once a minute.

A killed process loses at most the counts of that minute. Credits are not counted here: the ledger has them.
"""

import threading
from typing import Final, NamedTuple

from firmograph.accounts import usage_store as store
from firmograph.accounts.usage_store import UsageDay
from firmograph.caller import AccountCaller
from firmograph.database.connection import COUNTERS, Database, Session
from firmograph.kit.clock import Clock, day_number

SAVE_SECONDS: Final = 60.0
"""Interval of saving."""

KEPT_DAYS: Final = 400


class _Unsaved(NamedTuple):
    """Counts since they were saved."""

    counts: dict[UsageDay, list[int]]
    """Requests and errors."""
    last_used: dict[tuple[int, str], float]
    """Time of the last request by account and actor."""


class RequestCounts:
    """Counter of the requests of all accounts in this process."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._unsaved = _Unsaved({}, {})

    def count(self, caller: AccountCaller, operation: str, is_error: bool) -> None:
        """Count a request whose caller is known, whatever its answer."""
        now, actor = self._clock.seconds(), caller.spender.actor
        of = UsageDay(caller.account_id, day_number(now), actor, operation)
        with self._lock:
            _add(self._unsaved.counts, of, 1, int(is_error))
            self._unsaved.last_used[caller.account_id, actor] = now

    def save(self) -> None:
        """Save the counts since the last call, in one transaction; failed ones are kept for the next call."""
        with self._lock:
            taken, self._unsaved = self._unsaved, _Unsaved({}, {})
        if not taken.counts:
            return
        try:
            with self._database.write(COUNTERS) as session:
                store.add_requests(
                    session, {of: (counts[0], counts[1]) for of, counts in taken.counts.items()}
                )
                store.update_last_used(session, taken.last_used)
        except BaseException:
            self._put_back(taken)
            raise

    def _put_back(self, taken: _Unsaved) -> None:
        with self._lock:
            for of, (requests, errors) in taken.counts.items():
                _add(self._unsaved.counts, of, requests, errors)
            self._unsaved = self._unsaved._replace(last_used={**taken.last_used, **self._unsaved.last_used})


def _add(counts: dict[UsageDay, list[int]], of: UsageDay, requests: int, errors: int) -> None:
    held = counts.get(of)
    if held is None:
        counts[of] = [requests, errors]
    else:
        held[0] += requests
        held[1] += errors


def delete_old_counts(session: Session, now: float, most: int) -> int:
    """Delete up to `most` counts of days more than 400 days ago and return their number. Two statements."""
    return store.delete_days_before(session, day_number(now) - KEPT_DAYS, most)
