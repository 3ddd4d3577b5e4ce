"""Statements that write many new rows of a table: an insert, or PostgreSQL's COPY."""

from functools import cache
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.sql.expression import Executable


class Copy(NamedTuple):
    """COPY of rows in PostgreSQL's binary format, which avoids conversions to text."""

    text: str
    types: tuple[str, ...]
    """PostgreSQL's names of the columns' types."""


@cache
def inserting(table: sa.Table, columns: tuple[str, ...]) -> Executable:
    """Return an insert whose parameters have the order of the table's columns."""
    return sa.insert(table).values(
        {column.name: sa.bindparam(column.name) for column in _named(table, columns)}
    )


@cache
def copying(table: sa.Table, columns: tuple[str, ...], dialect: sa.Dialect) -> Copy:
    named = _named(table, columns)
    names = ", ".join(f'"{column.name}"' for column in named)
    types = tuple(column.type.compile(dialect).lower() for column in named)
    return Copy(f'COPY "{table.name}" ({names}) FROM STDIN (FORMAT BINARY)', types)


def _named(table: sa.Table, columns: tuple[str, ...]) -> list[sa.Column[object]]:
    return [column for column in table.c if not columns or column.name in columns]
