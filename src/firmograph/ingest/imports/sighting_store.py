"""SQL of sightings; every function runs inside the caller's transaction."""

from collections import defaultdict
from typing import NamedTuple

import sqlalchemy as sa
from pyroaring import BitMap
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.ingest.imports.tables import import_sightings, imports

_s = import_sightings.c
_all = sa.select(*_s).order_by(_s.import_id)
_any_complete = sa.select(_s.import_id).where(_s.source == bindparam("source"), _s.complete == 1).limit(1)
_new = insert(import_sightings).values({column.name: bindparam(column.name) for column in _s})
_put = _new.on_conflict_do_update(
    index_elements=[_s.import_id],
    set_={column.name: _new.excluded[column.name] for column in _s if not column.primary_key},
)
_delete = sa.delete(import_sightings).where(_s.import_id == bindparam("number"))
_delete_before = sa.delete(import_sightings).where(
    _s.source == bindparam("number"), _s.import_id < bindparam("before", type_=sa.BigInteger)
)
_unfinished = sa.select(imports.c.source, imports.c.alive_until).where(imports.c.state == "running")


class Sighting(NamedTuple):
    """Contacts that an import saw or lacked."""

    import_id: int
    source: int
    day: int
    complete: bool
    numbers: BitMap
    """Of a complete import those that it lacked, of another one those that it saw."""


def select_sightings(session: Session) -> dict[int, list[Sighting]]:
    """Return the sightings of each source, oldest first."""
    found: dict[int, list[Sighting]] = defaultdict(list)
    for number, source, day, complete, numbers in session.all(_all):
        found[source].append(
            Sighting(number, source, day, bool(complete), BitMap.deserialize(bytes(numbers)))
        )
    return found


def was_complete(session: Session, source: int) -> bool:
    """Return whether an import of a source ever was complete."""
    return session.one(_any_complete, {"source": source}) is not None


def put_sighting(session: Session, one: Sighting) -> None:
    session.many(_put, [(one.import_id, one.source, one.day, int(one.complete), one.numbers.serialize())])


def delete_sighting(session: Session, import_id: int) -> None:
    session.execute(_delete, {"number": import_id})


def delete_older(session: Session, source: int, import_id: int) -> None:
    """Delete the sightings of a source by imports before one."""
    session.execute(_delete_before, {"number": source, "before": import_id})


def importing_sources(session: Session, now: float) -> set[str]:
    """Return the names of the sources that are being imported."""
    return {name for name, alive_until in session.all(_unfinished) if alive_until > now}
