"""The table of duties: what is done regularly, when it is due next, and which worker has it at present."""

import sqlalchemy as sa

from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns

duties = sa.Table(
    "duties",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    *lease_columns(),
    # when it was last done to the end; null while it never was
    sa.Column("last_at", sa.Double),
    sqlite_with_rowid=False,
)
