"""Size and retries of an import's commits."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from firmograph.database.connection import Database
from firmograph.kit.errors import Busy, FirmographError, Unavailable, Unwritable

LOCK_SECONDS = 0.05
"""Target time that one commit holds the embedded database's writer.

Half of the 0.1 s that docs/reference/import.md#commits promises, because rows differ in cost.
"""
SERVER_LOCK_SECONDS = 0.15
"""Target time of a commit on a database server, where only suppression waits for it."""
WAIT_SECONDS = 120.0
"""Longest wait for a database that is unavailable or locked by another writer."""
_RETRY_SECONDS = 0.5
_REST_SECONDS = 0.002
"""Pause after a commit, so that charging requests get the embedded database's writer.

It is longer than their retry interval; without a pause an import can starve them for seconds.
"""

_FEWEST, _MOST = 10, 50
"""Bounds of the records that are read and written together, between two looks at the clock."""
_MIN_ROWS, _START_ROWS, _MAX_ROWS = 50, 200, 5000

T = TypeVar("T")


def waiting_message(why: FirmographError) -> str:
    """Return the message that an import waits for its database."""
    if isinstance(why, Unwritable):
        reason = "cannot be written because its disk is full"
    else:
        reason = "is being written by another process" if isinstance(why, Busy) else "cannot be reached"
    return f"The database {reason}; waiting up to {WAIT_SECONDS:.0f} s"


class Commits:
    """Commit size and retries of one import."""

    def __init__(
        self, database: Database, on_wait: Callable[[FirmographError], None] = lambda why: None
    ) -> None:
        self.lock_seconds = LOCK_SECONDS if database.embedded else SERVER_LOCK_SECONDS
        self._rest_seconds = _REST_SECONDS if database.embedded else 0.0
        self.size = _START_ROWS
        """Rows of the next commit."""
        self._on_wait = on_wait

    def run_with_retry(self, commit: Callable[[], T]) -> T:
        """Run a commit and repeat it while the database is unavailable or busy, up to `WAIT_SECONDS`.

        The commit must be idempotent: one whose connection broke may have been stored.
        """
        give_up = None
        while True:
            try:
                done = commit()
                time.sleep(self._rest_seconds)
                return done
            except (Busy, Unavailable) as why:
                if give_up is None:
                    give_up = time.monotonic() + WAIT_SECONDS
                    self._on_wait(why)
                if time.monotonic() >= give_up:
                    raise
                time.sleep(_RETRY_SECONDS)

    def pace(self, rows: int, seconds: float) -> None:
        """Set the next commit's size from the duration of the last one."""
        fitting = rows * self.lock_seconds / max(seconds, 1e-6)
        self.size = int(min(max(fitting, _MIN_ROWS), self.size * 1.25, _MAX_ROWS))


def run_in_time(part: Sequence[int], seconds: float, batch: Callable[[Sequence[int]], None]) -> int:
    """Run a batch for a few records at a time until the time is up, once at least; return how many are done.

    The first few show how many more there is time for.
    """
    began, done, size = time.monotonic(), 0, _FEWEST
    while done < len(part) and size:
        few = part[done : done + size]
        batch(few)
        done += len(few)
        spent = time.monotonic() - began
        fitting = int((seconds - spent) * done / max(spent, 1e-6))
        size = min(max(fitting, _FEWEST), _MOST) if fitting > 0 else 0
    return done


def time_limit(seconds: float) -> Callable[[], bool]:
    """Return a function that returns whether fewer than `seconds` have passed since its first call."""
    deadline: float | None = None

    def in_time() -> bool:
        nonlocal deadline
        now = time.monotonic()
        if deadline is None:
            deadline = now + seconds
        return now < deadline

    return in_time
