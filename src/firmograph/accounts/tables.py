"""Tables of accounts, users and API keys. Ids are never reused."""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata

accounts = sa.Table(
    "accounts",
    metadata,
    id_column(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("active", sa.SmallInteger, nullable=False),
    # null follows the server's setting
    sa.Column("can_reveal", sa.Text),
    sa.Column("created_at", sa.Double, nullable=False),
    # start of the current plan
    sa.Column("plan_at", sa.Double, nullable=False),
    # null while it is open; closed for good otherwise
    sa.Column("closed_at", sa.Double),
    # when its own content was erased
    sa.Column("erased_at", sa.Double),
    sqlite_autoincrement=True,
)

users = sa.Table(
    "users",
    metadata,
    id_column(),
    account_column(),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.UniqueConstraint("account_id", "email"),
    sqlite_autoincrement=True,
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    # SHA-256 of the key; the key itself is never stored (accounts/keys.py)
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    account_column(),
    sa.Column("prefix", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("revoked_at", sa.Double),
    sa.Index("api_keys_account", "account_id"),
    sqlite_with_rowid=False,
)
