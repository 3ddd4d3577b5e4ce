"""Tables of website visits: sites, page views by visitor and day, sessions by day, their owners, salts, networks."""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata

visit_sites = sa.Table(
    "visit_sites",
    metadata,
    id_column(),
    account_column(),
    sa.Column("domain", sa.Text, nullable=False),
    # JSON: patterns of paths
    sa.Column("intent", sa.Text, nullable=False),
    # source of companies whose `sourceId` a page view may pass
    sa.Column("customers", sa.Text),
    # IANA time zone of its days; null for UTC
    sa.Column("zone", sa.Text),
    # JSON: `types.Exclusions`
    sa.Column("excluded", sa.Text, nullable=False),
    sa.Column("tracked_at", sa.Double, nullable=False),
    # rises whenever its sessions change
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("account_id", "domain"),
    sa.Index("visit_sites_domain", "domain"),
    sqlite_autoincrement=True,
)

visit_page_views = sa.Table(
    "visit_page_views",
    metadata,
    account_column(primary_key=True),
    sa.Column("site_id", sa.BigInteger, primary_key=True, autoincrement=False),
    # keyed digest; of a visitor with an e-mail hash, the key by which suppression knows the hash
    sa.Column("visitor", sa.LargeBinary, primary_key=True),
    # UTC, in days since 1970-01-01
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    # page views of the day in order: `packing.PAGE_VIEW`
    sa.Column("page_views", sa.LargeBinary, nullable=False),
    sa.Index("visit_page_views_day", "account_id", "site_id", "day"),
    sqlite_with_rowid=False,
)

visit_sessions = sa.Table(
    "visit_sessions",
    metadata,
    account_column(primary_key=True),
    sa.Column("site_id", sa.BigInteger, primary_key=True, autoincrement=False),
    # UTC day of their start, in days since 1970-01-01
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    # sessions by start and visitor: `packing.SESSION`
    sa.Column("sessions", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

visit_owners = sa.Table(
    "visit_owners",
    metadata,
    id_column(),
    account_column(),
    sa.Column("site_id", sa.BigInteger, nullable=False),
    # `types.OwnerKind`
    sa.Column("kind", sa.SmallInteger, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("confidence", sa.Double, nullable=False),
    sa.UniqueConstraint("account_id", "site_id", "kind", "key", "confidence"),
    sqlite_autoincrement=True,
)

visit_salts = sa.Table(
    "visit_salts",
    metadata,
    # calendar quarter, UTC: four times the year and 0 to 3
    sa.Column("quarter", sa.Integer, primary_key=True, autoincrement=False),
    # null once it is destroyed; the quarter is closed then
    sa.Column("salt", sa.LargeBinary),
    sa.Column("destroy_at", sa.Double, nullable=False),
)

network_sources = sa.Table(
    "network_sources",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    # random, of each load
    sa.Column("version", sa.LargeBinary, nullable=False),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("loaded_at", sa.Double, nullable=False),
    sa.Column("networks", sa.BigInteger, nullable=False),
    # those of kind business, education and government
    sa.Column("companies", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

network_parts = sa.Table(
    "network_parts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
    # a part of `networks.ranges.AddressRanges`, packed
    sa.Column("contents", sa.LargeBinary, nullable=False),
)
