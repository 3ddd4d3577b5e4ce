"""The tables of accounts: who calls, what they may spend, what they paid for, how often they called.

Identifiers are never reused, and the ledger refuses to be changed or deleted from.
"""

import sqlalchemy as sa

from firmograph.database.connection import metadata


def _id() -> "sa.Column[int]":
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True)


def _account(*, primary_key: bool = False) -> "sa.Column[int]":
    return sa.Column(
        "account_id", sa.BigInteger, sa.ForeignKey("accounts.id"), primary_key=primary_key, nullable=False
    )


accounts = sa.Table(
    "accounts",
    metadata,
    _id(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("active", sa.SmallInteger, nullable=False),
    # null follows the server's setting
    sa.Column("can_reveal", sa.Text),
    sa.Column("created_at", sa.Double, nullable=False),
    # since when the account has its plan
    sa.Column("plan_at", sa.Double, nullable=False),
    sqlite_autoincrement=True,
)

users = sa.Table(
    "users",
    metadata,
    _id(),
    _account(),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.UniqueConstraint("account_id", "email"),
    sqlite_autoincrement=True,
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    # SHA-256 of the key, which itself is stored nowhere (accounts/keys.py)
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    _account(),
    sa.Column("prefix", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("revoked_at", sa.Double),
    sa.Index("api_keys_account", "account_id"),
    sqlite_with_rowid=False,
)

balances = sa.Table(
    "balances",
    metadata,
    _account(primary_key=True),
    sa.Column("granted", sa.BigInteger, nullable=False),
    sa.Column("used", sa.BigInteger, nullable=False),
    # set aside for deliveries under way; neither used nor free
    sa.Column("held", sa.BigInteger, nullable=False),
    # the last guard under the ledger: no code path can spend what was not granted
    sa.CheckConstraint("used >= 0 AND held >= 0 AND used + held <= granted", name="balances_covered"),
)

# The migration that makes it adds triggers that refuse UPDATE and DELETE.
ledger = sa.Table(
    "ledger",
    metadata,
    _id(),
    _account(),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    # grant, charge, hold, capture (of a hold) or release (of one)
    sa.Column("kind", sa.Text, nullable=False),
    # the price key; empty for a grant
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("quantity", sa.BigInteger, nullable=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    # credits that remained after this row
    sa.Column("balance", sa.BigInteger, nullable=False),
    sa.Index("ledger_account", "account_id", "id"),
    # the last guard of deliveries: whatever happens, one is paid once
    sa.Index(
        "ledger_captures",
        "account_id",
        "request_id",
        unique=True,
        sqlite_where=sa.text("kind = 'capture'"),
        postgresql_where=sa.text("kind = 'capture'"),
    ),
    sqlite_autoincrement=True,
)

paid_units = sa.Table(
    "paid_units",
    metadata,
    # One row a data point, however often it was paid: nothing can be held twice (decisions, row 3).
    _account(primary_key=True),
    sa.Column("entity", sa.SmallInteger, primary_key=True),
    sa.Column("record_id", sa.BigInteger, primary_key=True),
    sa.Column("unit", sa.Text, primary_key=True),
    # the exposure date, which a renewal leaves alone
    sa.Column("first_paid_at", sa.Double, nullable=False),
    sa.Column("paid_at", sa.Double, nullable=False),
    # of the ledger row that paid it last
    sa.Column("request_id", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    _account(primary_key=True),
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("body_hash", sa.LargeBinary, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False, index=True),
    # JSON of what is needed to render the answer again (billing/idempotency.py)
    sa.Column("kept", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

rate_counters = sa.Table(
    "rate_counters",
    metadata,
    _account(primary_key=True),
    # minute, hour, day, or the name of a path's own window
    sa.Column("window", sa.Text, primary_key=True),
    # seconds since the epoch at which the counted window began
    sa.Column("start", sa.BigInteger, nullable=False),
    sa.Column("count", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
