"""Table of the contacts that imports saw or lacked."""

import sqlalchemy as sa

from firmograph.database.connection import metadata

import_sightings = sa.Table(
    "import_sightings",
    metadata,
    sa.Column("import_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("source", sa.Integer, nullable=False),
    # day on which the import ended, in days since 1970
    sa.Column("day", sa.Integer, nullable=False),
    # 1 if the files were all of the source
    sa.Column("complete", sa.SmallInteger, nullable=False),
    # a bitmap of contacts: of a complete import those that it lacked, of another one those that it saw
    sa.Column("numbers", sa.LargeBinary, nullable=False),
)
