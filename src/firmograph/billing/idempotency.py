"""`Idempotency-Key`: a repeated call gets its response again and is never charged twice.

See docs/reference/account.md#idempotency.

The cache holds what a feature needs to render its answer again, such as record numbers, instead of response bodies, so
that a replay shows no record suppressed since. It is written in the transaction of the charge: after a crash both exist
or neither.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, NamedTuple, TypeVar

import msgspec

from firmograph.billing import idempotency_store as store
from firmograph.caller import CallKey, Request
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Conflict

_HOUR = 3_600.0


class Memo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="version", tag=1):
    """What a replay needs, with the version of its form; opaque to billing.

    A change of a form takes the next version: a key under which a release has kept another one is refused.
    """


M = TypeVar("M", bound=Memo)


class CachedResponse(NamedTuple, Generic[M]):
    """Cached 2xx response."""

    request_id: str
    credits: int
    memo: M
    followed: bytes | None = None
    """What is kept of the work that followed the answer, once that has ended."""


class _StoredForm(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    request_id: str
    credits: int
    memo: msgspec.Raw


_decode_kept = msgspec.json.Decoder(_StoredForm).decode
_encode = msgspec.json.Encoder().encode


class Idempotency:
    """Cache of responses by account, method, real path and key, for a number of hours."""

    def __init__(self, clock: Clock, hours: int = 24) -> None:
        self._clock = clock
        self._seconds = hours * _HOUR
        self._running: set[tuple[int, str, str]] = set()
        self._lock = threading.Lock()

    @contextmanager
    def running(self, request: Request) -> Iterator[None]:
        """Reserve the key of a request, if it has one, while the first request with it is processed.

        Raises Conflict while another request of this process has reserved it.
        """
        if request.key is None:
            yield
            return
        scope = (request.caller.account_id, request.key.target, request.key.key)
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

    def find(self, session: Session, request: Request, kind: type[M]) -> CachedResponse[M] | None:
        """Return the response cached under the key of a request. At most one statement.

        Raises Conflict if query or body differed, or if another release has kept a memo of another form.
        """
        key = request.key
        if key is None:
            return None
        own = _own(session, request)
        stored = store.find_key(own, key.target, key.key, self._clock.seconds())
        if stored is None:
            return None
        if stored.digest != key.digest:
            raise Conflict(
                "This Idempotency-Key was used with another query or body; use a new key for a new request"
            )
        try:
            kept = _decode_kept(stored.kept)
            memo = msgspec.json.decode(kept.memo, type=kind)
        except msgspec.ValidationError as error:
            # it was charged, so it must not be computed again
            raise Conflict(
                "This Idempotency-Key was used with another release of this service; use a new key for a new request"
            ) from error
        return CachedResponse(kept.request_id, kept.credits, memo, stored.table_write)

    def keep(self, session: Session, request: Request, response: CachedResponse[M]) -> None:
        """Cache a response under the key of a request, if it has one, in the transaction of its charge. One statement.

        Raises Conflict if another process has used the key since; the transaction rolls back with its charge.
        """
        key = request.key
        if key is None:
            return
        now = self._clock.seconds()
        written = store.insert_key(
            _own(session, request),
            key.target,
            key.key,
            key.digest,
            _encode(_StoredForm(response.request_id, response.credits, msgspec.Raw(_encode(response.memo)))),
            now=now,
            expires_at=now + self._seconds,
        )
        if not written:
            raise Conflict("A request with this Idempotency-Key has just been answered; repeat it")

    def replace(self, session: Session, request: Request, response: CachedResponse[M]) -> None:
        """Cache another response under the key of a request, if it has one: as work that it began ends. One statement.

        The response that was kept with the charge keeps its end of validity.
        """
        key = request.key
        if key is not None:
            kept = _encode(
                _StoredForm(response.request_id, response.credits, msgspec.Raw(_encode(response.memo)))
            )
            store.update_kept(_own(session, request), key.target, key.key, key.digest, kept)


def find_followed(session: AccountSession, key: CallKey) -> bytes | None:
    """Return what is kept of the work that followed the answer under a key. One statement."""
    return store.find_table_write(session, key.target, key.key)


def keep_followed(session: AccountSession, key: CallKey, followed: bytes) -> None:
    """Keep what that work did, in its transaction, unless something is kept. One statement."""
    store.keep_table_write(session, key.target, key.key, followed)


def _own(session: Session, request: Request) -> AccountSession:
    return AccountSession(session, request.caller.account_id)


def delete_expired_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` expired keys and return their number. Two statements."""
    return store.delete_expired_keys(session, now, most)
