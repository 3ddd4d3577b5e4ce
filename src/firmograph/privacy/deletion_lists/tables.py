"""Table of hashes of deletion lists."""

import sqlalchemy as sa

from firmograph.database.connection import metadata

deletion_hashes = sa.Table(
    "deletion_hashes",
    metadata,
    # keyed digest of the SHA-256 of an e-mail address, or of the last ten digits of a number
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    # the first answer: 3 removed, 4 several people opted out, 5 nobody
    sa.Column("status", sa.SmallInteger, nullable=False),
    # day on which it came, in days since 1970
    sa.Column("day", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
