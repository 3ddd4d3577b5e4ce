"""Commits of an import: short enough for callers to charge in between, and made again while a database is away."""

import time
from collections.abc import Callable
from typing import TypeVar

from firmograph.database.connection import Database
from firmograph.kit.errors import Busy, FirmographError, Unavailable

LOCK_SECONDS = 0.05
"""How long one commit aims to hold the embedded database's writer: half of the 0.1 s that is promised,
for rows differ in what they take.

See docs/reference/import.md#commits.
"""
SERVER_LOCK_SECONDS = 0.15
"""The same on a server, where only suppression waits for it."""
WAIT_SECONDS = 120.0
"""How long an import waits for a database that is away, or that another process writes, before it gives up."""
_RETRY_SECONDS = 0.5
_REST_SECONDS = 0.002
"""How long the embedded database's writer is left free after a commit: longer than any step in which those who charge
try to get it, while an import that goes on at once may keep it from them for seconds."""

_MIN_ROWS, _START_ROWS, _MAX_ROWS = 50, 200, 5000

T = TypeVar("T")


class Commits:
    """How many rows the next commit takes, and what happens when it cannot be made."""

    def __init__(
        self, database: Database, on_wait: Callable[[FirmographError], None] = lambda why: None
    ) -> None:
        self.lock_seconds = LOCK_SECONDS if database.embedded else SERVER_LOCK_SECONDS
        self._rest_seconds = _REST_SECONDS if database.embedded else 0.0
        self.size = _START_ROWS
        """Rows of the next commit."""
        self._on_wait = on_wait

    def run_with_retry(self, commit: Callable[[], T]) -> T:
        """The same commit again while the database is away; if it was kept after all, it must change nothing."""
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
        """Size the next commit by what this one took."""
        fitting = rows * self.lock_seconds / max(seconds, 1e-6)
        self.size = int(min(max(fitting, _MIN_ROWS), self.size * 1.25, _MAX_ROWS))


def time_limit(seconds: float) -> Callable[[], bool]:
    """Make what says whether less than this has passed since it was first asked."""
    late: list[float] = []

    def in_time() -> bool:
        now = time.monotonic()
        if not late:
            late.append(now + seconds)
        return now < late[0]

    return in_time
