"""SQL of networks. Functions run inside the caller's transaction."""

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.visits.networks.types import NetworkSource
from firmograph.visits.tables import network_parts, network_sources

_PART_BYTES: Final = 4 << 20

_s, _p = network_sources.c, network_parts.c
_SOURCES = sa.select(_s.name, _s.version, _s.file, _s.loaded_at, _s.networks, _s.companies).order_by(_s.name)
_PARTS = sa.select(_p.contents).where(_p.name == bindparam("name")).order_by(_p.part)
_DELETE_SOURCE = sa.delete(network_sources).where(_s.name == bindparam("name"))
_DELETE_PARTS = sa.delete(network_parts).where(_p.name == bindparam("name"))


def select_sources(session: Session) -> list[NetworkSource]:
    rows = session.all(_SOURCES)
    return [NetworkSource(name, bytes(version), *rest) for name, version, *rest in rows]


def select_contents(session: Session, name: str) -> bytes:
    """Return the packed networks of a source."""
    return b"".join(row[0] for row in session.all(_PARTS, {"name": name}))


def replace_source(session: Session, source: NetworkSource, contents: bytes) -> None:
    """Write the networks of a source in place of those before."""
    delete_source(session, source.name)
    session.load(network_sources, [source])
    session.load(network_parts, list(_parts(source.name, contents)))


def delete_source(session: Session, name: str) -> None:
    session.execute(_DELETE_PARTS, {"name": name})
    session.execute(_DELETE_SOURCE, {"name": name})


def _parts(name: str, contents: bytes) -> Iterator[tuple[str, int, bytes]]:
    for part, begin in enumerate(range(0, len(contents), _PART_BYTES)):
        yield name, part, contents[begin : begin + _PART_BYTES]
