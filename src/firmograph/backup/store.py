"""All SQL that asks what a database is and holds."""

from typing import Any, NamedTuple

import sqlalchemy as sa

from firmograph.accounts.tables import accounts
from firmograph.backup.archive import Holds
from firmograph.backup.foreign import foreign
from firmograph.database.connection import Session
from firmograph.directory.tables import companies, contacts, installation, suppressions

_version = sa.text("SELECT version_num FROM alembic_version")
_keyring = sa.select(installation.c.value).where(installation.c.name == "keyring")
_holds = sa.select(
    *(
        sa.select(sa.func.count()).select_from(table).scalar_subquery()
        for table in (contacts, companies, accounts, suppressions)
    )
)
_in_use: list[sa.Select[Any]] = [
    sa.select(sa.literal_column("1")).select_from(table).limit(1)
    for table in (contacts, companies, accounts, suppressions)
]


class State(NamedTuple):
    """What a database is."""

    schema: str
    keyring: str | None
    """The fingerprint of the keys that it was written under."""
    holds: Holds
    foreign: list[str]
    """What the program did not make (`foreign.py`)."""


def state(session: Session, *, embedded: bool) -> State:
    """Reads it at any schema that there ever was."""
    (schema,) = session.all(_version)[0]
    (counts,) = session.all(_holds)
    return State(schema, keyring(session), Holds(*counts), foreign(session, embedded=embedded))


def keyring(session: Session) -> str | None:
    row = session.one(_keyring)
    return row[0] if row else None


def is_in_use(session: Session) -> bool:
    """Whether it holds any account, record or suppression."""
    return any(session.one(statement) is not None for statement in _in_use)
