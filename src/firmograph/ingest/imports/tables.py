"""Tables of imports, of their former rows, of the contacts that they saw, and of removals of sources.

An undo needs the records that imports met, and the rows that they replaced.
"""

import sqlalchemy as sa

from firmograph.database.columns import id_column
from firmograph.database.connection import metadata

imports = sa.Table(
    "imports",
    metadata,
    id_column(),
    # `contacts`, `companies`, or a kind of facts
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    # names of the files without their folders, joined by commas
    sa.Column("file", sa.Text, nullable=False),
    # of the file's bytes, in hex; of several files that of their digests
    sa.Column("sha256", sa.Text, nullable=False),
    # JSON: fields by column, as the operator gave them; null without any
    sa.Column("mapping", sa.Text),
    # login of the operator on the machine that imported
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("started_at", sa.Double, nullable=False),
    sa.Column("ended_at", sa.Double),
    # running, done, interrupted, undoing or undone
    sa.Column("state", sa.Text, nullable=False),
    # until then a running import counts as alive; each of its commits may extend it
    sa.Column("alive_until", sa.Double, nullable=False),
    # JSON: the summary's numbers
    sa.Column("counts", sa.Text, nullable=False),
    # JSON: number of unread values by column; null where all were read
    sa.Column("unread", sa.Text),
    # JSON: how far the undo is, and what it took back so far; null without one
    sa.Column("undo", sa.Text),
    # 1 until the rows that it replaced are removed
    sa.Column("kept", sa.SmallInteger, nullable=False),
    sa.Index("imports_source", "source", "id"),
    sqlite_autoincrement=True,
)

import_records = sa.Table(
    "import_records",
    metadata,
    sa.Column("import_id", sa.BigInteger, primary_key=True),
    # number of the commit; at the end of an import all parts become part 0
    sa.Column("part", sa.BigInteger, primary_key=True),
    sa.Column("entity", sa.SmallInteger, primary_key=True),
    # how the import came to the records: `runs.Role`
    sa.Column("role", sa.SmallInteger, primary_key=True),
    # a bitmap of record numbers
    sa.Column("numbers", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

import_former_rows = sa.Table(
    "import_former_rows",
    metadata,
    sa.Column("entity", sa.SmallInteger, primary_key=True),
    sa.Column("record_id", sa.BigInteger, primary_key=True),
    sa.Column("source", sa.Integer, primary_key=True),
    sa.Column("source_id", sa.Text, primary_key=True),
    sa.Column("import_id", sa.BigInteger, primary_key=True),
    # the change sequence when it was replaced: the order in which imports at the same time replaced it
    sa.Column("place", sa.BigInteger, nullable=False),
    # as in the table of rows, but always with its body; version is null where there was no row
    sa.Column("version", sa.LargeBinary),
    sa.Column("day", sa.Text),
    sa.Column("employer_id", sa.BigInteger),
    sa.Column("row", sa.LargeBinary),
    sa.Column("history", sa.LargeBinary),
    sa.Index("import_former_rows_import", "import_id"),
    sqlite_with_rowid=False,
)
"""Former rows of slots that an import changed, except in records that it created: there were none."""

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

source_removals = sa.Table(
    "source_removals",
    metadata,
    sa.Column("source", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False),
    # removing or removed; an import under the name deletes the row
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("began_at", sa.Double, nullable=False),
    sa.Column("ended_at", sa.Double),
    # bitmaps of the companies that rows of the source were of, and of those that they named; null at the end
    sa.Column("companies", sa.LargeBinary),
    sa.Column("named", sa.LargeBinary),
    # JSON of `removal_run.RemovalProgress`
    sa.Column("counts", sa.Text, nullable=False),
)
