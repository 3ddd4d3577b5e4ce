"""Table of saved searches. Ids are never reused."""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata

saved_searches = sa.Table(
    "saved_searches",
    metadata,
    id_column(),
    account_column(),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    # a user
    sa.Column("owner_id", sa.BigInteger, nullable=False),
    sa.Column("is_shared", sa.SmallInteger, nullable=False),
    # query of the page of search, which may name people
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Index("saved_searches_account", "account_id", "id"),
    sqlite_autoincrement=True,
)
