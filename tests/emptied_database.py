"""Databases that are as new again, which takes less time than creating another one on a server."""

import sqlalchemy as sa

import database_fixtures
from firmograph.database.connection import Database, Session

_FACTS = ("alembic_version", "installation")
"""Tables of which a new database has rows."""
_GIVEN_NUMBERS = sa.text(
    "SELECT setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences WHERE last_value IS NOT NULL"
)
_DELETE_GUARDS = (
    "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%_no_delete'"
)
_LEARNT_FACTS = sa.text("DELETE FROM installation WHERE name NOT IN ('identity', 'origin', 'rules')")


def empty_tables(database: Database) -> None:
    """Delete all rows that a new database does not have, and give numbers from 1 again."""
    with database.write(None) as session:
        filled = _filled(session)
        if database_fixtures.EMBEDDED:
            guards = [each for each in session.raw.execute(_DELETE_GUARDS).fetchall() if each[0] in filled]
            for _, guard, _ in guards:
                session.raw.execute(f"DROP TRIGGER {guard}")
            for table in [*filled, "sqlite_sequence"]:
                session.raw.execute(f"DELETE FROM {table}")
            for _, _, creation in guards:
                session.raw.execute(creation)
        else:
            if filled:
                session.raw.execute(f"TRUNCATE {', '.join(filled)} CASCADE")
            session.all(_GIVEN_NUMBERS)
        session.execute(_LEARNT_FACTS)


def _filled(session: Session) -> list[str]:
    tables = sorted(session.tables() - set(_FACTS))
    query = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables)
    return [name for (name,) in session.all(sa.text(query))]
