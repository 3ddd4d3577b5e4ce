"""`Idempotency-Key`: a repeated call gets its response again and is never charged twice.

See docs/reference/account.md#idempotency.

The cache holds record numbers instead of response bodies, so that a replay is rendered from the current records and
shows no record suppressed since. It is written in the transaction of the charge: after a crash both exist or neither.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from firmograph.billing import idempotency_store as store
from firmograph.database.connection import Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Conflict

_HOUR = 3_600.0


class CachedResponse(msgspec.Struct, array_like=True):
    """Cached 2xx response: for each result the number of its record, or None for an item error."""

    request_id: str
    credits_charged: int
    results_returned: int
    records: list[int | None]
    last_signal: int = 0
    """Number of the last signal detected before a signals call."""


_decoder = msgspec.json.Decoder(CachedResponse)


class Idempotency:
    """Cache of responses by account, path and key, for a number of hours."""

    def __init__(self, clock: Clock, hours: int = 24) -> None:
        self._clock = clock
        self._seconds = hours * _HOUR
        self._running: set[tuple[int, str, str]] = set()
        self._lock = threading.Lock()

    @contextmanager
    def running(self, account_id: int, path: str, key: str | None) -> Iterator[None]:
        """Reserve the key, if there is one, while its first request is processed.

        Raises Conflict while another request of this process has reserved it.
        """
        if key is None:
            yield
            return
        scope = (account_id, path, key)
        with self._lock:
            if scope in self._running:
                raise Conflict(
                    "A request with this Idempotency-Key is still running; repeat it when it has ended"
                )
            self._running.add(scope)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(scope)

    def find(
        self, session: Session, account_id: int, path: str, key: str | None, body: bytes
    ) -> CachedResponse | None:
        """Return the response cached under the key. Raises Conflict if its body differed. At most one statement."""
        if key is None:
            return None
        stored = store.find_key(session, account_id, path, key, self._clock.seconds())
        if stored is None:
            return None
        if stored[0] != _hash(body):
            raise Conflict("This Idempotency-Key was used with another body; use a new key for a new request")
        return _decoder.decode(stored[1])

    def keep(
        self, session: Session, account_id: int, path: str, key: str, body: bytes, response: CachedResponse
    ) -> None:
        """Cache a response, in the transaction of its charge. One statement.

        Raises Conflict if another process has used the key since; the transaction rolls back with its charge.
        """
        now = self._clock.seconds()
        written = store.insert_key(
            session,
            account_id,
            path,
            key,
            _hash(body),
            msgspec.json.encode(response),
            now=now,
            expires_at=now + self._seconds,
        )
        if not written:
            raise Conflict("A request with this Idempotency-Key has just been answered; repeat it")


def delete_expired_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` expired keys and return their number. Two statements."""
    return store.delete_expired_keys(session, now, most)


def _hash(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()
