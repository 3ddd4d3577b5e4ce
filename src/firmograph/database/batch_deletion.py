"""Deletion of rows in batches, in any order, skipping rows that others have locked."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session


class BatchDeletion:
    """Deletion from a table of the rows that meet a condition."""

    def __init__(self, table: sa.Table, condition: "sa.ColumnElement[bool]") -> None:
        found = sa.select(*table.primary_key).where(condition).limit(bindparam("most"))
        self._find: sa.Select[Any] = found.with_for_update(skip_locked=True)
        self._delete = sa.delete(table).where(
            *(column == bindparam(column.name) for column in table.primary_key)
        )

    def run(self, session: Session, most: int, **parameters: float) -> int:
        """Delete up to `most` rows and return their number; `parameters` are those of the condition. Two statements."""
        rows = session.all(self._find, {**parameters, "most": most})
        session.many(self._delete, rows)
        return len(rows)
