"""Table of periodic jobs: when each is due next, and the worker that has claimed it."""

import sqlalchemy as sa

from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns

duties = sa.Table(
    "duties",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    *lease_columns(),
    # time of the last complete run; null if there was none
    sa.Column("last_at", sa.Double),
    sqlite_with_rowid=False,
)
