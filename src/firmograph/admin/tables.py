"""Tables of operators' keys, and of POST calls with an `Idempotency-Key`. Ids are never reused."""

import sqlalchemy as sa

from firmograph.database.columns import id_column
from firmograph.database.connection import metadata

operator_keys = sa.Table(
    "operator_keys",
    metadata,
    id_column(),
    # SHA-256 of the key; the key itself is never stored (accounts/keys.py)
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("prefix", sa.Text, nullable=False),
    # the operator's name for it, empty without one
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("revoked_at", sa.Double),
    sqlite_autoincrement=True,
)

operator_calls = sa.Table(
    "operator_calls",
    metadata,
    # method and real path
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    # digest of query and body
    sa.Column("body_hash", sa.LargeBinary, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False, index=True),
    # id of the first call
    sa.Column("request_id", sa.Text, nullable=False),
    # number or prefix of the created object
    sa.Column("subject", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
