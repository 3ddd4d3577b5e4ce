"""`Idempotency-Key`: the same call sent again is answered again and never charged again (decisions C).

Kept is not the answer but what is needed to render it from today's records: a replay shows no record that
was suppressed since. It is kept in the transaction of the charge, so a crash leaves both or neither.
"""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from firmograph.billing import request_store as store
from firmograph.database.connection import Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import BadRequest, Conflict

_KEY = re.compile(r"[!-~]{1,255}\Z")
_HOUR = 3_600.0


class Kept(msgspec.Struct, array_like=True):
    """A 2xx answer: for each place of its results the record's number, or None for an error."""

    request_id: str
    credits_charged: int
    results_returned: int
    records: list[int | None]
    last_signal: int = 0
    """Of a signals call: the last signal that had been detected by then."""


_decoder = msgspec.json.Decoder(Kept)


class Idempotency:
    """Keys by account and path, for `hours` after their answer."""

    def __init__(self, clock: Clock, hours: int = 24) -> None:
        self._clock = clock
        self._seconds = hours * _HOUR
        self._running: set[tuple[int, str, str]] = set()
        self._lock = threading.Lock()

    @contextmanager
    def running(self, account_id: int, path: str, key: str | None) -> Iterator[None]:
        """Holds the key, if there is one, while its first request is answered.

        Raises Conflict while another request of this process holds it, BadRequest for a key that is not 1 to
        255 visible ASCII characters.
        """
        if key is None:
            yield
            return
        if not _KEY.match(key):
            raise BadRequest("Idempotency-Key must be 1 to 255 visible ASCII characters")
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

    def find(self, session: Session, account_id: int, path: str, key: str | None, body: bytes) -> Kept | None:
        """What was kept under the key. Raises Conflict when that was for another body. One statement at most."""
        if key is None:
            return None
        held = store.find_key(session, account_id, path, key, self._clock.seconds())
        if held is None:
            return None
        if held[0] != _hash(body):
            raise Conflict("This Idempotency-Key was used with another body; use a new key for a new request")
        return _decoder.decode(held[1])

    def keep(self, session: Session, account_id: int, path: str, key: str, body: bytes, kept: Kept) -> None:
        """Keep an answer, in the transaction that charges for it. One statement.

        Raises Conflict when the key was used meanwhile by another process: the transaction then rolls back
        and the charge with it.
        """
        now = self._clock.seconds()
        written = store.keep_key(
            session,
            account_id,
            path,
            key,
            _hash(body),
            msgspec.json.encode(kept),
            now=now,
            expires_at=now + self._seconds,
        )
        if not written:
            raise Conflict("A request with this Idempotency-Key has just been answered; repeat it")


def _hash(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()
