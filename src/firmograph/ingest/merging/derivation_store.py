"""SQL on the position of a derivation of records. Every function runs in the caller's transaction."""

from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.schema import RULES, held_rules
from firmograph.directory.tables import companies, contacts
from firmograph.security.record_ids import Entity

_records = {Entity.CONTACT: contacts, Entity.COMPANY: companies}
_after = {
    entity: sa.select(table.c.id)
    .where(table.c.id > sa.bindparam("number"))
    .order_by(table.c.id)
    .limit(sa.bindparam("most"))
    for entity, table in _records.items()
}
_last = {entity: sa.select(sa.func.max(table.c.id)) for entity, table in _records.items()}
_drop_rules = sa.text("DELETE FROM installation WHERE name = 'rules'")
_put_rules = sa.text("INSERT INTO installation (name, value) VALUES ('rules', :value)")

ORDER = (Entity.COMPANY, Entity.CONTACT)


class DerivationPosition(NamedTuple):
    """The last record that was derived again."""

    entity: Entity
    number: int


def read_position(session: Session) -> DerivationPosition | None:
    """Return the position to continue at; None when all records follow this release's rules."""
    rules, _, progress = held_rules(session).partition(" ")
    if rules == RULES and not progress:
        return None
    entity, _, number = progress.partition(" ") if rules == RULES else (ORDER[0].name, "", "0")
    return DerivationPosition(Entity[entity], int(number))


def write_position(session: Session, position: DerivationPosition | None) -> None:
    value = RULES if position is None else f"{RULES} {position.entity.name} {position.number}"
    session.execute(_drop_rules)
    session.execute(_put_rules, {"value": value})


def numbers_after(session: Session, position: DerivationPosition, most: int) -> list[int]:
    rows = session.all(_after[position.entity], {"number": position.number, "most": most})
    return [row[0] for row in rows]


def last_number(session: Session, entity: Entity) -> int:
    row = session.one(_last[entity])
    return row[0] or 0 if row else 0
