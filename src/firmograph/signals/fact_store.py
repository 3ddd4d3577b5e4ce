"""SQL on the facts of one source, of all kinds: counted and deleted, inside the caller's transaction."""

from collections.abc import Sequence

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.signals.tables import (
    company_figures,
    figures_to_judge,
    job_places,
    job_postings,
    job_weeks,
    signal_feeds,
    signal_statements,
)

_source: sa.BindParameter[int] = sa.bindparam("source", type_=sa.Integer)
_OF_COMPANIES = (company_figures, job_postings, figures_to_judge)
"""Tables of facts about companies."""
_next_companies = [
    sa.select(table.c.company_id)
    .where(table.c.source == _source, table.c.company_id > sa.bindparam("after", type_=sa.BigInteger))
    .distinct()
    .order_by(table.c.company_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
    for table in _OF_COMPANIES
]
_delete_of_companies = [
    sa.delete(table).where(column_in(table.c.company_id, "companies"), table.c.source == _source)
    for table in _OF_COMPANIES
]
_delete_feeds = [sa.delete(table).where(table.c.source == _source) for table in (signal_feeds, job_weeks)]
_figures = sa.select(company_figures.c.source, sa.func.count()).group_by(company_figures.c.source)
_postings = sa.select(job_postings.c.source, sa.func.count()).group_by(job_postings.c.source)
_stated = sa.select(
    signal_statements.c.stated_by, sa.func.count(sa.distinct(signal_statements.c.signal_id))
).group_by(signal_statements.c.stated_by)
_feeds = sa.select(signal_feeds.c.source, signal_feeds.c.kind).order_by(signal_feeds.c.kind)
_only_stated_with = sa.select(sa.func.count(sa.distinct(signal_statements.c.signal_id))).where(
    signal_statements.c.source == _source
)
_needed = signal_statements.alias("needed")
_statement = signal_statements.alias("statement")
_staying = sa.select(sa.func.count(sa.distinct(signal_statements.c.signal_id))).where(
    signal_statements.c.source == _source,
    sa.exists(
        sa.select(sa.literal_column("1")).where(
            _statement.c.signal_id == signal_statements.c.signal_id,
            ~sa.exists(
                sa.select(sa.literal_column("1")).where(
                    _needed.c.signal_id == _statement.c.signal_id,
                    _needed.c.stated_by == _statement.c.stated_by,
                    _needed.c.source == _source,
                )
            ),
        )
    ),
)
_places = sa.select(job_places.c.country, job_places.c.state)
_posted_places = sa.select(job_postings.c.country, job_postings.c.state).distinct()
_delete_place = sa.delete(job_places).where(
    job_places.c.country == sa.bindparam("of_country"), job_places.c.state == sa.bindparam("of_state")
)


def companies_of_source(session: Session, source: int, after: int, most: int) -> list[int]:
    """Return the next companies with facts of a source, by number."""
    params = {"source": source, "after": after, "most": most}
    found = {row[0] for statement in _next_companies for row in session.all(statement, params)}
    return sorted(found)[:most]


def delete_facts(session: Session, source: int, companies: Sequence[int]) -> None:
    """Delete the facts of a source about companies."""
    for statement in _delete_of_companies:
        session.run_in(statement, "companies", companies, source=source)


def delete_feeds(session: Session, source: int) -> None:
    """Delete what is noted of the feeds of a source."""
    for statement in _delete_feeds:
        session.execute(statement, {"source": source})


def delete_unused_places(session: Session) -> None:
    """Delete the locations that no posting has."""
    used = {
        place
        for country, state in session.all(_posted_places)
        if country
        for place in ((country, ""), (country, state or ""))
    }
    unused = [(row[0], row[1]) for row in session.all(_places) if (row[0], row[1]) not in used]
    session.many(_delete_place, unused)


def count_figures(session: Session) -> dict[int, int]:
    """Return the number of figures of each source."""
    return dict(session.all(_figures))


def count_postings(session: Session) -> dict[int, int]:
    """Return the number of postings of each source."""
    return dict(session.all(_postings))


def count_stated(session: Session) -> dict[int, int]:
    """Return the number of signals that each source states."""
    return dict(session.all(_stated))


def count_unstated_without(session: Session, source: int) -> int:
    """Return the number of signals that nobody states without a source."""
    rows = [session.one(statement, {"source": source}) for statement in (_only_stated_with, _staying)]
    affected, staying = (row[0] if row else 0 for row in rows)
    return int(affected - staying)


def feeds_by_source(session: Session) -> dict[int, list[str]]:
    """Return the kinds of facts of each source."""
    found: dict[int, list[str]] = {}
    for source, kind in session.all(_feeds):
        found.setdefault(source, []).append(kind)
    return found
