"""Tables of records, their identity keys, the change sequence and suppression.

A record is stored as the JSON parts of responses, so that the most frequent responses need no decoding: `preview` and
`profile` are objects without id and company; `emails` and `phones` are arrays, null when empty; `extras` has the fields
that no current response shows. Together they are the canonical record (`directory/stored_json.py`).
"""

import sqlalchemy as sa

from firmograph.database.columns import id_column
from firmograph.database.connection import metadata

contacts = sa.Table(
    "contacts",
    metadata,
    id_column(autoincrement=False),
    sa.Column("company_id", sa.BigInteger),
    sa.Column("preview", sa.LargeBinary, nullable=False),
    sa.Column("profile", sa.LargeBinary, nullable=False),
    sa.Column("emails", sa.LargeBinary),
    sa.Column("phones", sa.LargeBinary),
    sa.Column("extras", sa.LargeBinary),
)

companies = sa.Table(
    "companies",
    metadata,
    id_column(autoincrement=False),
    # content of a contact's `company` object: "name":...,"domain":...,"industry":...
    sa.Column("card", sa.LargeBinary, nullable=False),
    sa.Column("preview", sa.LargeBinary, nullable=False),
    sa.Column("profile", sa.LargeBinary, nullable=False),
    # object of the fields that are shown only when revealed
    sa.Column("premium", sa.LargeBinary),
    sa.Column("extras", sa.LargeBinary),
    sa.Column("partial", sa.Integer, nullable=False),
    # reveal tokens with a value, one bit each in the order of `data_points.COMPANY_TOKENS`
    sa.Column("tokens", sa.Integer, nullable=False),
)

company_parents = sa.Table(
    "company_parents",
    metadata,
    sa.Column("company_id", sa.BigInteger, primary_key=True),
    sa.Column("parent_id", sa.BigInteger, primary_key=True),
    # bits `records.DIRECT_PARENT` and `records.ULTIMATE_PARENT`
    sa.Column("role", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    sqlite_with_rowid=False,
)


def _keys(name: str, entity: str) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column(entity, sa.BigInteger, primary_key=True),
        sqlite_with_rowid=False,
    )


contact_keys = _keys("contact_keys", "contact_id")
company_keys = _keys("company_keys", "company_id")


def _rows(name: str, entity: str) -> sa.Table:
    """Return a table of each source's last row of a record (docs/reference/records.md#merging)."""
    return sa.Table(
        name,
        metadata,
        sa.Column(entity, sa.BigInteger, primary_key=True),
        sa.Column("source", sa.Integer, primary_key=True),
        sa.Column("source_id", sa.Text, primary_key=True),
        sa.Column("version", sa.LargeBinary, nullable=False),
        # the row's updateDate, else the day of its first import
        sa.Column("day", sa.Text, nullable=False),
        # for a contact's row, the linked company record
        sa.Column("employer_id", sa.BigInteger),
        # canonical JSON; null if the record consists of this row alone
        sa.Column("row", sa.LargeBinary),
        # JSON of older versions and their jobs; null with only one version
        sa.Column("history", sa.LargeBinary),
        sqlite_with_rowid=False,
    )


contact_rows = _rows("contact_rows", "contact_id")
company_rows = _rows("company_rows", "company_id")

record_splits = sa.Table(
    "record_splits",
    metadata,
    # digest of a row's source and id; without an id, of each version, and of its name with each other key
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    sa.Column("record_id", sa.BigInteger, nullable=False),
    sa.Index("record_splits_record", "entity", "record_id"),
    sqlite_with_rowid=False,
)
"""Records of rows that an operator split off, regardless of other shared keys."""

sources = sa.Table(
    "sources",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
)

counters = sa.Table(
    "counters",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.BigInteger, nullable=False),
)

changes = sa.Table(
    "changes",
    metadata,
    sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    sa.Column("entity_id", sa.BigInteger, nullable=False),
    # 1 if the record was deleted; a database default, so that imports can omit it
    sa.Column("removed", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    # each search queries these, and usually there are none
    sa.Index(
        "changes_removed",
        "removed",
        "sequence",
        sqlite_where=sa.text("removed = 1"),
        postgresql_where=sa.text("removed = 1"),
    ),
)

suppressions = sa.Table(
    "suppressions",
    metadata,
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    # key by which the person was suppressed, so that any key lifts all; two people may share an address
    sa.Column("person", sa.LargeBinary, primary_key=True, index=True),
    # 1 for e-mail, LinkedIn, source id and id; 0 for name and company
    sa.Column("strong", sa.SmallInteger, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

installation = sa.Table(
    "installation",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
