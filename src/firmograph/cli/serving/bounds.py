"""How much the clients of one process may take up, by its settings and its limit of open files."""

import resource

import msgspec

from firmograph.settings import Settings

_UNLIMITED = 1 << 20
"""Open files of a process that has no limit: as many as Linux allows one by default."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of connections and of what arrives on them before a body."""

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
    # where the limit is lower than the reserve, a quarter of it still goes to connections
    possible = max(files - settings.reserved_files, files // 4)
    return min(settings.max_connections or possible, possible)
