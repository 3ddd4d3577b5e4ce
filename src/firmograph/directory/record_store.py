"""SQL that reads many records, whole or for a survey."""

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Row, Session
from firmograph.directory.company_json import CompanyParts
from firmograph.directory.contact_json import ContactParts
from firmograph.directory.tables import companies, company_rows, contact_rows, contacts, sources
from firmograph.security.record_ids import Entity


class WholeContact(NamedTuple):
    """Everything that is stored of a contact, and of the employer's record what answers show with the contact."""

    number: int
    company_id: int | None
    company_summary: bytes | None
    parts: ContactParts


class WholeCompany(NamedTuple):
    """Everything that is stored of a company."""

    number: int
    parts: CompanyParts


WholeRecord = WholeContact | WholeCompany

_after = sa.bindparam("after", type_=sa.BigInteger)
_limit = sa.bindparam("limit", type_=sa.Integer)
_all = {
    Entity.CONTACT: sa.select(
        contacts.c.id,
        contacts.c.company_id,
        companies.c.card,
        *(contacts.c[name] for name in ContactParts._fields),
    ).select_from(contacts.outerjoin(companies, companies.c.id == contacts.c.company_id)),
    Entity.COMPANY: sa.select(*companies.c),
}
_ids = {Entity.CONTACT: contacts.c.id, Entity.COMPANY: companies.c.id}
_by_number = {
    entity: statement.where(column_in(_ids[entity], "numbers")) for entity, statement in _all.items()
}
_in_order = {
    entity: statement.where(_ids[entity] > _after).order_by(_ids[entity]).limit(_limit)
    for entity, statement in _all.items()
}
_until = sa.bindparam("until", type_=sa.BigInteger)
_stub_extras = {
    Entity.CONTACT: sa.null(),
    # every stub is partial
    Entity.COMPANY: sa.case((companies.c.partial != 0, companies.c.extras)),
}
_previews = {
    entity: sa.select(column.table.c.preview, _stub_extras[entity]).where(column > _after, column <= _until)
    for entity, column in _ids.items()
}
_row_records = {Entity.CONTACT: contact_rows.c.contact_id, Entity.COMPANY: company_rows.c.company_id}
_sources = {
    entity: sa.select(record.table.c.source, sa.func.count(sa.distinct(record)))
    .where(record > _after, record <= _until)
    .group_by(record.table.c.source)
    for entity, record in _row_records.items()
}
_source_names = sa.select(sources.c.id, sources.c.name)
_highest = {entity: sa.select(sa.func.coalesce(sa.func.max(column), 0)) for entity, column in _ids.items()}
_count = {entity: sa.select(sa.func.count()).select_from(column.table) for entity, column in _ids.items()}


def records_by_number(session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, WholeRecord]:
    """Return those of the records that exist."""
    rows = session.all_in(_by_number[entity], "numbers", list(numbers))
    return {row[0]: _record(entity, row) for row in rows}


def records_after(session: Session, entity: Entity, number: int, limit: int) -> dict[int, WholeRecord]:
    """Return the next records, in the order of their numbers."""
    rows = session.all(_in_order[entity], {"after": number, "limit": limit})
    return {row[0]: _record(entity, row) for row in rows}


def highest_number(session: Session, entity: Entity) -> int:
    """Return the highest number of a record; counting them takes long."""
    row = session.one(_highest[entity])
    return row[0] if row else 0


def count_records(session: Session, entity: Entity) -> int:
    """Return the exact number of records, by reading all of them."""
    row = session.one(_count[entity])
    return row[0] if row else 0


def previews_between(
    session: Session, entity: Entity, after: int, until: int
) -> list[tuple[bytes, bytes | None]]:
    """Return the previews of the records in a range of numbers; of partial companies also the extras."""
    return [(row[0], row[1]) for row in session.all(_previews[entity], {"after": after, "until": until})]


def sources_between(session: Session, entity: Entity, after: int, until: int) -> dict[int, int]:
    """Return how many of the records in a range of numbers have rows of each source."""
    return {row[0]: row[1] for row in session.all(_sources[entity], {"after": after, "until": until})}


def source_names(session: Session) -> dict[int, str]:
    """Return the names of all sources by number."""
    return {row[0]: row[1] for row in session.all(_source_names)}


def _record(entity: Entity, row: Row) -> WholeRecord:
    if entity is Entity.CONTACT:
        return WholeContact(row[0], row[1], row[2], ContactParts(*row[3:]))
    return WholeCompany(row[0], CompanyParts(*row[1:]))
