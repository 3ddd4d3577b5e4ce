"""Table of the do-not-call registry."""

import sqlalchemy as sa

from firmograph.database.connection import metadata

do_not_call_numbers = sa.Table(
    "do_not_call_numbers",
    metadata,
    # keyed digest of the number as E.164
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    # day on which it was added, in days since 1970
    sa.Column("day", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
