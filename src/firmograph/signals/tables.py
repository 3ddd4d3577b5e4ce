"""Tables of signals and of the facts they are detected from."""

import sqlalchemy as sa

from firmograph.database.connection import metadata

signals = sa.Table(
    "signals",
    metadata,
    # in the order of detection; never reused, since accounts and webhooks store it as a position
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    # keyed hash of record, type and the key that repeated detections share (`events.Detected.key`)
    sa.Column("identity", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    sa.Column("entity_id", sa.BigInteger, nullable=False),
    # `types.NUMBER_OF`
    sa.Column("type", sa.SmallInteger, nullable=False),
    sa.Column("day", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    # JSON of the event; other records are given by number (`events.py`)
    sa.Column("event", sa.LargeBinary, nullable=False),
    sa.Column("detected_at", sa.Double, nullable=False),
    # 1: no webhook delivers it
    sa.Column("quiet", sa.SmallInteger, nullable=False, server_default="0"),
    # 1: its day was in the future when it was detected
    sa.Column("ahead", sa.SmallInteger, nullable=False, server_default="0"),
    # number first: with another column first, a server that planned on a small table would scan all of it
    sa.Index("signals_record", "entity_id", "entity", "type", "day"),
    sa.Index("signals_type", "type", "detail", "day"),
    sqlite_autoincrement=True,
)

signal_people = sa.Table(
    "signal_people",
    metadata,
    # of the LinkedIn page and the record number of people named in a post; of possible names of people at a
    # company, in news or in the summary of a post
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("signal_id", sa.BigInteger, primary_key=True, index=True),
    sqlite_with_rowid=False,
)

signal_statements = sa.Table(
    "signal_statements",
    metadata,
    # a source states a signal, from facts of its own and of others; without one of these it states it no more
    sa.Column("signal_id", sa.BigInteger, primary_key=True),
    sa.Column("stated_by", sa.Integer, primary_key=True),
    # a source with facts that the statement needs: `stated_by`, and others
    sa.Column("source", sa.Integer, primary_key=True),
    # the import that first stated it; null for those that are not listed
    sa.Column("import_id", sa.BigInteger),
    sa.Index("signal_statements_source", "source", "signal_id"),
    sa.Index(
        "signal_statements_import",
        "import_id",
        sqlite_where=sa.text("import_id IS NOT NULL"),
        postgresql_where=sa.text("import_id IS NOT NULL"),
    ),
    sqlite_with_rowid=False,
)

signal_feeds = sa.Table(
    "signal_feeds",
    metadata,
    # headcounts, jobs, traffic, it-spend, news, posts
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("source", sa.Integer, primary_key=True),
    # of jobs: the day of the last evaluated import, and that of the last snapshot
    sa.Column("as_of", sa.Text),
    sa.Column("snapshot", sa.Text),
    sqlite_with_rowid=False,
)

company_figures = sa.Table(
    "company_figures",
    metadata,
    sa.Column("company_id", sa.BigInteger, primary_key=True),
    # headcounts, traffic, it-spend
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("source", sa.Integer, primary_key=True),
    # of the figure; the first of the month for monthly figures
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("value", sa.Double, nullable=False),
    # only of it-spend
    sa.Column("currency", sa.Text),
    sqlite_with_rowid=False,
)

figures_to_judge = sa.Table(
    "figures_to_judge",
    metadata,
    # figures changed since signals were last detected from them
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("source", sa.Integer, primary_key=True),
    sa.Column("company_id", sa.BigInteger, primary_key=True),
    sqlite_with_rowid=False,
)

job_postings = sa.Table(
    "job_postings",
    metadata,
    sa.Column("company_id", sa.BigInteger, primary_key=True),
    sa.Column("source", sa.Integer, primary_key=True),
    sa.Column("posting_id", sa.Text, primary_key=True),
    sa.Column("department", sa.Text, nullable=False),
    sa.Column("seniority", sa.Text),
    # ISO 3166 codes, and the English names for responses
    sa.Column("country_code", sa.Text),
    sa.Column("state_code", sa.Text),
    sa.Column("country", sa.Text),
    sa.Column("state", sa.Text),
    sa.Column("opened", sa.Text, nullable=False),
    sa.Column("closed", sa.Text),
    # day of the last import that contained it
    sa.Column("seen", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

job_weeks = sa.Table(
    "job_weeks",
    metadata,
    sa.Column("source", sa.Integer, primary_key=True),
    # Sunday of an ISO week covered by an import
    sa.Column("week", sa.Text, primary_key=True),
    sqlite_with_rowid=False,
)

job_places = sa.Table(
    "job_places",
    metadata,
    # locations of all postings ever stored, in English, with their codes; "" if unknown
    sa.Column("country", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, primary_key=True),
    sa.Column("country_code", sa.Text, nullable=False),
    sa.Column("state_code", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
