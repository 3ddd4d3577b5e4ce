"""HTTP connections with a limit of the bytes of an answer, restricted by an address guard if there is one.

The check happens at connection time on the actual addresses: all addresses of a name must pass, and the address of the
socket is checked again, which covers addresses in the URL in any spelling.
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
from firmograph.outbound.response_limit import MAX_RESPONSE_BYTES, LimitedResponseHandler

Lookup = Callable[..., list[tuple[Any, ...]]]
"""Function with the signature of `socket.getaddrinfo`."""

_MAX_LOOKUPS: Final = 2_000
"""Concurrent look-ups, including abandoned ones: an unresponsive name server may block hundreds for a minute, and other
names must still be resolved."""

# lifetime of an idle connection: servers commonly close theirs after 5 s, which must not happen while we send
_KEEP_ALIVE_SECONDS: Final = 4
_DNS_CACHE_SECONDS: Final = 10
_CROWDED_ABOVE: Final = 600

_OPEN_FILES: Final = 4096
"""Limit of open files that a process needs for connections, look-ups and everything else."""

# `EAGAIN`: too many concurrent look-ups
_LOCAL_ERRORS: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EAGAIN))


class AddressRefused(OSError):
    """Connection refused by the address guard."""


class NameNotFound(OSError):
    """Name without an address, or without a response from its name server."""


def is_local_shortage(error: OSError) -> bool:
    """Return whether a connection failed because this machine ran out of resources."""
    return error.errno in _LOCAL_ERRORS


def allow_many_connections() -> None:
    """Raise the limit of open files, commonly 1,024, as each connection takes one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _OPEN_FILES:
        raised = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))


class Connector(aiohttp.TCPConnector):
    """Connector that connects only to addresses accepted by the guard, if any, with no limit on connections.

    Idle connections are kept for a few seconds; while `is_crowded`, the caller should send `Connection: close`.
    """

    def __init__(
        self,
        guard: AddressGuard | None,
        tls: ssl.SSLContext,
        lookup: Lookup = socket.getaddrinfo,
        *,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._guard = guard
        super().__init__(
            resolver=_Resolver(guard, lookup),
            socket_factory=self._opened,
            ssl=tls,
            limit=0,
            keepalive_timeout=_KEEP_ALIVE_SECONDS,
            ttl_dns_cache=_DNS_CACHE_SECONDS,
        )
        handler: Callable[..., ResponseHandler] = LimitedResponseHandler
        self._factory = partial(handler, loop=self._loop, max_response_bytes=max_response_bytes)

    def is_crowded(self) -> bool:
        """Return whether too many connections are open to keep idle ones."""
        return len(self._sockets) > _CROWDED_ABOVE

    def _opened(self, info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = info
        if self._guard is not None and not self._guard.check(address[0]):
            raise AddressRefused
        opened = socket.socket(family, kind, protocol)
        self._sockets.add(opened)
        return opened


@lru_cache(maxsize=16)
def create_tls_context(setting: str, file: str) -> ssl.SSLContext:
    """Create a context that trusts the system's certificate authorities and those of the file, if one is set.

    Cached, because loading is slow. Raises Refused, naming the setting, if the file cannot be read.
    """
    context = ssl.create_default_context()
    if file:
        try:
            context.load_verify_locations(file)
        except (OSError, ValueError) as error:
            raise Refused(f"{setting}: {file} cannot be read as certificates (PEM)") from error
    return context


class _Resolver(AbstractResolver):
    """Resolver with one thread per look-up, so that a slow name does not delay others.

    The threads are daemons, because the system's resolver cannot be interrupted and must not delay the process exit.
    """

    def __init__(self, guard: AddressGuard | None, lookup: Lookup) -> None:
        self._guard = guard
        self._lookup = lookup
        self._free = threading.BoundedSemaphore(_MAX_LOOKUPS)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Resolve a name.

        Raises NameNotFound, AddressRefused if any of its addresses is refused, and OSError that `is_local_shortage`.
        """
        addresses = await self._look_up(host, port, family)
        guard = self._guard
        if guard is not None and not all(guard.check(address[0]) for *_, address in addresses):
            raise AddressRefused
        return [
            ResolveResult(
                hostname=host,
                host=address[0],
                port=port,
                family=address_family,
                proto=protocol,
                flags=socket.AI_NUMERICHOST,
            )
            for address_family, _, protocol, _, address in addresses
        ]

    async def close(self) -> None:
        pass

    async def _look_up(self, host: str, port: int, family: int) -> list[tuple[Any, ...]]:
        if not self._free.acquire(blocking=False):
            raise OSError(errno.EAGAIN, "too many names are being looked up")
        loop = asyncio.get_running_loop()
        result: asyncio.Future[list[tuple[Any, ...]]] = loop.create_future()

        def settle(found: list[tuple[Any, ...]]) -> None:
            if not result.done():
                result.set_result(found)

        def look_up() -> None:
            found: list[tuple[Any, ...]] = []
            try:
                found = self._lookup(
                    host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
                )
            except (OSError, ValueError):
                # ValueError: not a DNS name, such as one with a label of more than 63 characters
                pass
            finally:
                self._free.release()
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(settle, found)

        try:
            threading.Thread(target=look_up, name="resolve", daemon=True).start()
        except RuntimeError as error:
            self._free.release()
            raise OSError(errno.EAGAIN, "no thread can be started") from error
        if not (found := await result):
            raise NameNotFound
        return found
