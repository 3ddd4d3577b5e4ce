"""All SQL of writing records. Every function runs in the caller's transaction."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert as upsert
from firmograph.directory.company_json import TOKEN_BIT, CompanyParts
from firmograph.directory.contact_json import ContactParts
from firmograph.directory.record_store import source_names
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.directory.stored_views import competitor_numbers
from firmograph.directory.tables import (
    changes,
    companies,
    company_keys,
    company_parents,
    company_rows,
    contact_keys,
    contact_rows,
    contacts,
    counters,
    sources,
    suppressions,
)
from firmograph.ingest.merging.source_history import Row, Rows
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.security.record_ids import Entity

_PAGE = 20_000
"""Rows read at a time."""
_NO_RECORD = 0
"""Number that no record has."""

_entity_column = {Entity.CONTACT: "contact_id", Entity.COMPANY: "company_id"}
_records = {Entity.CONTACT: contacts, Entity.COMPANY: companies}
_keys = {Entity.CONTACT: contact_keys, Entity.COMPANY: company_keys}
_rows = {Entity.CONTACT: contact_rows, Entity.COMPANY: company_rows}


def _replacing(table: sa.Table) -> sa.sql.Executable:
    """Return an insert that overwrites the row of the same primary key; parameters in column order."""
    statement = upsert(table).values({column.name: sa.bindparam(column.name) for column in table.c})
    others = {c.name: statement.excluded[c.name] for c in table.c if not c.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=others)


def _adding(table: sa.Table) -> sa.sql.Executable:
    """Return an insert that keeps an existing row of the same primary key."""
    statement = upsert(table).values({column.name: sa.bindparam(column.name) for column in table.c})
    return statement.on_conflict_do_nothing()


_put_record = {entity: _replacing(table) for entity, table in _records.items()}
_put_row = {entity: _replacing(table) for entity, table in _rows.items()}
_put_key = {entity: _adding(table) for entity, table in _keys.items()}
_put_counter = _replacing(counters)
_put_source = sa.insert(sources).values(id=sa.bindparam("id"), name=sa.bindparam("name"))
_drop_key = {
    entity: sa.delete(table).where(
        table.c.digest == sa.bindparam("d"), table.c[_entity_column[entity]] == sa.bindparam("i")
    )
    for entity, table in _keys.items()
}
_drop_row = {
    entity: sa.delete(table).where(
        table.c[_entity_column[entity]] == sa.bindparam("i"),
        table.c.source == sa.bindparam("s"),
        table.c.source_id == sa.bindparam("r"),
    )
    for entity, table in _rows.items()
}
_drop_parents = sa.delete(company_parents).where(
    company_parents.c.company_id.in_(sa.bindparam("ids", expanding=True))
)
_by_digest = {
    entity: sa.select(table.c.digest, table.c[_entity_column[entity]]).where(
        table.c.digest.in_(sa.bindparam("digests", expanding=True))
    )
    for entity, table in _keys.items()
}
_by_id = {
    entity: sa.select(*table.c).where(table.c.id.in_(sa.bindparam("ids", expanding=True)))
    for entity, table in _records.items()
}
_existing_companies = sa.select(companies.c.id).where(companies.c.id.in_(sa.bindparam("ids", expanding=True)))
_rows_by_id = {
    entity: sa.select(*table.c).where(
        table.c[_entity_column[entity]].in_(sa.bindparam("ids", expanding=True))
    )
    for entity, table in _rows.items()
}
_counter = sa.select(counters.c.value).where(counters.c.name == sa.bindparam("name"))
_last_change = sa.select(sa.func.coalesce(sa.func.max(changes.c.sequence), 0))
_changed_after = sa.select(changes.c.entity, changes.c.entity_id).where(
    changes.c.sequence > sa.bindparam("after", type_=sa.BigInteger)
)
_employers = sa.select(contact_rows.c.employer_id, sa.func.min(contact_rows.c.contact_id)).where(
    contact_rows.c.employer_id.is_not(None)
)
_contact_employers = sa.select(contacts.c.id, contacts.c.company_id).where(
    contacts.c.id.in_(sa.bindparam("ids", expanding=True)), contacts.c.company_id.is_not(None)
)
_employee_rows = (
    sa.select(contact_rows.c.employer_id, sa.func.count())
    .where(contact_rows.c.employer_id.is_not(None))
    .group_by(contact_rows.c.employer_id)
)
_every_employer = _employers.group_by(contact_rows.c.employer_id)
_employers_of = _employers.where(contact_rows.c.contact_id.in_(sa.bindparam("ids", expanding=True))).group_by(
    contact_rows.c.employer_id
)
_employees = sa.select(sa.func.min(contact_rows.c.contact_id)).where(
    contact_rows.c.employer_id == sa.bindparam("company", type_=sa.BigInteger)
)
_owners = sa.select(company_parents.c.parent_id, company_parents.c.company_id)
_owners_of = _owners.where(company_parents.c.company_id.in_(sa.bindparam("ids", expanding=True)))
_competing = sa.select(companies.c.id, companies.c.premium).where(
    companies.c.tokens.bitwise_and(sa.literal_column(str(TOKEN_BIT["competitors"]))) != sa.literal_column("0")
)
_competing_of = _competing.where(companies.c.id.in_(sa.bindparam("ids", expanding=True)))
_rows_of_source = {
    entity: sa.select(table.c[_entity_column[entity]], table.c.employer_id, table.c.history)
    .where(
        table.c.source == sa.bindparam("source"),
        table.c[_entity_column[entity]] > sa.bindparam("after", type_=sa.BigInteger),
    )
    .order_by(table.c[_entity_column[entity]])
    .limit(sa.bindparam("most", type_=sa.Integer))
    for entity, table in _rows.items()
}
_contacts_of_source = (
    sa.select(contact_rows.c.contact_id)
    .where(
        contact_rows.c.source == sa.bindparam("source"),
        contact_rows.c.contact_id > sa.bindparam("after", type_=sa.BigInteger),
    )
    .order_by(contact_rows.c.contact_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_sources_of_contacts = sa.select(contact_rows.c.contact_id, contact_rows.c.source).where(
    contact_rows.c.contact_id.in_(sa.bindparam("ids", expanding=True))
)
_sizes = {
    entity: sa.select(
        table.c.source, sa.func.count(), sa.func.count(sa.distinct(table.c[_entity_column[entity]]))
    ).group_by(table.c.source)
    for entity, table in _rows.items()
}
_any_suppression = sa.select(suppressions.c.digest).limit(1)
_suppressed = sa.select(suppressions.c.digest).where(
    suppressions.c.digest.in_(sa.bindparam("digests", expanding=True)),
    suppressions.c.strong >= sa.bindparam("strong"),
)

_suppressed_people = sa.select(suppressions.c.digest, suppressions.c.person).where(
    suppressions.c.digest.in_(sa.bindparam("digests", expanding=True)), suppressions.c.strong == 1
)


def find_by_keys(session: Session, entity: Entity, digests: Collection[bytes]) -> dict[bytes, list[int]]:
    """Return the records of each key in number order."""
    found: dict[bytes, list[int]] = defaultdict(list)
    for digest, number in session.all_in(_by_digest[entity], "digests", sorted(digests)):
        found[digest].append(number)
    for numbers in found.values():
        numbers.sort()
    return found


def read_contact_parts(session: Session, ids: Sequence[int]) -> dict[int, tuple[int | None, ContactParts]]:
    """Return each contact's employer and stored JSON parts."""
    rows = session.all_in(_by_id[Entity.CONTACT], "ids", ids)
    return {row[0]: (row[1], ContactParts(*row[2:])) for row in rows}


