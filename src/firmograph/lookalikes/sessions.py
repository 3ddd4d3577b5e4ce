"""Sessions: results of earlier lookalike calls, which later calls of the same session leave out.

See docs/reference/lookalikes.md#sessions.

A session belongs to an account and a kind of record. It moves on in the transaction that charges for the results, so a
call that is refused, or ends with its process, leaves it as it was.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple
from uuid import UUID, uuid4

import numpy as np
import numpy.typing as npt

from firmograph.billing.charged_call import Outdated
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.errors import Busy, Expired
from firmograph.lookalikes import session_store as store
from firmograph.security.record_ids import Entity

LIFETIME_SECONDS: Final = 30 * 86_400.0
"""Time from the last answer of a session to its end."""
MOST_RESULTS: Final = 50_000
"""Results that a session remembers; with as many it returns none."""
PURGE_ROWS: Final = 50
"""Sessions deleted at a time, each with up to 400 KB."""

_PART: Final = 1_024
"""Results in a row, of which only the last is written again: up to 8 KB."""
_TURN_SECONDS: Final = 5.0
"""Wait for other calls of a session before 503, the same as for the database writer."""
_NUMBER: Final = np.dtype("<i8")

Numbers = npt.NDArray[np.int64]


class Remembered(NamedTuple):
    """Session of a call as it was read, or a session that begins with the first results."""

    id: bytes | None
    """None before the session exists."""
    numbers: Numbers
    """Record numbers of all earlier results, in their order."""

    @property
    def room(self) -> int:
        """Number of results that it can still remember."""
        return max(0, MOST_RESULTS - len(self.numbers))


NEW: Final = Remembered(None, np.empty(0, _NUMBER))


def read_session(
    session: AccountSession, entity: Entity, text: str | None, now: float, name: str
) -> Remembered:
    """Read the session of a request, which calls it by a name; a new one without a text.

    Raises Expired if it is unknown to the account, expired, or of the other kind of records.
    """
    if text is None:
        return NEW
    id = UUID(text).bytes
    row = store.find_session(session, id)
    if row is None or row.entity != entity or _has_expired(row, now):
        raise Expired(
            f"The {name} is unknown or has expired; leave it out to begin a new session",
            code="DEDUPE_SESSION_INVALID",
        )
    return Remembered(id, np.frombuffer(store.select_results(session, id), _NUMBER))


def move_on(
    session: AccountSession, entity: Entity, read: Remembered, results: Sequence[int], now: float
) -> UUID | None:
    """Add results to a session in the transaction that charges for them; return its id, None if there is none.

    Raises Outdated if another call has moved it on since it was read.
    """
    id, count = read.id, len(read.numbers) + len(results)
    if id is None:
        if not results:
            return None
        id = uuid4().bytes
        store.insert_session(session, id, entity, now, count)
    else:
        # the time of last use may differ: a call without results changes nothing that another depends on
        row = store.find_session(session, id)
        if row is None or row.results != len(read.numbers) or _has_expired(row, now):
            raise Outdated
        store.update_session(session, id, now, count)
    store.upsert_results(session, id, _changed_parts(read.numbers, results))
    return UUID(bytes=id)


def delete_unused(session: Session, now: float) -> int:
    """Delete some of the sessions whose time is over, and return their number."""
    return store.delete_unused(session, now - LIFETIME_SECONDS, PURGE_ROWS)


def _has_expired(row: store.SessionRow, now: float) -> bool:
    return row.used_at <= now - LIFETIME_SECONDS


def _changed_parts(numbers: Numbers, results: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    if not results:
        return
    first = len(numbers) // _PART
    rest = np.concatenate([numbers[first * _PART :], np.array(results, _NUMBER)])
    for start in range(0, len(rest), _PART):
        yield first + start // _PART, rest[start : start + _PART].tobytes()


class SessionTurns:
    """Turns of the calls of one session in this process; side by side, all but one would be prepared again."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken: dict[tuple[int, str], _Turn] = {}

    @contextmanager
    def take(self, account_id: int, text: str | None) -> Iterator[None]:
        """Wait for the turn of a call. Raises Busy after five seconds."""
        if text is None:
            yield
            return
        key = account_id, text.lower()
        with self._guard:
            turn = self._taken.setdefault(key, _Turn())
            turn.calls += 1
        try:
            if not turn.lock.acquire(timeout=_TURN_SECONDS):
                raise Busy
            try:
                yield
            finally:
                turn.lock.release()
        finally:
            with self._guard:
                turn.calls -= 1
                if not turn.calls:
                    del self._taken[key]


class _Turn:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.calls = 0
        """Calls that have it or wait for it."""
