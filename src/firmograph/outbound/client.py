"""Connections to addresses that somebody outside named, none of which leads where the guard does not let it.

The check is made of what is connected to, at the time of connecting: all addresses that a name has must pass, and then
the one that the socket is opened for once more, so an address written in the URL is checked too, in whatever spelling.
"""

import asyncio
import errno
import resource
import socket
import ssl
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler

from firmograph.kit.errors import Refused
from firmograph.outbound.address_guard import AddressGuard
from firmograph.outbound.response_limit import BoundedHandler

Lookup = Callable[..., list[tuple[Any, ...]]]
"""As `socket.getaddrinfo` is."""

_MOST_LOOKUPS: Final = 2_000
"""On their way at once, those included that nobody waits for any more: a silent name server may keep hundreds for a
minute, and other names must still be looked up."""

# how long an idle connection is kept: servers commonly end theirs after 5 s, and must not do so as we send
_KEEP_ALIVE_SECONDS: Final = 4
_NAMES_KEPT_SECONDS: Final = 10
_CROWD: Final = 600

_FILES: Final = 4096
"""Open files that a process should be able to have: connections, look-ups, and what else it does."""

# `EAGAIN`: too many names are being looked up
_OURS: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EAGAIN))


class AddressRefused(OSError):
    """The guard does not let a connection go there."""


class NameNotFound(OSError):
    """A name has no address, or it was not told in time."""


def is_ours(error: OSError) -> bool:
    """Whether this machine had no means left to connect, which is no fault of the other side."""
    return error.errno in _OURS


def allow_many_connections() -> None:
    """Each takes an open file, of which a process commonly has 1,024 unless it asks for more."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < _FILES:
        wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


class Connector(aiohttp.TCPConnector):
    """Connects where the guard lets it, any number of times at once: whoever sends bounds that.

    Connections are kept open a moment for the next request; when there is a crowd of them, whoever sends should ask the
    other side to close.
    """

    def __init__(self, guard: AddressGuard, tls: ssl.SSLContext, lookup: Lookup = socket.getaddrinfo) -> None:
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._guard = guard
        super().__init__(
            resolver=_Resolver(guard, lookup),
            socket_factory=self._opened,
            ssl=tls,
            limit=0,
            keepalive_timeout=_KEEP_ALIVE_SECONDS,
            ttl_dns_cache=_NAMES_KEPT_SECONDS,
        )
        handler: Callable[..., ResponseHandler] = BoundedHandler
        self._factory = partial(handler, loop=self._loop)

    def crowded(self) -> bool:
        """Whether so many connections are open that none should be kept."""
        return len(self._sockets) > _CROWD

    def _opened(self, info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = info
        if not self._guard.check(address[0]):
            raise AddressRefused
        opened = socket.socket(family, kind, protocol)
        self._sockets.add(opened)
        return opened


@lru_cache(maxsize=16)
def tls_context(setting: str, file: str) -> ssl.SSLContext:
    """One that verifies certificates by the system's authorities and those of the file, if one is named.

    Read once in a process, as it takes long. Raises Refused naming the setting of the file when it cannot be read.
    """
    context = ssl.create_default_context()
    if file:
        try:
            context.load_verify_locations(file)
        except (OSError, ValueError) as error:
            raise Refused(f"{setting}: {file} cannot be read as certificates (PEM)") from error
    return context


class _Resolver(AbstractResolver):
    """Asks in a thread for each name, so that names that are slow to resolve hold up no others.

    The thread is a daemon, as the system's resolver cannot be told to stop: it may not hold up the end of the process.
    """

    def __init__(self, guard: AddressGuard, lookup: Lookup) -> None:
        self._guard = guard
        self._lookup = lookup
        self._free = threading.BoundedSemaphore(_MOST_LOOKUPS)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Raises NameNotFound, AddressRefused when any one of the addresses is refused, and OSError that `is_ours`."""
        found = await self._asked(host, port, family)
        if not all(self._guard.check(address[0]) for *_, address in found):
            raise AddressRefused
        return [
            ResolveResult(
                hostname=host,
                host=address[0],
                port=port,
                family=of,
                proto=protocol,
                flags=socket.AI_NUMERICHOST,
            )
            for of, _, protocol, _, address in found
        ]

    async def close(self) -> None:
        pass

    async def _asked(self, host: str, port: int, family: int) -> list[tuple[Any, ...]]:
        if not self._free.acquire(blocking=False):
            raise OSError(errno.EAGAIN, "too many names are being looked up")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[tuple[Any, ...]]] = loop.create_future()

        def settle(found: list[tuple[Any, ...]]) -> None:
            if not answer.done():
                answer.set_result(found)

        def ask() -> None:
            found: list[tuple[Any, ...]] = []
            try:
                found = self._lookup(
                    host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
                )
            except (OSError, ValueError):
                # ValueError: no name of DNS, such as one with a label of more than 63 letters
                pass
            finally:
                self._free.release()
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(settle, found)

        try:
            threading.Thread(target=ask, name="resolve", daemon=True).start()
        except RuntimeError as error:
            self._free.release()
            raise OSError(errno.EAGAIN, "no thread can be started") from error
        if not (found := await answer):
            raise NameNotFound
        return found
