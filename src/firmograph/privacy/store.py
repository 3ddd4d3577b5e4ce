"""SQL statements of suppression; every function runs inside the caller's transaction."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.directory.contact_json import ContactParts
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
    installation,
    record_splits,
    sources,
    suppressions,
)
from firmograph.security.record_ids import Entity

_PAGE = 5_000
"""Rows per page."""

_holders = sa.select(contact_keys.c.contact_id).where(contact_keys.c.digest == sa.bindparam("digest"))
_contact = (
    sa.select(*contacts.c, companies.c.card)
    .select_from(contacts.outerjoin(companies, companies.c.id == contacts.c.company_id))
    .where(contacts.c.id == sa.bindparam("number"))
)
_rows = (
    sa.select(sources.c.name, contact_rows.c.source_id, contact_rows.c.row)
    .select_from(contact_rows.join(sources, sources.c.id == contact_rows.c.source))
    .where(contact_rows.c.contact_id == sa.bindparam("number"))
)
_cards = sa.select(companies.c.card).where(companies.c.id.in_(sa.bindparam("numbers", expanding=True)))
_in_numbers: "sa.BindParameter[Any]" = sa.bindparam("numbers", expanding=True)
_records = {Entity.CONTACT: contacts, Entity.COMPANY: companies}
_row_owner = {Entity.CONTACT: contact_rows.c.contact_id, Entity.COMPANY: company_rows.c.company_id}
_key_owner = {Entity.CONTACT: contact_keys.c.contact_id, Entity.COMPANY: company_keys.c.company_id}
_delete_records = {
    entity: sa.delete(table).where(table.c.id.in_(_in_numbers)) for entity, table in _records.items()
}
_delete_rows = {
    entity: sa.delete(column.table).where(column.in_(_in_numbers)) for entity, column in _row_owner.items()
}
_delete_key = {
    entity: sa.delete(column.table).where(
        column.table.c.digest == sa.bindparam("digest"), column == sa.bindparam("number")
    )
    for entity, column in _key_owner.items()
}
_delete_edges = sa.delete(company_parents).where(
    sa.or_(company_parents.c.company_id.in_(_in_numbers), company_parents.c.parent_id.in_(_in_numbers))
)
_unlink_contacts = (
    sa.update(contacts).values(company_id=sa.null()).where(contacts.c.company_id.in_(_in_numbers))
)
_unlink_rows = (
    sa.update(contact_rows).values(employer_id=sa.null()).where(contact_rows.c.employer_id.in_(_in_numbers))
)
_split = (
    sa.select(record_splits.c.record_id)
    .where(record_splits.c.entity == int(Entity.CONTACT), record_splits.c.record_id == sa.bindparam("number"))
    .limit(1)
)
_delete_splits = sa.delete(record_splits).where(
    record_splits.c.entity == sa.bindparam("entity", type_=sa.SmallInteger),
    record_splits.c.record_id.in_(_in_numbers),
)
_insert = (
    insert(suppressions)
    .values(
        digest=sa.bindparam("digest"),
        person=sa.bindparam("person"),
        strong=sa.bindparam("strong"),
        at=sa.bindparam("at"),
    )
    .on_conflict_do_nothing()
)
_persons = sa.select(suppressions.c.person).where(suppressions.c.digest == sa.bindparam("digest"))
_every = (
    sa.select(suppressions.c.digest, suppressions.c.person, suppressions.c.strong, suppressions.c.at)
    .where(
        sa.or_(
            suppressions.c.digest > sa.bindparam("digest"),
            sa.and_(
                suppressions.c.digest == sa.bindparam("digest"),
                suppressions.c.person > sa.bindparam("person"),
            ),
        )
    )
    .order_by(suppressions.c.digest, suppressions.c.person)
    .limit(_PAGE)
)
_count = sa.select(sa.func.count()).select_from(suppressions)
_held = sa.select(suppressions.c.digest, suppressions.c.person).where(
    suppressions.c.digest.in_(sa.bindparam("digests", expanding=True))
)
_all_holders = sa.select(contact_keys.c.digest, contact_keys.c.contact_id).where(
    contact_keys.c.digest.in_(sa.bindparam("digests", expanding=True))
)
_live_holders = _all_holders.where(contact_keys.c.contact_id.in_(sa.select(contacts.c.id)))
# no index leads from a record to its keys
_keys_of = {
    entity: sa.select(column, column.table.c.digest).where(column.in_(_in_numbers))
    for entity, column in _key_owner.items()
}
_existing = {
    entity: sa.select(table.c.id).where(table.c.id.in_(_in_numbers)) for entity, table in _records.items()
}
# the 1 is inline: a parameter would keep the partial index from being used
_removed = (
    sa.select(changes.c.entity_id)
    .where(sa.text("changes.removed = 1"), changes.c.entity == sa.bindparam("entity", type_=sa.SmallInteger))
    .distinct()
)
_origin = sa.select(installation.c.value).where(installation.c.name == "origin")
_counters = sa.select(counters.c.name, counters.c.value)
_numbers_after = (
    sa.select(contacts.c.id)
    .where(contacts.c.id > sa.bindparam("number"))
    .order_by(contacts.c.id)
    .limit(_PAGE)
)
_phones_after = (
    sa.select(contacts.c.id, contacts.c.phones)
    .where(contacts.c.id > sa.bindparam("number"), contacts.c.phones.is_not(None))
    .order_by(contacts.c.id)
    .limit(_PAGE)
)
_last_contact = sa.select(counters.c.value).where(counters.c.name == "contact")
_new_counter = insert(counters).values(name=sa.bindparam("name"), value=sa.bindparam("number"))
_raise_counter = _new_counter.on_conflict_do_update(
    index_elements=[counters.c.name],
    set_={"value": _new_counter.excluded.value},
    where=counters.c.value < _new_counter.excluded.value,
)
_lift = sa.delete(suppressions).where(suppressions.c.person == sa.bindparam("person"))


StoredContact = tuple[int | None, ContactParts, bytes | None]
"""A contact's employer, stored JSON parts and employer's summary."""


class SuppressedKey(NamedTuple):
    """Key of a suppressed person."""

    digest: bytes
    person: bytes
    """Key under which the person was suppressed."""
    strong: int
    at: int


def select_holders(session: Session, digest: bytes) -> list[int]:
    """Return the contacts that hold a key."""
    return [row[0] for row in session.all(_holders, {"digest": digest})]


def select_contact(session: Session, number: int) -> StoredContact | None:
    """Return a contact's employer, stored JSON parts and employer's summary."""
    row = session.one(_contact, {"number": number})
    return (row[1], ContactParts(*row[2:7]), row[7]) if row else None


def select_rows(session: Session, number: int) -> list[tuple[str, str, bytes | None]]:
    """Return source, source id and body of each row of a contact."""
    return [(row[0], row[1], row[2]) for row in session.all(_rows, {"number": number})]


def select_summaries(session: Session, numbers: Collection[int]) -> list[bytes]:
    """Return the summaries of those of these companies that exist."""
    return [row[0] for row in session.all_in(_cards, "numbers", sorted(numbers))]


def is_split(session: Session, number: int) -> bool:
    """Return whether a contact was split from another one, or another one from it."""
    return session.one(_split, {"number": number}) is not None


def delete_records(session: Session, entity: Entity, keys: Mapping[int, Collection[bytes]]) -> None:
    """Delete records with their rows, keys, splits and owners, and add their removal to the change sequence."""
    numbers = sorted(keys)
    session.run_in(_delete_records[entity], "numbers", numbers)
    session.run_in(_delete_rows[entity], "numbers", numbers)
    session.run_in(_delete_splits, "numbers", numbers, entity=int(entity))
    session.many(_delete_key[entity], sorted((key, number) for number in numbers for key in keys[number]))
    if entity is Entity.COMPANY:
        session.run_in(_delete_edges, "numbers", numbers)
    session.load(
        changes, [(int(entity), number, 1) for number in numbers], ("entity", "entity_id", "removed")
    )


def unlink_companies(session: Session, numbers: Collection[int]) -> None:
    """Take the link to companies that go from all contacts, which still name them; reads all contacts."""
    session.run_in(_unlink_contacts, "numbers", sorted(numbers))
    session.run_in(_unlink_rows, "numbers", sorted(numbers))


def insert_suppression(
    session: Session, person: bytes, strong: Collection[bytes], weak: Collection[bytes], at: int
) -> None:
    graded = [(digest, 1) for digest in sorted(strong)] + [(digest, 0) for digest in sorted(weak)]
    session.many(_insert, [(digest, person, grade, at) for digest, grade in graded])


def delete_suppressions(session: Session, digest: bytes) -> int:
    """Delete all keys of the people that a key belongs to and return the number of people."""
    persons = {row[0] for row in session.all(_persons, {"digest": digest})}
    for person in persons:
        session.execute(_lift, {"person": person})
    return len(persons)


def delete_people(session: Session, persons: Iterable[bytes]) -> None:
    """Delete all keys of people, given by the key under which each was suppressed."""
    session.many(_lift, [(person,) for person in persons])


def count_keys(session: Session) -> int:
    """Return the number of hashes."""
    return int(session.all(_count)[0][0])


def select_pages(session: Session) -> Iterator[list[SuppressedKey]]:
    """Yield all keys of all suppressed people in pages, in the order of the keys."""
    digest, person = b"", b""
    while rows := session.all(_every, {"digest": digest, "person": person}):
        yield [SuppressedKey(*row) for row in rows]
        digest, person = rows[-1][:2]


def select_all(session: Session) -> Iterator[SuppressedKey]:
    """Yield all keys of all suppressed people, in the order of the keys."""
    for page in select_pages(session):
        yield from page


def select_missing(session: Session, hashes: Sequence[SuppressedKey]) -> list[SuppressedKey]:
    """Return the hashes that are not stored yet."""
    stored = set(session.all_in(_held, "digests", sorted({each.digest for each in hashes})))
    return [each for each in hashes if (each.digest, each.person) not in stored]


def select_suppressed(session: Session, digests: Collection[bytes]) -> set[bytes]:
    """Return those of these hashes that are stored."""
    return {row[0] for row in session.all_in(_held, "digests", sorted(digests))}


def insert_keys(session: Session, hashes: Sequence[SuppressedKey]) -> None:
    session.many(_insert, list(hashes))


def select_holders_of_keys(session: Session, digests: Collection[bytes]) -> list[tuple[bytes, int]]:
    """Return the contacts that hold each of these keys."""
    return [(row[0], row[1]) for row in session.all_in(_all_holders, "digests", sorted(digests))]


def select_live_holders(session: Session, digests: Collection[bytes]) -> set[tuple[bytes, int]]:
    """Return the contacts that exist and hold each of these keys."""
    return {(row[0], row[1]) for row in session.all_in(_live_holders, "digests", sorted(digests))}


def select_keys_of(session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, list[bytes]]:
    """Return the keys under which records are stored; reads the whole table of keys."""
    found: dict[int, list[bytes]] = {number: [] for number in numbers}
    for number, digest in session.all_in(_keys_of[entity], "numbers", sorted(numbers)):
        found[number].append(digest)
    return found


def select_removed(session: Session, entity: Entity) -> list[int]:
    """Return the numbers of all records of a kind that were removed."""
    return [row[0] for row in session.all(_removed, {"entity": int(entity)})]


def select_existing(session: Session, entity: Entity, numbers: Collection[int]) -> list[int]:
    """Return those of these records that exist."""
    return [row[0] for row in session.all_in(_existing[entity], "numbers", sorted(numbers))]


def select_contact_ids(session: Session) -> Iterator[int]:
    """Yield the numbers of all contacts in ascending order."""
    last = 0
    while rows := session.all(_numbers_after, {"number": last}):
        last = rows[-1][0]
        yield from (number for (number,) in rows)


def select_phones(session: Session) -> Iterator[tuple[int, bytes]]:
    """Yield the telephone numbers of all contacts that have any, as stored."""
    last = 0
    while rows := session.all(_phones_after, {"number": last}):
        last = rows[-1][0]
        yield from ((number, phones) for number, phones in rows)


def select_last_contact(session: Session) -> int:
    """Return the last number assigned to a contact."""
    row = session.one(_last_contact)
    return row[0] if row else 0


def raise_last_contact(session: Session, number: int) -> None:
    """Let new contacts get numbers after this one."""
    session.execute(_raise_counter, {"name": "contact", "number": number})


def raise_counters(session: Session, values: Mapping[str, int]) -> None:
    """Let counters of this database continue after these values."""
    session.many(_raise_counter, sorted(values.items()))


def select_counters(session: Session) -> dict[str, int]:
    return dict(session.all(_counters))


def select_origin(session: Session) -> str | None:
    """Return what this database has in common with its copies."""
    row = session.one(_origin)
    return row[0] if row else None
