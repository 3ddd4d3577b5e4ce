"""`Idempotency-Key`: a repeated call gets its response again and is never charged twice.

See docs/reference/account.md#idempotency.

The cache holds what a feature needs to render its answer again, such as record numbers, instead of response bodies, so
that a replay shows no record suppressed since. It is written in the transaction of the charge: after a crash both exist
or neither.
"""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from firmograph.api.endpoint import Call
from firmograph.api.table_rows import KeyOfCall
from firmograph.billing import idempotency_store as store
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Conflict

_HOUR = 3_600.0


class KeyedCall(NamedTuple):
    """Call with an `Idempotency-Key`, as the key identifies it."""

    account_id: int
    target: str
    """Method and real path."""
    key: str
    query: bytes
    """Query as sent; its order counts."""
    body: bytes
    """Body in the one form of all that mean the same."""

    @property
    def scope(self) -> tuple[int, str, str]:
        """Scope of the key: account, target and key."""
        return self.account_id, self.target, self.key

    def digest(self) -> bytes:
        """Return the digest of query and body."""
        return hashlib.sha256(b"%s\n%s" % (self.query, self.body)).digest()


def keyed_call(call: Call[Any]) -> KeyedCall | None:
    """Return the call in the scope of its key, None without a key."""
    if call.idempotency_key is None:
        return None
    target = f"{call.method} {call.real_path}"
    body = comparable_body(call.raw) if call.raw else b""
    return KeyedCall(call.account.account_id, target, call.idempotency_key, call.query_string, body)


_encode_sorted = msgspec.json.Encoder(order="sorted").encode


def comparable_body(raw: bytes) -> bytes:
    """Return one form of all JSON bodies that decode to the same value, with null properties left out."""
    return _encode_sorted(_without_nulls(msgspec.json.decode(raw)))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class CachedResponse(NamedTuple):
    """Cached 2xx response."""

    request_id: str
    credits_charged: int
    memo: Sequence[Any]
    """JSON values that a replay needs, opaque to billing."""
    table_write: bytes | None = None
    """JSON of `tableWrite`, once the write to a table that followed the answer has ended."""


class Idempotency:
    """Cache of responses by account, method, real path and key, for a number of hours."""

    def __init__(self, clock: Clock, hours: int = 24) -> None:
        self._clock = clock
        self._seconds = hours * _HOUR
        self._running: set[tuple[int, str, str]] = set()
        self._lock = threading.Lock()

    @contextmanager
    def running(self, keyed: KeyedCall | None) -> Iterator[None]:
        """Reserve the key, if there is one, while its first request is processed.

        Raises Conflict while another request of this process has reserved it.
        """
        if keyed is None:
            yield
            return
        with self._lock:
            if keyed.scope in self._running:
                raise Conflict(
                    "A request with this Idempotency-Key is still running; repeat it when it has ended"
                )
            self._running.add(keyed.scope)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(keyed.scope)

    def find(self, session: Session, keyed: KeyedCall | None) -> CachedResponse | None:
        """Return the response cached under the key. At most one statement.

        Raises Conflict if query or body differed.
        """
        if keyed is None:
            return None
        stored = store.find_key(_own(session, keyed), keyed.target, keyed.key, self._clock.seconds())
        if stored is None:
            return None
        if stored.digest != keyed.digest():
            raise Conflict(
                "This Idempotency-Key was used with another query or body; use a new key for a new request"
            )
        request_id, credits, *memo = msgspec.json.decode(stored.kept)
        return CachedResponse(request_id, credits, memo, stored.table_write)

    def keep(self, session: Session, keyed: KeyedCall, response: CachedResponse) -> None:
        """Cache a response, in the transaction of its charge. One statement.

        Raises Conflict if another process has used the key since; the transaction rolls back with its charge.
        """
        now = self._clock.seconds()
        written = store.insert_key(
            _own(session, keyed),
            keyed.target,
            keyed.key,
            keyed.digest(),
            msgspec.json.encode([response.request_id, response.credits_charged, *response.memo]),
            now=now,
            expires_at=now + self._seconds,
        )
        if not written:
            raise Conflict("A request with this Idempotency-Key has just been answered; repeat it")


def find_table_write(session: AccountSession, key: KeyOfCall) -> bytes | None:
    """Return what is kept of the write to a table that followed the answer under a key. One statement."""
    return store.find_table_write(session, *key)


def keep_table_write(session: AccountSession, key: KeyOfCall, table_write: bytes) -> None:
    """Keep what that write did, in its transaction, unless something is kept. One statement."""
    store.keep_table_write(session, *key, table_write)


def _own(session: Session, keyed: KeyedCall) -> AccountSession:
    return AccountSession(session, keyed.account_id)


def delete_expired_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` expired keys and return their number. Two statements."""
    return store.delete_expired_keys(session, now, most)