def read_company_parts(session: Session, ids: Sequence[int]) -> dict[int, CompanyParts]:
    rows = session.all_in(_by_id[Entity.COMPANY], "ids", ids)
    return {row[0]: CompanyParts(*row[1:]) for row in rows}


def existing_companies(session: Session, ids: Collection[int]) -> set[int]:
    """Return those of these companies that exist."""
    return {row[0] for row in session.all_in(_existing_companies, "ids", sorted(ids))}


def read_rows(session: Session, entity: Entity, ids: Sequence[int]) -> dict[int, Rows]:
    """Return each record's rows by slot."""
    rows: dict[int, Rows] = {number: {} for number in ids}
    for number, source, source_id, version, day, company_id, body, history in session.all_in(
        _rows_by_id[entity], "ids", ids
    ):
        rows[number][source, source_id] = Row(version, day, company_id, body, history)
    return rows


def read_counter(session: Session, name: str) -> int:
    row = session.one(_counter, {"name": name})
    return row[0] if row else 0


def set_counter(session: Session, name: str, value: int) -> None:
    session.many(_put_counter, [(name, value)])


def last_change(session: Session) -> int:
    """Return the last number of the change sequence."""
    row = session.one(_last_change)
    return row[0] if row else 0


def changed_after(session: Session, sequence: int) -> dict[Entity, set[int]]:
    """Return the records that changed after a position of the change sequence."""
    changed: dict[Entity, set[int]] = {entity: set() for entity in Entity}
    for entity, number in session.all(_changed_after, {"after": sequence}):
        changed[Entity(entity)].add(number)
    return changed


