"""Tables of accounts, users, API keys and their use. Ids are never reused."""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns

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
    sa.Index("users_email", "email"),
    sqlite_autoincrement=True,
)

account_activities = sa.Table(
    "account_activities",
    metadata,
    id_column(),
    account_column(),
    sa.Column("at", sa.Double, nullable=False, index=True),
    sa.Column("user_id", sa.BigInteger, nullable=False),
    # e-mail address of the user, which stays when the user is removed
    sa.Column("actor", sa.Text, nullable=False),
    # as in the audit of operators, such as `key create`
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    # JSON of numbers and names by what they count
    sa.Column("details", sa.Text, nullable=False),
    sa.Index("account_activities_account", "account_id", "id"),
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
    # the operator's name for it, empty without one
    sa.Column("name", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("expires_at", sa.Double),
    # most credits of a UTC day
    sa.Column("daily_credits", sa.BigInteger),
    # saved once a minute
    sa.Column("last_used_at", sa.Double),
    sa.Index("api_keys_account", "account_id"),
    sqlite_with_rowid=False,
)

usage_days = sa.Table(
    "usage_days",
    metadata,
    account_column(primary_key=True),
    # UTC day, in days since the epoch
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    # prefix of the key
    sa.Column("actor", sa.Text, primary_key=True),
    # operation id of the endpoint
    sa.Column("operation", sa.Text, primary_key=True),
    sa.Column("requests", sa.BigInteger, nullable=False),
    # those with a status from 400
    sa.Column("errors", sa.BigInteger, nullable=False),
    sa.Index("usage_days_day", "day"),
    sqlite_with_rowid=False,
)

usage_pushes = sa.Table(
    "usage_pushes",
    metadata,
    # the operator's name for a receiver
    sa.Column("name", sa.Text, primary_key=True),
    *lease_columns(),
    sqlite_with_rowid=False,
)

usage_push_positions = sa.Table(
    "usage_push_positions",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    account_column(primary_key=True),
    # last ledger row of the account that the receiver has taken
    sa.Column("position", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
