"""Tables of similarity models and of the sessions that remember earlier results."""

import sqlalchemy as sa

from firmograph.database.columns import account_column
from firmograph.database.connection import metadata

similarity_models = sa.Table(
    "similarity_models",
    metadata,
    # 1, 2, ...: the highest is in force
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("created_at", sa.Double, nullable=False),
    # highest record numbers when it was learnt
    sa.Column("companies", sa.BigInteger, nullable=False),
    sa.Column("contacts", sa.BigInteger, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

lookalike_sessions = sa.Table(
    "lookalike_sessions",
    metadata,
    account_column(primary_key=True),
    # the 16 bytes of a UUID
    sa.Column("id", sa.LargeBinary, primary_key=True),
    # `record_ids.Entity`
    sa.Column("entity", sa.SmallInteger, nullable=False),
    # time of the last answer; expires 30 days later
    sa.Column("used_at", sa.Double, nullable=False, index=True),
    # number of remembered results
    sa.Column("results", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

lookalike_results = sa.Table(
    "lookalike_results",
    metadata,
    account_column(primary_key=True),
    sa.Column("session_id", sa.LargeBinary, primary_key=True),
    # 0, 1, ...: the last part grows up to a fixed size
    sa.Column("part", sa.BigInteger, primary_key=True),
    # record numbers, 8 bytes each, little-endian
    sa.Column("numbers", sa.LargeBinary, nullable=False),
    sa.ForeignKeyConstraint(
        ["account_id", "session_id"],
        ["lookalike_sessions.account_id", "lookalike_sessions.id"],
        ondelete="CASCADE",
    ),
    sqlite_with_rowid=False,
)
