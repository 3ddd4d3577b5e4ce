"""The tables of signals, and of the facts from which they are detected."""

import sqlalchemy as sa

from firmograph.database.connection import metadata

signals = sa.Table(
    "signals",
    metadata,
    # in the order of detection; never used again, as accounts and webhooks remember how far they are
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    # keyed hash of record, type and what makes it the same signal when it is detected again (`events.Detected`)
    sa.Column("identity", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    sa.Column("entity_id", sa.BigInteger, nullable=False),
    # `types.NUMBER_OF`
    sa.Column("type", sa.SmallInteger, nullable=False),
    sa.Column("day", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    # JSON of the event, records that it names as numbers (`events.py`)
    sa.Column("event", sa.LargeBinary, nullable=False),
    sa.Column("detected_at", sa.Double, nullable=False),
    # 1 where webhooks are not to tell of it
    sa.Column("quiet", sa.SmallInteger, nullable=False, server_default="0"),
    # 1 where its day was still to come when it was detected
    sa.Column("ahead", sa.SmallInteger, nullable=False, server_default="0"),
    # the number first: behind another column a server that planned while the table was small would read all of it
    sa.Index("signals_record", "entity_id", "entity", "type", "day"),
    sa.Index("signals_type", "type", "detail", "day"),
    sqlite_autoincrement=True,
)

signal_people = sa.Table(
    "signal_people",
    metadata,
    # of the LinkedIn page and of the record of a person that a post names; of what may be a name in
    # news or in a post's summary, at a company
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("signal_id", sa.BigInteger, primary_key=True, index=True),
    sqlite_with_rowid=False,
)

paid_signals = sa.Table(
    "paid_signals",
    metadata,
    sa.Column("account_id", sa.BigInteger, sa.ForeignKey("accounts.id"), primary_key=True, nullable=False),
    # of the signal: it stays paid when it goes and comes back
    sa.Column("identity", sa.LargeBinary, primary_key=True),
    sa.Column("paid_at", sa.Double, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

signal_feeds = sa.Table(
    "signal_feeds",
    metadata,
    # headcounts, jobs, traffic, it-spend, news, posts
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("source", sa.Integer, primary_key=True),
    # of jobs: as of which day the last import was judged, and the last snapshot was taken
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
    # the day, or the first of the month that the figure is of
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("value", sa.Double, nullable=False),
    # of it-spend
    sa.Column("currency", sa.Text),
    sqlite_with_rowid=False,
)

figures_to_judge = sa.Table(
    "figures_to_judge",
    metadata,
    # whose figures changed since they were last looked at for signals
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
    # ISO 3166 codes, and the English names that are shown
    sa.Column("country_code", sa.Text),
    sa.Column("state_code", sa.Text),
    sa.Column("country", sa.Text),
    sa.Column("state", sa.Text),
    sa.Column("opened", sa.Text, nullable=False),
    sa.Column("closed", sa.Text),
    # as of which day an import last had it
    sa.Column("seen", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

job_weeks = sa.Table(
    "job_weeks",
    metadata,
    sa.Column("source", sa.Integer, primary_key=True),
    # the last day, a Sunday, of an ISO week that an import covered
    sa.Column("week", sa.Text, primary_key=True),
    sqlite_with_rowid=False,
)

job_places = sa.Table(
    "job_places",
    metadata,
    # the places of all postings that were ever held, in English, with their codes; "" where there is none
    sa.Column("country", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, primary_key=True),
    sa.Column("country_code", sa.Text, nullable=False),
    sa.Column("state_code", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
