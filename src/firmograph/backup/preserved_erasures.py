"""Preservation of erasures and revocations on restore.

See docs/reference/backup.md#what-a-restore-keeps.

People suppressed or erased in the replaced database, and keys or accounts disabled there, must not come back with an
older copy. What that takes stands in the packages' declarations (`privacy/restore_rules.py`). This module puts their
statements in order; the engines run them:

- `stage` copies the protections out of the database to be replaced.
- `apply` runs on the restored copy: it reads what the protections apply to before it changes anything, then changes the
  data that others read last. The copy also gets a new identity, so that no index of another state is taken for its own.
"""

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from firmograph.database.schema import HEAD
from firmograph.privacy.declarations import PersonalData, in_order_of_use
from firmograph.privacy.restore_rules import PerEngine


class Preserved(NamedTuple):
    """Numbers of preserved protections."""

    suppressions: int = 0
    """Suppression hashes."""
    erased: int = 0
    """Erased records."""
    revoked: int = 0
    """Revoked API keys."""
    disabled: int = 0
    """Disabled accounts."""

    def plus(self, other: "Preserved") -> "Preserved":
        return Preserved(*(own + added for own, added in zip(self, other, strict=True)))


class Protections:
    """Statements that preserve the protections of all packages."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        self._rules = [rule for each in in_order_of_use(declarations) for rule in each.restore]
        self._staged = [table for rule in self._rules for table in rule.staged]
        self._found = [table for rule in self._rules for table in rule.found]

    def stage(self, source: str = "") -> list[str]:
        """Return the statements that stage the protections of the tables with this prefix."""
        names = {table.name: table.query.format(source=source) for table in self._staged}
        return [*_drop(names), *(_create(name, query) for name, query in names.items())]

    def apply(self, schema: str = HEAD, *, embedded: bool) -> list[str]:
        """Return the statements that protect a restored copy of this schema.

        They may run again after another `stage`.
        """
        rules = [rule for rule in self._rules if rule.schema <= schema]
        return [
            *_drop(table.name for table in self._found),
            *(_create(table.name, table.query) for rule in rules for table in rule.found),
            *(_form(each, embedded=embedded) for rule in reversed(rules) for each in rule.changes),
            f"UPDATE installation SET value = '{secrets.token_hex(16)}' WHERE name = 'identity'",
        ]

    def count(self) -> str:
        """Return the query for the fields of `Preserved`, to be run after `apply`."""
        return "SELECT " + ", ".join(self._count(field) for field in Preserved._fields)

    def _count(self, field: str) -> str:
        tables = [table for table in self._found if table.counts == field]
        return " + ".join(f"(SELECT count(*) FROM {table.name})" for table in tables) or "0"

    def find_unstaged(self, source: str) -> str:
        """Return the query for protections added since they were staged; it yields a row if there are any."""
        queries = (
            f"SELECT 1 FROM (SELECT * FROM ({table.query.format(source=source)}) a"
            f" EXCEPT SELECT * FROM {table.name}) b"
            for table in self._staged
            if table.is_checked
        )
        return " UNION ALL ".join(queries) + " LIMIT 1"


def _form(statement: str | PerEngine, *, embedded: bool) -> str:
    return statement if isinstance(statement, str) else statement.form(embedded=embedded)


def _create(name: str, query: str) -> str:
    return f"CREATE TEMPORARY TABLE {name} AS {query}"


def _drop(names: Iterable[str]) -> list[str]:
    return [f"DROP TABLE IF EXISTS {name}" for name in names]
