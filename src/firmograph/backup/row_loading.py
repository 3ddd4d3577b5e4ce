"""Rows of a PostgreSQL backup, loaded into a schema that the migrations have made.

The backup is read as the script that pg_restore makes of it. The script is not run: its rows are copied into tables of
the same names and columns, its sequences are set, and everything else is left out. So nothing that a forged backup
defines can come into the database; what is foreign in it is named, for the restore to be refused.
"""

import re
from collections.abc import Iterator
from typing import IO, Any, Final

import psycopg
from psycopg import sql

from firmograph.backup.archive import Archive
from firmograph.backup.foreign import KNOWN_NAMES
from firmograph.database.connection import Session

_BLOCK: Final = 1 << 20
_NAME: Final = rb'(?:"(?:[^"]|"")+"|[^\s".]+)'
_COPY = re.compile(rb'COPY %b\.(\w+) \(([\w", ]+)\) FROM stdin;\n' % _NAME)
_SEQUENCE = re.compile(rb"SELECT pg_catalog\.setval\('%b\.(%b)', (\d+), (true|false)\);\n" % (_NAME, _NAME))
_KINDS: Final = rb"FUNCTION|PROCEDURE|AGGREGATE|(?:EVENT )?TRIGGER|(?:MATERIALIZED )?VIEW|RULE"
_ENTRY = re.compile(rb"-- Name: (.*); Type: (%b);" % _KINDS)
_END: Final = b"\\.\n"
_SCHEMA: Final = "quote_ident(current_schema())::regnamespace"
_CONSTRAINTS: Final = f"""
SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid), contype = 'f' FROM pg_constraint
WHERE connamespace = {_SCHEMA} AND contype IN ('p', 'u', 'f') ORDER BY contype = 'f', conname
"""
_INDEXES: Final = f"""
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
WHERE relnamespace = {_SCHEMA} ORDER BY 1
"""
_FUNCTIONS: Final = f"SELECT proname, prosrc FROM pg_proc WHERE pronamespace = {_SCHEMA}"


def load_rows(session: Session, script: IO[bytes], archive: Archive) -> list[str]:
    """Load the rows of a backup into the tables of a staged schema; return the names of foreign objects.

    Indexes and constraints are made after the rows, which takes a fraction of the time. Raises Refused for rows that do
    not fit.
    """
    tables = session.tables()
    raw: psycopg.Connection[Any] = session.raw
    loading = _Loading(raw, script, tables)
    try:
        with raw.transaction():
            # the migrations have filled some
            raw.execute(
                sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(map(sql.Identifier, sorted(tables))))
            )
            rebuilt = drop_constraints(session)
            loading.run()
            for statement in rebuilt:
                session.define(statement)
    except (psycopg.DataError, psycopg.IntegrityError, psycopg.ProgrammingError, _UnknownTableError) as error:
        raise archive.damaged("its rows do not fit its schema") from error
    return sorted(loading.foreign)


class _UnknownTableError(Exception):
    """A script has rows of a table that the schema lacks."""


class _Loading:
    """One pass over a script."""

    def __init__(self, raw: "psycopg.Connection[Any]", script: IO[bytes], tables: set[str]) -> None:
        self._raw = raw
        self._lines: Iterator[bytes] = iter(script)
        self._tables = tables
        self._bodies = {name: _line(body) for name, body in raw.execute(_FUNCTIONS)}
        self.foreign: set[str] = set()

    def run(self) -> None:
        for line in self._lines:
            if found := _COPY.fullmatch(line):
                self._copy(found[1].decode(), found[2].decode())
            elif found := _SEQUENCE.fullmatch(line):
                name, value, is_called = (part.decode() for part in found.groups())
                self._raw.execute(
                    "SELECT setval(%s::regclass, %s, %s)", (name, int(value), is_called == "true")
                )
            elif found := _ENTRY.match(line):
                self._check(found[2].decode().lower(), found[1].decode(errors="replace"))

    def _copy(self, table: str, columns: str) -> None:
        if table not in self._tables:
            raise _UnknownTableError
        with self._raw.cursor().copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for block in _blocks(self._lines):
                copy.write(block)

    def _check(self, kind: str, name: str) -> None:
        """Note an object that this program did not create, or not so."""
        # `ledger ledger_append_only` for a trigger of a table, `ledger_refuse()` for a function
        *_, own = ("", *name.partition("(")[0].split())
        if f"{kind} {own}" not in KNOWN_NAMES or (kind == "function" and not self._has_body(own)):
            self.foreign.add(f"{kind} {own}")

    def _has_body(self, name: str) -> bool:
        """Return whether the definition that follows in the script is that of this program's function."""
        definition = next(self._lines, b"")
        for line in self._lines:
            # the comment of the next entry begins
            if line == b"--\n":
                break
            definition += line
        return self._bodies.get(name, "\0") in _line(definition.decode(errors="replace"))


def _blocks(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the rows of one table, many at a time."""
    rows: list[bytes] = []
    size = 0
    for line in lines:
        if line == _END:
            break
        rows.append(line)
        size += len(line)
        if size >= _BLOCK:
            yield b"".join(rows)
            rows, size = [], 0
    yield b"".join(rows)


def drop_constraints(session: Session) -> list[str]:
    """Drop keys, references and indexes of all tables; return the statements that make them again."""
    constraints = session.raw.execute(_CONSTRAINTS).fetchall()
    # references first, as they need the keys
    for table, name, _, _ in reversed(constraints):
        session.define(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    indexes = session.raw.execute(_INDEXES).fetchall()
    for name, _ in indexes:
        session.define(f"DROP INDEX {name}")
    return [
        *(f"ALTER TABLE {table} ADD CONSTRAINT {name} {made}" for table, name, made, _ in constraints),
        *(made for _, made in indexes),
    ]


def _line(text: str) -> str:
    return " ".join(text.split())
