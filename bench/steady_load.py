"""A load client with a fixed rate: calls are due at fixed times, whether earlier ones were answered or not.

So a standstill of the server shows in every call that was due in that time, not only in those under way.
"""

import gc
import select
import time
from array import array
from collections.abc import Sequence
from ctypes import c_double
from multiprocessing.sharedctypes import RawArray
from random import Random
from typing import Any, NamedTuple

from bench.client import Connection, Refused

CONNECTIONS = 32
_TURNS = 1_000


class Kind(NamedTuple):
    """Calls of one kind."""

    name: str
    share: int
    """Share of all calls, relative to the shares of the others."""
    requests: Sequence[bytes]
    """Requests sent in turn, again from the first after the last."""


class Calls(NamedTuple):
    """The results of all calls, one item each, in the order of the answers. Times are those of `time.monotonic`."""

    begun: float
    due: "array[float]"
    answered: "array[float]"
    kinds: "array[int]"
    refused: list[str]
    """Status lines of answers other than 200, and other errors; these calls count as answered."""

    def waits(self) -> list[float]:
        return [end - begin for begin, end in zip(self.due, self.answered, strict=True)]


class Pending:
    """The due time of each connection's call, 0 while it has none; other processes may read it."""

    def __init__(self) -> None:
        self.since: Any = RawArray(c_double, CONNECTIONS)

    def longest(self, now: float) -> float:
        """Return how long the oldest call has waited, in seconds."""
        begun = [since for since in self.since if since]
        return now - min(begun) if begun else 0.0


class Client:
    """Connections to one server, and the calls in the order in which they are sent."""

    def __init__(self, port: int, kinds: Sequence[Kind], pending: Pending) -> None:
        self.kinds = kinds
        self._port = port
        self._pending = pending
        self._order = [place for place, kind in enumerate(kinds) for _ in range(kind.share)]
        self._order *= max(1, _TURNS // len(self._order))
        Random("steady order").shuffle(self._order)
        self._sent = 0
        self._sent_of = [0] * len(kinds)

    def peak(self, seconds: float) -> float:
        """Return the calls answered in a second if each connection sends its next call after every answer."""
        return len(self._run(seconds, None).due) / seconds

    def paced(self, seconds: float, per_second: float) -> Calls:
        """Send calls at this rate, and wait for all answers."""
        return self._run(seconds, per_second)

    def _run(self, seconds: float, per_second: float | None) -> Calls:
        connections = [Connection(self._port) for _ in range(CONNECTIONS)]
        poll = select.epoll()
        for connection in connections:
            poll.register(connection.number, select.EPOLLIN)
        gc.collect()
        gc.disable()
        try:
            return self._drive(poll, connections, seconds, per_second)
        finally:
            gc.enable()
            poll.close()
            for connection in connections:
                connection.socket.close()

    def _drive(
        self, poll: "select.epoll", connections: list[Connection], seconds: float, per_second: float | None
    ) -> Calls:
        places = {connection.number: place for place, connection in enumerate(connections)}
        since, idle = self._pending.since, list(range(len(connections)))
        kinds, count = [0] * len(connections), 0
        begun = time.monotonic()
        calls = Calls(begun, array("d"), array("d"), array("B"), [])
        end = begun + seconds
        while True:
            now = time.monotonic()
            while idle:
                due = now if per_second is None else begun + count / per_second
                if due > now or due >= end:
                    break
                place = idle.pop()
                kinds[place], message = self._next()
                since[place] = due
                connections[place].send(message, 0)
                count += 1
            if len(idle) == len(connections) and now >= end:
                return calls
            wait = due - now if idle and due < end else 1.0
            for number, _ in poll.poll(max(wait, 0.0)):
                place = places[number]
                try:
                    if connections[place].take() is None:
                        continue
                except (Refused, OSError) as error:
                    calls.refused.append(str(error).partition("\r\n")[0])
                    # the rest of the answer may still arrive
                    poll.unregister(number)
                    connections[place].socket.close()
                    connections[place] = Connection(self._port)
                    places[connections[place].number] = place
                    poll.register(connections[place].number, select.EPOLLIN)
                calls.due.append(since[place])
                calls.answered.append(time.monotonic())
                calls.kinds.append(kinds[place])
                since[place] = 0.0
                idle.append(place)

    def _next(self) -> tuple[int, bytes]:
        kind = self._order[self._sent % len(self._order)]
        requests = self.kinds[kind].requests
        message = requests[self._sent_of[kind] % len(requests)]
        self._sent += 1
        self._sent_of[kind] += 1
        return kind, message
