"""Connections of one process: their limits, timeouts and replacement.

A connection is at work from the end of a complete request to its response, and waits at all other times. Waiting
connections are queued, the one with the oldest complete request first. A single timer checks all of them, so that
requests need no timers.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

import structlog

from firmograph.api.trusted_proxies import subscriber_network
from firmograph.serving.bounds import Bounds

log = structlog.get_logger("firmograph.serve")

LINGER_SECONDS: Final = 5.0
"""Time for a client to close the connection after its last response; further data is dropped."""

NO_HEADER: Final = "no_header"
IDLE: Final = "idle"
OVER_BOUND: Final = "bound"
OVER_SHARE: Final = "address"
FULL: Final = "full"
TOO_LARGE: Final = "too_large"
MALFORMED: Final = "malformed"
_NONE: Final = ""

_MAX_REJECTED: Final = 32
"""Maximum connections above the bound that get a 503; further ones are closed."""

_CHECK_SECONDS: Final = 1.0
_LOG_SECONDS: Final = 60.0

_Queue = OrderedDict["Connection", None]


class Connection:
    """Accepted connection, including its TLS handshake."""

    __slots__ = (
        "_all",
        "address",
        "at_work",
        "deadline",
        "opening",
        "queues",
        "reason",
        "transport",
        "unread",
    )

    def __init__(
        self, connections: "Connections", address: "_AddressGroup | None", queues: tuple[_Queue, ...]
    ) -> None:
        self._all = connections
        self.address = address
        """None for a connection that only gets a 503."""
        self.queues = queues
        self.transport: asyncio.Transport | None = None
        """None until the end of the handshake."""
        self.opening: asyncio.Task[None] | None = None
        self.at_work = True
        self.reason = _NONE
        self.deadline = math.inf
        self.unread = 0
        """Unread bytes of a response at the previous timeout."""

    def expect(self, reason: str, seconds: float) -> None:
        """Close the connection for this reason after the seconds, unless another expectation replaces it."""
        self.reason = reason
        self.deadline = time.monotonic() + seconds

    def expect_nothing(self) -> None:
        """Remove the deadline, because the current wait has a timeout of its own."""
        self.reason = _NONE
        self.deadline = math.inf

    def wait(self) -> None:
        """Join the end of the queues of waiting connections."""
        if not self.at_work:
            return
        self.at_work = False
        for queue in self.queues:
            queue[self] = None

    def work(self) -> None:
        """Leave the queues, because a complete request has arrived."""
        if self.at_work:
            return
        self.at_work = True
        for queue in self.queues:
            queue.pop(self, None)

    def linger(self) -> None:
        """Give the client some seconds to read the last response."""
        self.expect(_NONE, LINGER_SECONDS)
        self.wait()

    def count(self, reason: str) -> None:
        self._all.count(reason)

    def closed(self) -> None:
        self._all.forget(self)

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()
        elif self.opening is not None:
            self.opening.cancel()
        self.closed()


class _AddressGroup:
    """Connections of one address, or of all trusted ones."""

    __slots__ = ("count", "key", "waiting")

    def __init__(self, key: object) -> None:
        self.key = key
        self.count = 0
        self.waiting: _Queue = OrderedDict()


class Connections:
    """All connections of one process."""

    def __init__(
        self, bounds: Bounds, trusts: Callable[[str], bool], on_close: Callable[[str], None]
    ) -> None:
        """Create an empty set of connections.

        `trusts` returns whether a peer's address is this machine or a proxy; `on_close` gets the reason whenever a
        connection is closed early.
        """
        self._bounds = bounds
        self._trusts = trusts
        self._on_close = on_close
        self._open = 0
        self._trusted = _AddressGroup(None)
        self._addresses: dict[object, _AddressGroup] = {}
        self._waiting: _Queue = OrderedDict()
        """Waiting connections of all untrusted addresses."""
        self._rejected: _Queue = OrderedDict()
        self._closed: Counter[str] = Counter()
        self._log_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return self._open

    def watch(self) -> None:
        """Start to check the connections periodically, in the running loop."""
        self._timer = asyncio.get_running_loop().call_later(_CHECK_SECONDS, self._check_again)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def admit(self, host: str) -> Connection:
        """Return a new connection, without an address if all others are at work; may close a waiting one for it."""
        address = self._address(host)
        if not self._make_room(address):
            return self._reject()
        trusted = address is self._trusted
        queues = (address.waiting,) if trusted else (address.waiting, self._waiting)
        connection = Connection(self, address, queues)
        self._open += 1
        address.count += 1
        self._addresses[address.key] = address
        connection.expect(NO_HEADER, self._bounds.header_seconds)
        connection.wait()
        return connection

    def make_room(self) -> bool:
        """Close the longest-waiting connection, those of trusted addresses last; return False if none waits."""
        return self._close_first(self._waiting, OVER_BOUND) or self._close_first(
            self._trusted.waiting, OVER_BOUND
        )

    def forget(self, connection: Connection) -> None:
        """Remove a closed connection; repeated calls do nothing."""
        for queue in connection.queues:
            queue.pop(connection, None)
        address, connection.address, connection.queues = connection.address, None, ()
        if address is None:
            return
        self._open -= 1
        address.count -= 1
        if not address.count:
            self._addresses.pop(address.key, None)

    def count(self, reason: str) -> None:
        self._closed[reason] += 1
        self._on_close(reason)

    def check(self) -> None:
        """Close connections past their deadline, and log closed ones once a minute."""
        now = time.monotonic()
        for queue in (self._waiting, self._trusted.waiting, self._rejected):
            for connection in [each for each in queue if each.deadline <= now]:
                self._close_expired(connection)
        if self._closed and now >= self._log_at:
            # idle connections are no reason for a warning
            write = log.info if set(self._closed) == {IDLE} else log.warning
            write("connections were closed", open=self._open, **self._closed)
            self._closed.clear()
            self._log_at = now + _LOG_SECONDS

    def _check_again(self) -> None:
        self.check()
        self.watch()

    def _address(self, host: str) -> _AddressGroup:
        if self._trusts(host):
            return self._trusted
        key = subscriber_network(ip_address(host))
        return self._addresses.get(key) or _AddressGroup(key)

    def _make_room(self, address: _AddressGroup) -> bool:
        if address is not self._trusted and address.count >= self._bounds.connections_of_address:
            return self._close_first(address.waiting, OVER_SHARE)
        return self._open < self._bounds.connections or self.make_room()

    def _reject(self) -> Connection:
        self.count(FULL)
        if len(self._rejected) >= _MAX_REJECTED:
            next(iter(self._rejected)).abort()
        connection = Connection(self, None, (self._rejected,))
        connection.linger()
        return connection

    def _close_first(self, queue: _Queue, reason: str) -> bool:
        if not queue:
            return False
        self.count(reason)
        next(iter(queue)).abort()
        return True

    def _close_expired(self, connection: Connection) -> None:
        transport, reason = connection.transport, connection.reason
        unread = transport.get_write_buffer_size() if transport is not None and reason == IDLE else 0
        if unread and unread != connection.unread:
            # the client is reading the response slowly
            connection.unread = unread
            connection.expect(IDLE, self._bounds.idle_seconds)
            return
        if reason:
            self.count(reason)
        if reason == IDLE and transport is not None and not unread:
            # a regular close, with a message over TLS; a client that does not respond is aborted later
            transport.close()
            connection.expect(_NONE, LINGER_SECONDS)
        else:
            connection.abort()
