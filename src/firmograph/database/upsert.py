"""`INSERT ... ON CONFLICT` for both databases: SQLite has taken the clause from PostgreSQL."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import Insert, insert

__all__ = ["insert", "replacing"]


def replacing(table: sa.Table, **given: sa.BindParameter[Any]) -> Insert:
    """Return the insert of a row that takes the place of the one with the same primary key.

    `given` columns identify the row's owner and never change; all others are parameters of their names, in the order of
    the table.
    """
    named: dict[str, sa.BindParameter[Any]] = {
        column.name: bindparam(column.name) for column in table.c if column.name not in given
    }
    new = insert(table).values(**given, **named)
    changed = {name: new.excluded[name] for name in named if not table.c[name].primary_key}
    return new.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)
