"""Rules by which a restored copy keeps the protections of the database that it replaces.

The statements are plain SQL without parameters, because in PostgreSQL they run inside the restore script
(`backup/preserved_erasures.py`). They are the same for both databases, except where these differ (`PerEngine`). They
use temporary tables, which end with the connection.
"""

from typing import Final, NamedTuple

from firmograph.database.schema import FIRST

SAME_ORIGIN: Final = (
    "EXISTS (SELECT 1 FROM installation i JOIN was_installed w ON w.name = i.name AND w.value = i.value)"
)
"""Condition that both databases have the same origin: only then do numbers mean the same records."""


class StagedTable(NamedTuple):
    """Copy of protections of the database to be replaced; named `was_...`."""

    name: str
    query: str
    """`{source}` stands before each table."""
    is_checked: bool = True
    """Whether it must be complete when the copy replaces the database."""


class FoundTable(NamedTuple):
    """What the protections apply to in the restored copy; named `new_...`, read before anything is changed."""

    name: str
    query: str
    counts: str = ""
    """Field of `Preserved` that is its number of rows."""


class PerEngine(NamedTuple):
    """Statement with a form for each database, as their functions for JSON differ."""

    sqlite: str
    postgresql: str

    def form(self, *, embedded: bool) -> str:
        return self.sqlite if embedded else self.postgresql


class RestoreRule(NamedTuple):
    """Protections that a restored copy of some schema takes over.

    Rules of packages that others use find first and change last.
    """

    staged: tuple[StagedTable, ...] = ()
    found: tuple[FoundTable, ...] = ()
    changes: tuple[str | PerEngine, ...] = ()
    """Statements that change the copy."""
    schema: str = FIRST
    """The first schema with its tables: a PostgreSQL backup is restored at its own schema, which may be older."""
