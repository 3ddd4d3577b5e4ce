"""Tables of the data waterfall: enabled providers, their state, asks, jobs, values, misses, recipients, calls."""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns

waterfall_providers = sa.Table(
    "waterfall_providers",
    metadata,
    account_column(primary_key=True),
    # name in the providers file
    sa.Column("provider", sa.Text, primary_key=True),
    # order in which they are asked
    sa.Column("place", sa.Integer, nullable=False),
    # whether it is asked for them
    sa.Column("emails", sa.SmallInteger, nullable=False),
    sa.Column("phones", sa.SmallInteger, nullable=False),
    # most credits for one contact, and of a UTC day
    sa.Column("contact_cap", sa.BigInteger),
    sa.Column("day_cap", sa.BigInteger),
    sqlite_with_rowid=False,
)

waterfall_states = sa.Table(
    "waterfall_states",
    metadata,
    sa.Column("provider", sa.Text, primary_key=True),
    # attempts without an answer, in a row
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("rests_until", sa.Double, nullable=False),
    # when the next ask may begin, where the rate is limited
    sa.Column("free_at", sa.Double, nullable=False),
    sqlite_with_rowid=False,
)

_is_open = sa.text("state = 0")

waterfall_asks = sa.Table(
    "waterfall_asks",
    metadata,
    id_column(),
    account_column(),
    sa.Column("contact_id", sa.BigInteger, nullable=False),
    # types.DATA_POINT_NUMBERS
    sa.Column("data_point", sa.SmallInteger, nullable=False),
    # UUID: key of its holds, and `Idempotency-Key` of providers
    sa.Column("token", sa.Text, nullable=False),
    # who spends the credits (caller.Spender)
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("daily_credits", sa.BigInteger),
    sa.Column("created_at", sa.Double, nullable=False),
    # types.AskState
    sa.Column("state", sa.SmallInteger, nullable=False),
    sa.Column("ended_at", sa.Double),
    # provider that is being asked, or that matched
    sa.Column("provider", sa.Text, nullable=False),
    # credits held for it, or captured by a match
    sa.Column("held", sa.BigInteger, nullable=False),
    sa.Column("held_at", sa.Double, nullable=False),
    sa.Column("has_begun", sa.SmallInteger, nullable=False),
    # JSON of types.Trail
    sa.Column("trail", sa.LargeBinary, nullable=False),
    *lease_columns(),
    # one open at a time
    sa.Index(
        "waterfall_asks_open",
        "account_id",
        "contact_id",
        "data_point",
        unique=True,
        sqlite_where=_is_open,
        postgresql_where=_is_open,
    ),
    sa.Index("waterfall_asks_due", "due_at", sqlite_where=_is_open, postgresql_where=_is_open),
    sa.Index("waterfall_asks_contact", "contact_id"),
    sa.Index("waterfall_asks_ended", "ended_at"),
    sqlite_autoincrement=True,
)

waterfall_jobs = sa.Table(
    "waterfall_jobs",
    metadata,
    id_column(),
    account_column(),
    sa.Column("token", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    # sum of the numbers of the data points that the call asked for
    sa.Column("data_points", sa.SmallInteger, nullable=False),
    sa.Index("waterfall_jobs_token", "account_id", "token", unique=True),
    sa.Index("waterfall_jobs_created", "created_at"),
    sqlite_autoincrement=True,
)

waterfall_job_asks = sa.Table(
    "waterfall_job_asks",
    metadata,
    account_column(primary_key=True),
    sa.Column("job_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("ask_id", sa.BigInteger, primary_key=True, autoincrement=False),
    # 1 if the call began the ask and pays for it
    sa.Column("is_own", sa.SmallInteger, nullable=False),
    sqlite_with_rowid=False,
)

waterfall_values = sa.Table(
    "waterfall_values",
    metadata,
    # what accounts have paid for; record first, as others look for values to reuse
    sa.Column("contact_id", sa.BigInteger, nullable=False),
    account_column(),
    sa.Column("data_point", sa.SmallInteger, nullable=False),
    sa.Column("provider", sa.Text, nullable=False),
    # JSON as of the same data point of a record
    sa.Column("contents", sa.LargeBinary, nullable=False),
    sa.Column("found_at", sa.Double, nullable=False),
    sa.Column("paid_at", sa.Double, nullable=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    sa.PrimaryKeyConstraint("contact_id", "account_id", "data_point"),
    sa.Index("waterfall_values_account", "account_id"),
    sqlite_with_rowid=False,
)

waterfall_value_keys = sa.Table(
    "waterfall_value_keys",
    metadata,
    # digests by which values are found (asks/value_keys.py)
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("contact_id", sa.BigInteger, primary_key=True, autoincrement=False),
    account_column(primary_key=True),
    sa.Column("data_point", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Index("waterfall_value_keys_contact", "contact_id", "account_id", "data_point"),
    sa.Index("waterfall_value_keys_account", "account_id"),
    sqlite_with_rowid=False,
)

waterfall_misses = sa.Table(
    "waterfall_misses",
    metadata,
    sa.Column("contact_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("data_point", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("provider", sa.Text, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    sa.Index("waterfall_misses_at", "at"),
    sqlite_with_rowid=False,
)

waterfall_recipients = sa.Table(
    "waterfall_recipients",
    metadata,
    # providers that were asked for a contact
    sa.Column("contact_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("provider", sa.Text, primary_key=True),
    sa.Column("first_at", sa.Double, nullable=False),
    sa.Column("last_at", sa.Double, nullable=False),
    sqlite_with_rowid=False,
)

waterfall_calls = sa.Table(
    "waterfall_calls",
    metadata,
    # asks of providers without the people, kept for 90 days
    id_column(),
    account_column(),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("data_point", sa.SmallInteger, nullable=False),
    # closed words
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("matched", sa.SmallInteger, nullable=False),
    sa.Column("milliseconds", sa.BigInteger, nullable=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Index("waterfall_calls_account", "account_id", "at"),
    sa.Index("waterfall_calls_at", "at"),
)
