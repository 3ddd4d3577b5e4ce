"""Tables of balances, the ledger, monthly credits, daily spending, paid units, exposures and idempotency keys.

Triggers refuse to update or delete ledger rows.
"""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata

balances = sa.Table(
    "balances",
    metadata,
    account_column(primary_key=True),
    # grants and renewals, less expiries and adjustments
    sa.Column("granted", sa.BigInteger, nullable=False),
    sa.Column("used", sa.BigInteger, nullable=False),
    # reserved for deliveries; neither used nor remaining
    sa.Column("held", sa.BigInteger, nullable=False),
    # last safeguard of the ledger: no code path can spend more than was granted
    sa.CheckConstraint("used >= 0 AND held >= 0 AND used + held <= granted", name="balances_covered"),
)

# The migration that creates it adds triggers that refuse UPDATE and DELETE.
ledger = sa.Table(
    "ledger",
    metadata,
    id_column(),
    account_column(),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    # grant, renewal, expiry, adjustment, charge, hold, or capture or release of a hold
    sa.Column("kind", sa.Text, nullable=False),
    # price key; empty where nothing was bought
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("quantity", sa.BigInteger, nullable=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    # remaining credits after this row
    sa.Column("balance", sa.BigInteger, nullable=False),
    # table, run or provider that it was for, as `table:ID`, `run:NUMBER` or `provider:NAME`; empty for others
    sa.Column("subject", sa.Text, nullable=False, server_default=sa.text("''")),
    # who spent it: prefix of a key, `user:NUMBER` or `operator`; empty for deliveries and grants
    sa.Column("actor", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Index("ledger_account", "account_id", "id"),
    # last safeguard of deliveries: each is paid at most once
    sa.Index(
        "ledger_captures",
        "account_id",
        "request_id",
        unique=True,
        sqlite_where=sa.text("kind = 'capture'"),
        postgresql_where=sa.text("kind = 'capture'"),
    ),
    # last safeguard of monthly credits: each period is paid at most once
    sa.Index(
        "ledger_renewals",
        "account_id",
        "request_id",
        unique=True,
        sqlite_where=sa.text("kind = 'renewal'"),
        postgresql_where=sa.text("kind = 'renewal'"),
    ),
    sqlite_autoincrement=True,
)

# Periods of the accounts that ever had a plan with monthly credits (billing/monthly_credits.py).
credit_periods = sa.Table(
    "credit_periods",
    metadata,
    account_column(primary_key=True),
    # number of the last period that was paid, counted over all plans
    sa.Column("number", sa.BigInteger, nullable=False),
    # plan of the current period
    sa.Column("plan", sa.Text, nullable=False),
    # day of the month on which the plan began
    sa.Column("day", sa.SmallInteger, nullable=False),
    # credits of the current period
    sa.Column("credits", sa.BigInteger, nullable=False),
    # expire or stay
    sa.Column("unused", sa.Text, nullable=False),
    # `balances.used` when the current period was paid
    sa.Column("used_before", sa.BigInteger, nullable=False),
    # end of the current period; null without one
    sa.Column("renews_at", sa.Double),
    sqlite_with_rowid=False,
)

daily_spending = sa.Table(
    "daily_spending",
    metadata,
    # credits that keys with a daily cap have spent, kept for two days
    account_column(primary_key=True),
    # prefix of the key; of a provider `provider:NAME`
    sa.Column("actor", sa.Text, primary_key=True),
    # UTC day, in days since the epoch
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    sa.Index("daily_spending_day", "day"),
    sqlite_with_rowid=False,
)

paid_units = sa.Table(
    "paid_units",
    metadata,
    # One row per unit, however often it was paid (docs/reference/account.md#paid-units).
    account_column(),
    # `types.UnitKind`
    sa.Column("kind", sa.SmallInteger, nullable=False),
    # 0 for a signal: one that is deleted and detected again stays paid
    sa.Column("record_id", sa.BigInteger, nullable=False),
    # name of the data point, or identity of the signal
    sa.Column("unit", sa.LargeBinary, nullable=False),
    # exposure date, unchanged by a renewal
    sa.Column("first_paid_at", sa.Double, nullable=False),
    sa.Column("paid_at", sa.Double, nullable=False),
    # request of the ledger row of the latest payment
    sa.Column("request_id", sa.Text, nullable=False),
    # record first: as a later column of an index, PostgreSQL may plan to read all and compare, with a list of records
    sa.PrimaryKeyConstraint("record_id", "kind", "account_id", "unit"),
    sqlite_with_rowid=False,
)

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    account_column(primary_key=True),
    # method and real path, for a POST the path alone
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    # digest of query and body
    sa.Column("body_hash", sa.LargeBinary, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False, index=True),
    # JSON: request id, credits charged, and the feature's memo (billing/idempotency.py)
    sa.Column("kept", sa.LargeBinary, nullable=False),
    # JSON of `tableWrite`, what the write of the results to a table did; null before it, and without one
    sa.Column("table_write", sa.LargeBinary),
    sqlite_with_rowid=False,
)

partner_reveals = sa.Table(
    "partner_reveals",
    metadata,
    # contact data points shown to an account on behalf of its partners, with the first time
    account_column(primary_key=True),
    sa.Column("record_id", sa.BigInteger, primary_key=True),
    sa.Column("partner", sa.Text, primary_key=True),
    # emails or phones
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("first_at", sa.Double, nullable=False),
    sa.Index("partner_reveals_record", "record_id"),
    sqlite_with_rowid=False,
)
