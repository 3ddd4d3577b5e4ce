"""All SQL of job postings, covered weeks and hiring locations.

Every function is part of the caller's transaction.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.signals.hiring.detector import Openings
from firmograph.signals.tables import job_places, job_postings, job_weeks, signal_feeds

KIND = "jobs"

DAYS_OPEN = 60
"""Days that a posting without a closing date counts as open (docs/reference/signals.md#hiring-surges)."""


class Posting(NamedTuple):
    """Posting of a company in one source, in column order."""

    id: str
    department: str
    seniority: str | None
    country_code: str | None
    state_code: str | None
    country: str | None
    state: str | None
    opened: str
    closed: str | None
    seen: str
    """Day of the last import that contained it; `""` if that import had none."""


class HiringLocation(NamedTuple):
    """Country, or state of a country."""

    country: str
    state: str
    country_code: str
    state_code: str


class HiringCompany(NamedTuple):
    """Company with postings in a source."""

    number: int
    postings: int
    first: str
    """Day of its first opening."""


class OpenPostings(NamedTuple):
    """Number of open postings with the same attributes."""

    department: str
    seniority: str | None
    country: str | None
    state: str | None
    postings: int


_columns = job_postings.c
_insert_location = (
    insert(job_places)
    .values({column.name: sa.bindparam(column.name) for column in job_places.c})
    .on_conflict_do_nothing()
)
_all_locations = sa.select(*job_places.c)
_source = _columns.source == sa.bindparam("source")
_numbers = _columns.company_id.in_(sa.bindparam("numbers", expanding=True))
_stored = sa.select(*list(_columns)[2:]).where(
    _columns.company_id == sa.bindparam("number"),
    _source,
    _columns.posting_id.in_(sa.bindparam("ids", expanding=True)),
)
_insert_posting = insert(job_postings).values({column.name: sa.bindparam(column.name) for column in _columns})
_upsert_posting = _insert_posting.on_conflict_do_update(
    index_elements=list(job_postings.primary_key),
    set_={c.name: _insert_posting.excluded[c.name] for c in _columns if not c.primary_key},
)
_insert_week = (
    insert(job_weeks)
    .values(source=sa.bindparam("source"), week=sa.bindparam("week"))
    .on_conflict_do_nothing()
)
_weeks = (
    sa.select(job_weeks.c.week)
    .where(job_weeks.c.source == sa.bindparam("source"), job_weeks.c.week <= sa.bindparam("day"))
    .order_by(job_weeks.c.week.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_feed = (signal_feeds.c.kind == KIND, signal_feeds.c.source == sa.bindparam("source"))
_days = sa.select(
    sa.func.coalesce(signal_feeds.c.as_of, ""), sa.func.coalesce(signal_feeds.c.snapshot, "")
).where(*_feed)
_set_days = (
    sa.update(signal_feeds)
    .values(as_of=sa.bindparam("new_as_of"), snapshot=sa.bindparam("new_snapshot"))
    .where(*_feed)
)
_employers = (
    sa.select(_columns.company_id, sa.func.count(), sa.func.min(_columns.opened))
    .where(_source, _columns.company_id > sa.bindparam("after"))
    .group_by(_columns.company_id)
    .order_by(_columns.company_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_opening_columns = (
    _columns.company_id,
    _columns.opened,
    _columns.department,
    _columns.country_code,
    _columns.state_code,
    _columns.country,
    _columns.state,
)
_openings = (
    sa.select(*_opening_columns, sa.func.count())
    .where(
        _numbers,
        _source,
        _columns.opened > sa.bindparam("after"),
        _columns.opened <= sa.bindparam("until"),
    )
    .group_by(*_opening_columns)
)
_open_columns = (
    _columns.company_id,
    _columns.department,
    _columns.seniority,
    _columns.country,
    _columns.state,
)
_open = (
    sa.select(*_open_columns, sa.func.count())
    .where(
        _numbers,
        _source,
        _columns.opened <= sa.bindparam("day"),
        sa.or_(
            _columns.closed > sa.bindparam("day"),
            sa.and_(
                _columns.closed.is_(None),
                _columns.seen >= sa.bindparam("snapshot"),
                sa.or_(_columns.opened > sa.bindparam("expired"), _columns.seen == sa.bindparam("survivors")),
            ),
        ),
    )
    .group_by(*_open_columns)
)


def stored_postings(session: Session, source: int, number: int, ids: Collection[str]) -> dict[str, Posting]:
    """Return the stored postings of a company by id."""
    rows = session.all_in(_stored, "ids", sorted(ids), source=source, number=number)
    return {row[0]: Posting(*row) for row in rows}


def store_postings(session: Session, source: int, rows: Sequence[tuple[int, Posting]]) -> None:
    """Store postings, each with its company number; existing ones are replaced."""
    session.many(_upsert_posting, [(number, source, *posting) for number, posting in rows])
    session.many(_insert_location, sorted({location for _, one in rows for location in _locations_of(one)}))


def _locations_of(one: Posting) -> list[tuple[str, str, str, str]]:
    """Return the rows of the country and the state of a posting."""
    if not one.country:
        return []
    country = (one.country, "", one.country_code or "", "")
    return [country, (one.country, one.state, country[2], one.state_code or "")] if one.state else [country]


def hiring_locations(session: Session) -> list[HiringLocation]:
    """Return the locations of all postings ever stored: a few thousand at most."""
    return [HiringLocation(*row) for row in session.all(_all_locations)]


def add_covered_weeks(session: Session, source: int, weeks: Collection[str]) -> None:
    """Record weeks, given by their Sundays, as covered."""
    session.many(_insert_week, [(source, week) for week in sorted(weeks)])


def covered_weeks(session: Session, source: int, day: str, most: int) -> list[str]:
    """Return the last covered weeks that ended by a day, newest first."""
    return [row[0] for row in session.all(_weeks, {"source": source, "day": day, "most": most})]


def advance_days(session: Session, source: int, as_of: str, *, snapshot: bool) -> tuple[str, str]:
    """Advance the day of a source, and for a snapshot the day of its last snapshot; return both, `""` for none.

    Neither day moves backwards, whatever the order of imports.
    """
    row = session.one(_days, {"source": source}) or ("", "")
    days = max(row[0], as_of), max(row[1], as_of if snapshot else "")
    session.execute(
        _set_days, {"source": source, "new_as_of": days[0] or None, "new_snapshot": days[1] or None}
    )
    return days


def next_hiring_companies(session: Session, source: int, after: int, most: int) -> list[HiringCompany]:
    """Return the next companies with postings in a source, by number."""
    rows = session.all(_employers, {"source": source, "after": after, "most": most})
    return [HiringCompany(*row) for row in rows]


def openings_between(
    session: Session, source: int, numbers: Sequence[int], after: str, until: str
) -> dict[int, list[Openings]]:
    """Return the openings of companies after one day, up to and including another."""
    found: dict[int, list[Openings]] = defaultdict(list)
    for row in session.all_in(_openings, "numbers", numbers, source=source, after=after, until=until):
        found[row[0]].append(Openings(*row[1:]))
    return found


def open_postings_at(
    session: Session, source: int, numbers: Sequence[int], day: str, snapshot: str
) -> dict[int, list[OpenPostings]]:
    """Return the postings of companies that are open at the end of a day.

    A posting is closed on its closing date. Without one it is open for 60 days from its opening or from the last
    snapshot that contained it, and until a snapshot without it.
    """
    expired = _days_before(day, DAYS_OPEN)
    survivors = snapshot if snapshot > expired else "none"
    params = {"source": source, "day": day, "snapshot": snapshot, "expired": expired, "survivors": survivors}
    found: dict[int, list[OpenPostings]] = defaultdict(list)
    for row in session.all_in(_open, "numbers", numbers, **params):
        found[row[0]].append(OpenPostings(*row[1:]))
    return found


def _days_before(day: str, days: int) -> str:
    at = date.fromisoformat(day)
    return (at - timedelta(days=min(days, at.toordinal() - 1))).isoformat()