def read_employers(session: Session, contacts: Collection[int] | None = None) -> dict[int, int]:
    """Return the companies that rows of these contacts, or of all, are linked to, with the first such contact."""
    if contacts is None:
        return dict(session.all(_every_employer))
    found: dict[int, int] = {}
    for company, contact in session.all_in(_employers_of, "ids", sorted(contacts)):
        found[company] = min(contact, found.get(company, contact))
    return found


def count_employees(session: Session) -> dict[int, int]:
    """Return how many rows of contacts are linked to each company. Reads all of them."""
    return dict(session.all(_employee_rows))


def read_contact_employers(session: Session, ids: Sequence[int]) -> dict[int, int]:
    """Return the employers of those of the contacts that have one."""
    return dict(session.all_in(_contact_employers, "ids", ids))


def first_employee(session: Session, company: int) -> int | None:
    """Return the first contact with a row linked to a company; reads the rows of all contacts."""
    row = session.one(_employees, {"company": company})
    return row[0] if row else None


def read_relations(session: Session, ids: Collection[int] | None = None) -> Iterator[tuple[int, int]]:
    """Yield the owners and competitors of these companies, or of all, each with the company that names it."""
    numbers = None if ids is None else sorted(ids)
    yield from session.all(_owners) if numbers is None else session.all_in(_owners_of, "ids", numbers)
    competing = session.all(_competing) if numbers is None else session.all_in(_competing_of, "ids", numbers)
    for company, premium in competing:
        yield from ((rival, company) for rival in competitor_numbers(premium))


class SourceRow(NamedTuple):
    """A row of a source without its values."""

    record: int
    employer: int | None
    history: bytes | None


class SourceSize(NamedTuple):
    rows: int
    records: int


def read_sources(session: Session) -> dict[str, int]:
    """Return the numbers of all sources that have stated anything."""
    return {name: number for number, name in source_names(session).items()}


def iterate_rows_of_source(session: Session, entity: Entity, source: int) -> Iterator[SourceRow]:
    """Yield the rows of a source, in the order of their records. Reads all rows of records of this kind."""
    after = 0
    while True:
        params = {"source": source, "after": after, "most": _PAGE}
        page = [SourceRow(*row) for row in session.all(_rows_of_source[entity], params)]
        if len(page) < _PAGE:
            yield from page
            return
        # the last record may go on with the next page
        whole = [row for row in page if row.record < page[-1].record]
        yield from whole
        after = whole[-1].record


def contacts_of_source(session: Session, source: int) -> Iterator[Sequence[int]]:
    """Yield the contacts with rows of a source in pages, in ascending order. Reads the rows of all contacts."""
    after = 0
    while True:
        params = {"source": source, "after": after, "most": _PAGE}
        page = [row[0] for row in session.all(_contacts_of_source, params)]
        if not page:
            return
        yield page
        after = page[-1]


