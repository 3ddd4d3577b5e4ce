"""All SQL of splits. Every function runs in the caller's transaction."""

from collections.abc import Callable, Collection, Mapping

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.directory.tables import companies, contacts, record_splits
from firmograph.security.record_ids import Entity

_any = sa.select(record_splits.c.digest).limit(1)
_find = sa.select(record_splits.c.digest, record_splits.c.record_id).where(
    record_splits.c.digest.in_(sa.bindparam("digests", expanding=True))
)
_new = insert(record_splits).values({column.name: sa.bindparam(column.name) for column in record_splits.c})
_put = _new.on_conflict_do_update(
    index_elements=[record_splits.c.digest], set_={"record_id": _new.excluded.record_id}
)
_exists = {
    entity: sa.select(table.c.id).where(table.c.id == sa.bindparam("number"))
    for entity, table in ((Entity.CONTACT, contacts), (Entity.COMPANY, companies))
}
_employed = (
    sa.select(contacts.c.id).where(contacts.c.company_id == sa.bindparam("company")).order_by(contacts.c.id)
)


def record_exists(session: Session, entity: Entity, number: int) -> bool:
    return session.one(_exists[entity], {"number": number}) is not None


def employee_numbers(session: Session, company: int) -> list[int]:
    """Return the numbers of a company's contacts."""
    return [number for (number,) in session.all(_employed, {"company": company})]


def find_split_rows(session: Session, digests: Callable[[], Collection[bytes]]) -> dict[bytes, int]:
    """Return the records of split rows by digest; call `digests` only if there are any splits."""
    if session.one(_any) is None:
        return {}
    return {row[0]: row[1] for row in session.all_in(_find, "digests", sorted(digests()))}


def put_splits(session: Session, entity: Entity, records: Mapping[bytes, int]) -> None:
    session.many(_put, [(digest, int(entity), number) for digest, number in sorted(records.items())])
