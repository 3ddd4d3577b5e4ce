"""Job postings as they are held, the weeks that are covered, and what is counted of them.

Every function is part of the caller's transaction.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.signals.hiring import Openings
from firmograph.signals.tables import job_places, job_postings, job_weeks, signal_feeds

KIND = "jobs"

DAYS_OPEN = 60
"""How long a posting without a closing date counts as open (docs/reference/signals.md#hiring-surges)."""


class Posting(NamedTuple):
    """One posting of a company by a source, in the order of the columns."""

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
    """As of which day the import was that last had it; `""` when that had no such day."""


class Place(NamedTuple):
    """A country, or a state in one."""

    country: str
    state: str
    country_code: str
    state_code: str


class Employer(NamedTuple):
    """A company with postings of a source."""

    number: int
    postings: int
    first: str
    """The day of its first opening."""


class Open(NamedTuple):
    """How many postings of one kind are open."""

    department: str
    seniority: str | None
    country: str | None
    state: str | None
    postings: int


_columns = job_postings.c
_put_place = (
    insert(job_places)
    .values({column.name: sa.bindparam(column.name) for column in job_places.c})
    .on_conflict_do_nothing()
)
_all_places = sa.select(*job_places.c)
_source = _columns.source == sa.bindparam("source")
_numbers = _columns.company_id.in_(sa.bindparam("numbers", expanding=True))
_held = sa.select(*list(_columns)[2:]).where(
    _columns.company_id == sa.bindparam("number"),
    _source,
    _columns.posting_id.in_(sa.bindparam("ids", expanding=True)),
)
_put_posting = insert(job_postings).values({column.name: sa.bindparam(column.name) for column in _columns})
_put = _put_posting.on_conflict_do_update(
    index_elements=list(job_postings.primary_key),
    set_={c.name: _put_posting.excluded[c.name] for c in _columns if not c.primary_key},
)
_put_week = (
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
_kinds_of_opening = (
    _columns.company_id,
    _columns.opened,
    _columns.department,
    _columns.country_code,
    _columns.state_code,
    _columns.country,
    _columns.state,
)
_openings = (
    sa.select(*_kinds_of_opening, sa.func.count())
    .where(
        _numbers,
        _source,
        _columns.opened > sa.bindparam("after"),
        _columns.opened <= sa.bindparam("until"),
    )
    .group_by(*_kinds_of_opening)
)
_kinds_of_open = (
    _columns.company_id,
    _columns.department,
    _columns.seniority,
    _columns.country,
    _columns.state,
)
_open = (
    sa.select(*_kinds_of_open, sa.func.count())
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
    .group_by(*_kinds_of_open)
)


def postings(session: Session, source: int, number: int, ids: Collection[str]) -> dict[str, Posting]:
    """Those of a company's postings that are held, by their ids."""
    rows = session.all_in(_held, "ids", sorted(ids), source=source, number=number)
    return {row[0]: Posting(*row) for row in rows}


def put_postings(session: Session, source: int, rows: Sequence[tuple[int, Posting]]) -> None:
    """Write postings, each with its company's number, over those of the same ids."""
    session.many(_put, [(number, source, *posting) for number, posting in rows])
    session.many(_put_place, sorted({place for _, one in rows for place in _places(one)}))


def _places(one: Posting) -> list[tuple[str, str, str, str]]:
    """The country of a posting, and the state there, as they are kept."""
    if not one.country:
        return []
    country = (one.country, "", one.country_code or "", "")
    return [country, (one.country, one.state, country[2], one.state_code or "")] if one.state else [country]


def places(session: Session) -> list[Place]:
    """The places of all postings that were ever held: a few thousand at most."""
    return [Place(*row) for row in session.all(_all_places)]


def cover(session: Session, source: int, weeks: Collection[str]) -> None:
    """Note that these weeks, by their last days, are covered."""
    session.many(_put_week, [(source, week) for week in sorted(weeks)])


def covered(session: Session, source: int, day: str, most: int) -> list[str]:
    """The last covered weeks that had ended by the end of a day, newest first."""
    return [row[0] for row in session.all(_weeks, {"source": source, "day": day, "most": most})]


def advance(session: Session, source: int, as_of: str, *, snapshot: bool) -> tuple[str, str]:
    """Note an import as of a day: as of which day the source is known now, and its last snapshot, `""` if none.

    Neither goes back, whatever the order of imports.
    """
    row = session.one(_days, {"source": source}) or ("", "")
    days = max(row[0], as_of), max(row[1], as_of if snapshot else "")
    session.execute(
        _set_days, {"source": source, "new_as_of": days[0] or None, "new_snapshot": days[1] or None}
    )
    return days


def employers(session: Session, source: int, after: int, most: int) -> list[Employer]:
    """The next companies with postings of a source, by their numbers."""
    rows = session.all(_employers, {"source": source, "after": after, "most": most})
    return [Employer(*row) for row in rows]


def openings(
    session: Session, source: int, numbers: Sequence[int], after: str, until: str
) -> dict[int, list[Openings]]:
    """What opened at some companies after one day and up to another."""
    found: dict[int, list[Openings]] = defaultdict(list)
    for row in session.all_in(_openings, "numbers", numbers, source=source, after=after, until=until):
        found[row[0]].append(Openings(*row[1:]))
    return found


def open_at(
    session: Session, source: int, numbers: Sequence[int], day: str, snapshot: str
) -> dict[int, list[Open]]:
    """What is open at some companies at the end of a day.

    Without a closing date: for 60 days from its opening, or from the last snapshot if it stood in that; and no longer
    once a snapshot was without it. A posting is closed on its closing date.
    """
    expired = _days_before(day, DAYS_OPEN)
    survivors = snapshot if snapshot > expired else "none"
    asked = {"source": source, "day": day, "snapshot": snapshot, "expired": expired, "survivors": survivors}
    found: dict[int, list[Open]] = defaultdict(list)
    for row in session.all_in(_open, "numbers", numbers, **asked):
        found[row[0]].append(Open(*row[1:]))
    return found


def _days_before(day: str, days: int) -> str:
    at = date.fromisoformat(day)
    return (at - timedelta(days=min(days, at.toordinal() - 1))).isoformat()