def sources_of_contacts(session: Session, ids: Sequence[int]) -> dict[int, set[int]]:
    """Return the sources with rows of each of these contacts."""
    found: dict[int, set[int]] = {}
    for number, source in session.all_in(_sources_of_contacts, "ids", ids):
        found.setdefault(number, set()).add(source)
    return found


def source_sizes(session: Session, entity: Entity) -> dict[int, SourceSize]:
    """Return the rows and records of each source. Reads all rows of records of this kind."""
    return {row[0]: SourceSize(row[1], row[2]) for row in session.all(_sizes[entity])}


def renew_indexes(session: Session) -> None:
    """Let indexes be built again when their checkpoints are renewed, as after the removal of a record."""
    rows = [(int(entity), _NO_RECORD, 1) for entity in Entity]
    session.load(changes, rows, ("entity", "entity_id", "removed"))


def number_sources(session: Session, source: str) -> dict[str, int]:
    """Return the numbers of all sources; number `source` and the source of stubs if they are new."""
    numbers = read_sources(session)
    for name, number in ((STUB_SOURCE, STUB_SOURCE_NUMBER), (source, len(numbers) or 1)):
        if name not in numbers:
            session.many(_put_source, [(number, name)])
            numbers[name] = number
    return numbers


def has_suppressions(session: Session) -> bool:
    return session.one(_any_suppression) is not None


def suppressed_keys(session: Session, digests: Collection[bytes], *, strong: bool) -> set[bytes]:
    """Return the suppressed ones of these keys; with `strong` only those suppressed as strong keys."""
    if not digests:
        return set()
    rows = session.all_in(_suppressed, "digests", sorted(digests), strong=int(strong))
    return {row[0] for row in rows}


def suppressed_people(session: Session, digests: Collection[bytes]) -> dict[bytes, set[bytes]]:
    """Return the keys under which the people with these strong keys were suppressed."""
    people: dict[bytes, set[bytes]] = defaultdict(set)
    if digests:
        for digest, person in session.all_in(_suppressed_people, "digests", sorted(digests)):
            people[digest].add(person)
    return people


StoredRow = tuple[int, int, str, bytes, str, int | None, bytes | None, bytes | None]
"""Record, source and source id, then the fields of `source_history.Row`."""
StoredKey = tuple[bytes, int]
"""A digest and its record."""


def load_records(session: Session, entity: Entity, rows: list[tuple[Any, ...]]) -> None:
    """Insert new records: number, a contact's employer, stored JSON parts."""
    session.load(_records[entity], rows)


def load_rows(session: Session, entity: Entity, rows: list[StoredRow]) -> None:
    """Insert the rows of new records."""
    session.load(_rows[entity], rows)


def load_keys(session: Session, entity: Entity, keys: Collection[StoredKey]) -> None:
    """Insert the keys of new records."""
    # in index order, so that neighbouring keys share a cached page
    session.load(_keys[entity], sorted(set(keys)))


def put_records(session: Session, entity: Entity, rows: list[tuple[Any, ...]]) -> None:
    session.many(_put_record[entity], rows)


def put_rows(session: Session, entity: Entity, rows: list[StoredRow]) -> None:
    session.many(_put_row[entity], rows)


def put_keys(session: Session, entity: Entity, keys: Collection[StoredKey]) -> None:
    session.many(_put_key[entity], sorted(keys))


def drop_rows(session: Session, entity: Entity, rows: list[tuple[int, int, str]]) -> None:
    """Delete rows by record, source and source id."""
    session.many(_drop_row[entity], rows)


def drop_keys(session: Session, entity: Entity, keys: list[StoredKey]) -> None:
    session.many(_drop_key[entity], keys)


def put_parents(session: Session, parents: dict[int, dict[int, int]]) -> None:
    """Replace the owners of companies, given with their roles."""
    session.run_in(_drop_parents, "ids", list(parents))
    rows = [(company, *owner) for company, owners in parents.items() for owner in owners.items()]
    session.load(company_parents, rows)


def load_changes(session: Session, entity: Entity, ids: Iterable[int]) -> None:
    """Append changed records to the change sequence."""
    session.load(changes, [(int(entity), number) for number in ids], ("entity", "entity_id"))
