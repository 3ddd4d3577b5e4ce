"""Bounds of a process's client connections, from settings and open-files limit."""

import resource

import msgspec

from firmograph.settings import Settings

_UNLIMITED = 1 << 20
"""Assumed limit of open files without one: the default maximum of Linux."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of connections and of the data before a body."""

    connections: int
    connections_of_address: int
    header_seconds: float
    idle_seconds: float
    url_bytes: int
    header_bytes: int
    header_fields: int


def make_bounds(settings: Settings) -> Bounds:
    most = _connections(settings)
    return Bounds(
        connections=most,
        connections_of_address=max(int(most * settings.address_share), 1),
        header_seconds=settings.header_seconds,
        idle_seconds=settings.idle_seconds,
        url_bytes=settings.max_url_bytes,
        header_bytes=settings.max_header_bytes,
        header_fields=settings.max_header_fields,
    )


def _connections(settings: Settings) -> int:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        files = _UNLIMITED
    # with a limit below the reserve, connections still get a quarter of it
    possible = max(files - settings.reserved_files, files // 4)
    return min(settings.max_connections or possible, possible)
