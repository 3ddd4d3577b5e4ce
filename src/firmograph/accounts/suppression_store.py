"""All SQL of suppression. Every function runs inside the caller's transaction."""

from collections.abc import Collection, Iterable

import sqlalchemy as sa

from firmograph.directory.contact_fragments import ContactFragments
from firmograph.directory.tables import (
    changes,
    companies,
    contact_keys,
    contact_rows,
    contacts,
    sources,
    suppressions,
)
from firmograph.kit.database import Session
from firmograph.kit.tokens import Entity
from firmograph.kit.upserts import insert

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
_drop_contact = sa.delete(contacts).where(contacts.c.id == sa.bindparam("number"))
_drop_rows = sa.delete(contact_rows).where(contact_rows.c.contact_id == sa.bindparam("number"))
_drop_key = sa.delete(contact_keys).where(
    contact_keys.c.digest == sa.bindparam("digest"), contact_keys.c.contact_id == sa.bindparam("number")
)
_put_removal = sa.insert(changes).values(
    entity=int(Entity.CONTACT), entity_id=sa.bindparam("number"), removed=1
)
_put = (
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
_lift = sa.delete(suppressions).where(suppressions.c.person == sa.bindparam("person"))


def holders(session: Session, digest: bytes) -> list[int]:
    """The contacts that hold a key."""
    return [row[0] for row in session.all(_holders, {"digest": digest})]


def contact(session: Session, number: int) -> tuple[int | None, ContactFragments, bytes | None] | None:
    """A contact's employer, fragments and employer's card."""
    row = session.one(_contact, {"number": number})
    return (row[1], ContactFragments(*row[2:7]), row[7]) if row else None


def rows(session: Session, number: int) -> list[tuple[str, str, bytes | None]]:
    """The source, source id and body of each row of a contact."""
    return [(row[0], row[1], row[2]) for row in session.all(_rows, {"number": number})]


def delete(session: Session, number: int, keys: Iterable[bytes]) -> None:
    """Delete a contact, its rows and its keys, and note the change for the indexes."""
    session.execute(_drop_contact, {"number": number})
    session.execute(_drop_rows, {"number": number})
    session.many(_drop_key, [(key, number) for key in keys])
    session.execute(_put_removal, {"number": number})


def put(session: Session, person: bytes, strong: Collection[bytes], weak: Collection[bytes], at: int) -> None:
    graded = [(digest, 1) for digest in sorted(strong)] + [(digest, 0) for digest in sorted(weak)]
    session.many(_put, [(digest, person, grade, at) for digest, grade in graded])


def lift(session: Session, digest: bytes) -> int:
    """Remove every key of the persons that a key belongs to; how many persons there were."""
    persons = {row[0] for row in session.all(_persons, {"digest": digest})}
    for person in persons:
        session.execute(_lift, {"person": person})
    return len(persons)
