"""SQL that reads a database's schema, keyring and contents, and renews its identity."""

import secrets
from collections.abc import Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa

from firmograph.accounts.tables import accounts
from firmograph.backup.archive import Archive, ArchiveContents
from firmograph.backup.foreign import find_foreign
from firmograph.database.connection import Session
from firmograph.directory.tables import companies, contacts, installation, suppressions

_version = sa.text("SELECT version_num FROM alembic_version")
_keyring = sa.select(installation.c.value).where(installation.c.name == "keyring")
_identity = sa.select(installation.c.value).where(installation.c.name == "identity")
_renew = (
    sa.update(installation)
    .where(installation.c.name == "identity")
    .values(value=sa.bindparam("identity", type_=sa.Text))
)
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


class DatabaseState(NamedTuple):
    """Schema, keyring and contents of a database."""

    schema: str
    keyring: str | None
    """Fingerprint of the keys it is written under."""
    holds: ArchiveContents
    foreign: list[str]
    """Objects that this program did not create."""


def read_state(session: Session, *, embedded: bool) -> DatabaseState:
    """Read the state of a database, at any schema."""
    (schema,) = session.all(_version)[0]
    (counts,) = session.all(_holds)
    return DatabaseState(
        schema, read_keyring(session), ArchiveContents(*counts), find_foreign(session, embedded=embedded)
    )


def check_manifest(state: DatabaseState, archive: Archive) -> None:
    """Raise Refused unless a restored copy agrees with the manifest of its backup."""
    manifest = archive.manifest
    if (state.schema, state.keyring, state.holds) != (manifest.schema, manifest.keyring, manifest.holds):
        raise archive.damaged("its database does not match its manifest")


def read_keyring(session: Session) -> str | None:
    row = session.one(_keyring)
    return row[0] if row else None


def read_identity(session: Session) -> str | None:
    row = session.one(_identity)
    return row[0] if row else None


def is_in_use(session: Session) -> bool:
    """Return whether it has any account, record or suppression."""
    return any(session.one(statement) is not None for statement in _in_use)


def find_filled(session: Session, tables: Iterable[sa.Table]) -> list[str]:
    """Return the names of those tables that have rows. One statement for each table."""
    one = sa.literal_column("1", sa.Integer)
    return [
        table.name for table in tables if session.one(sa.select(one).select_from(table).limit(1)) is not None
    ]


def count_rows(session: Session, tables: Iterable[sa.Table]) -> dict[str, int]:
    """Return the numbers of rows by table. One statement for each table."""
    return {table.name: session.all(sa.select(sa.func.count()).select_from(table))[0][0] for table in tables}


def delete_rows(session: Session, tables: Iterable[sa.Table]) -> None:
    """Delete all rows. One statement for each table."""
    for table in tables:
        session.execute(sa.delete(table))


def renew_identity(session: Session) -> None:
    """Give a database an identity of its own."""
    session.execute(_renew, {"identity": secrets.token_hex(16)})
