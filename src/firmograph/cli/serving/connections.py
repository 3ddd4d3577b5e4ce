"""The connections of one process: how many may be open, how long each may wait, and which is closed for another.

A connection is at work from the end of a whole request to its answer, and waits at all other times. Those that wait
stand in order, the one that has had no whole request for the longest in front. One timer looks after all of them, so
a request needs no timer of its own.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final

import structlog

from firmograph.cli.serving.bounds import Bounds

log = structlog.get_logger("firmograph.serve")

LINGER_SECONDS: Final = 5.0
"""How long a client that got its last answer may keep the connection open; what it sends is dropped."""

NO_HEADER: Final = "no_header"
IDLE: Final = "idle"
OVER_BOUND: Final = "bound"
OVER_SHARE: Final = "address"
FULL: Final = "full"
TOO_LARGE: Final = "too_large"
MALFORMED: Final = "malformed"
_NONE: Final = ""

_TURNED_AWAY: Final = 32
"""How many connections beyond the bound are read and answered with 503 at a time; any more are just closed."""

_LOOK_SECONDS: Final = 1.0
_LOG_SECONDS: Final = 60.0

_IPV6_NETWORK_BYTES: Final = 8
"""What one subscriber has of IPv6 at least: a /64."""

_Queue = OrderedDict["Connection", None]


class Connection:
    """One accepted connection, its TLS handshake included."""

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
        """None for one that is only answered with 503."""
        self.queues = queues
        self.transport: asyncio.Transport | None = None
        """None until the handshake is done."""
        self.opening: asyncio.Task[None] | None = None
        self.at_work = True
        self.reason = _NONE
        self.deadline = math.inf
        self.unread = 0
        """How much of an answer the client had not read when its time was over before."""

    def expect(self, reason: str, seconds: float) -> None:
        """Close the connection, for this reason, unless something else is expected within so many seconds."""
        self.reason = reason
        self.deadline = time.monotonic() + seconds

    def expect_nothing(self) -> None:
        """Set no time: what is waited for has a time limit of its own."""
        self.reason = _NONE
        self.deadline = math.inf

    def wait(self) -> None:
        """Stand in line, behind all that wait already."""
        if not self.at_work:
            return
        self.at_work = False
        for queue in self.queues:
            queue[self] = None

    def work(self) -> None:
        """Leave the line, as a whole request has arrived."""
        if self.at_work:
            return
        self.at_work = True
        for queue in self.queues:
            queue.pop(self, None)

    def linger(self) -> None:
        """Give the client some seconds to read the last answer."""
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
    """What comes from one address, or from all that are trusted."""

    __slots__ = ("count", "key", "waiting")

    def __init__(self, key: object) -> None:
        self.key = key
        self.count = 0
        self.waiting: _Queue = OrderedDict()


class Connections:
    """All connections of one process."""

    def __init__(self, bounds: Bounds, trusts: Callable[[str], bool], counted: Callable[[str], None]) -> None:
        """`trusts` tells of a peer's address whether it is this machine or a proxy; `counted` hears of each cut."""
        self._bounds = bounds
        self._trusts = trusts
        self._counted = counted
        self._open = 0
        self._trusted = _AddressGroup(None)
        self._addresses: dict[object, _AddressGroup] = {}
        self._waiting: _Queue = OrderedDict()
        """Of all addresses but the trusted."""
        self._turned_away: _Queue = OrderedDict()
        self._cuts: Counter[str] = Counter()
        self._log_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return self._open

    def watch(self) -> None:
        """Begin to look after the connections, in the running loop."""
        self._timer = asyncio.get_running_loop().call_later(_LOOK_SECONDS, self._look_again)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def admit(self, host: str) -> Connection:
        """A new connection; one without an address if all are at work. Another may be closed for it."""
        address = self._address(host)
        if not self._make_room(address):
            return self._turn_away()
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
        """Close the connection that has waited the longest, one of a trusted address last. False if none waits."""
        return self._cut_first(self._waiting, OVER_BOUND) or self._cut_first(
            self._trusted.waiting, OVER_BOUND
        )

    def forget(self, connection: Connection) -> None:
        """Give the place of a closed connection back; a second time does nothing."""
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
        self._cuts[reason] += 1
        self._counted(reason)

    def look(self) -> None:
        """Close what has waited too long, and log what was cut, once a minute."""
        now = time.monotonic()
        for queue in (self._waiting, self._trusted.waiting, self._turned_away):
            for connection in [each for each in queue if each.deadline <= now]:
                self._end(connection)
        if self._cuts and now >= self._log_at:
            # clients that leave connections idle are nothing to warn of
            tell = log.info if set(self._cuts) == {IDLE} else log.warning
            tell("connections were closed", open=self._open, **self._cuts)
            self._cuts.clear()
            self._log_at = now + _LOG_SECONDS

    def _look_again(self) -> None:
        self.look()
        self.watch()

    def _address(self, host: str) -> _AddressGroup:
        if self._trusts(host):
            return self._trusted
        key = _network_of(host)
        return self._addresses.get(key) or _AddressGroup(key)

    def _make_room(self, address: _AddressGroup) -> bool:
        if address is not self._trusted and address.count >= self._bounds.connections_of_address:
            return self._cut_first(address.waiting, OVER_SHARE)
        return self._open < self._bounds.connections or self.make_room()

    def _turn_away(self) -> Connection:
        self.count(FULL)
        if len(self._turned_away) >= _TURNED_AWAY:
            next(iter(self._turned_away)).abort()
        connection = Connection(self, None, (self._turned_away,))
        connection.linger()
        return connection

    def _cut_first(self, queue: _Queue, reason: str) -> bool:
        if not queue:
            return False
        self.count(reason)
        next(iter(queue)).abort()
        return True

    def _end(self, connection: Connection) -> None:
        transport, reason = connection.transport, connection.reason
        unread = transport.get_write_buffer_size() if transport is not None and reason == IDLE else 0
        if unread and unread != connection.unread:
            # its client reads the answer, only slowly
            connection.unread = unread
            connection.expect(IDLE, self._bounds.idle_seconds)
            return
        if reason:
            self.count(reason)
        if reason == IDLE and transport is not None and not unread:
            # an end in good order, which over TLS is a message; a client that does not answer it is aborted later
            transport.close()
            connection.expect(_NONE, LINGER_SECONDS)
        else:
            connection.abort()


def _network_of(host: str) -> object:
    """The address, or the network, that counts as one."""
    # a link-local address has a zone behind it
    address = ip_address(host.partition("%")[0])
    if not isinstance(address, IPv6Address):
        return address.packed
    return address.ipv4_mapped.packed if address.ipv4_mapped else address.packed[:_IPV6_NETWORK_BYTES]
