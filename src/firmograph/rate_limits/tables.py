"""Table of rate limit counters."""

import sqlalchemy as sa

from firmograph.database.columns import account_column
from firmograph.database.connection import metadata

rate_counters = sa.Table(
    "rate_counters",
    metadata,
    account_column(primary_key=True),
    # minute, hour, day, or the name of a path window
    sa.Column("window", sa.Text, primary_key=True),
    # start of the window in seconds since the epoch
    sa.Column("start", sa.BigInteger, nullable=False),
    sa.Column("count", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
