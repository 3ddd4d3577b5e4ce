"""Columns and conditions used in the tables and statements of several packages."""

from typing import Any

import sqlalchemy as sa


def id_column(*, autoincrement: bool = True) -> "sa.Column[int]":
    # in SQLite only an INTEGER primary key is the row id itself, without a separate index
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column("id", number, primary_key=True, autoincrement="auto" if autoincrement else False)


def account_column(*, primary_key: bool = False) -> "sa.Column[int]":
    return sa.Column(
        "account_id", sa.BigInteger, sa.ForeignKey("accounts.id"), primary_key=primary_key, nullable=False
    )


account_ids = sa.table("accounts", sa.column("id", sa.BigInteger))
"""Ids of accounts, for statements of packages below `accounts`."""


def column_in(column: "sa.Column[Any]", parameter: str) -> "sa.ColumnElement[bool]":
    """Return the condition that a column is in the list parameter of this name."""
    return column.in_(sa.bindparam(parameter, expanding=True))
