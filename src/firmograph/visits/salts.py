"""Salts of visitors who pass no name of their own, one for each calendar quarter (ruling J 12).

A salt is destroyed 92 days after the end of its quarter or its first use, the later one; nobody can tell from then on
whose page views they were.
"""

import secrets
from datetime import UTC, date, datetime, time
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Database, Session
from firmograph.database.upsert import insert
from firmograph.kit.clock import Clock
from firmograph.privacy.declarations import Replacement
from firmograph.visits.tables import visit_salts

_KEPT_SECONDS: Final = 92 * 86_400.0
_t = visit_salts.c
_SALT = sa.select(_t.salt, _t.destroy_at).where(_t.quarter == bindparam("quarter"))
_INSERT = (
    insert(visit_salts)
    .values(quarter=bindparam("quarter"), salt=bindparam("salt"), destroy_at=bindparam("destroy_at"))
    .on_conflict_do_nothing()
)
_DESTROY_DUE = (
    sa.update(visit_salts)
    .where(_t.salt.is_not(None), _t.destroy_at <= bindparam("now", type_=sa.Double))
    .values(salt=None)
)
_DESTROYED = sa.select(_t.quarter).where(_t.salt.is_(None))
_DESTROY = (
    sa.update(visit_salts).where(_t.quarter == bindparam("number"), _t.salt.is_not(None)).values(salt=None)
)


class _Salt(NamedTuple):
    value: bytes | None
    destroy_at: float


class Salts:
    """Salts by quarter, each made at its first use."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[int, _Salt] = {}

    def find(self, day: date) -> bytes | None:
        """Return the salt of the quarter of a UTC day; None once it is destroyed, or has to be."""
        quarter, now = quarter_of(day), self._clock.seconds()
        salt = self._known.get(quarter)
        if salt is None or salt.value is None:
            salt = self._known[quarter] = self._read(quarter) or self._make(quarter, now)
        return salt.value if now < salt.destroy_at else None

    def _read(self, quarter: int) -> _Salt | None:
        row = self._database.session().one(_SALT, {"quarter": quarter})
        return None if row is None else _Salt(None if row[0] is None else bytes(row[0]), row[1])

    def _make(self, quarter: int, now: float) -> _Salt:
        destroy_at = max(_quarter_end(quarter), now) + _KEPT_SECONDS
        new = {"quarter": quarter, "salt": secrets.token_bytes(32), "destroy_at": destroy_at}
        with self._database.write(None) as session:
            session.execute(_INSERT, new)
        made = self._read(quarter)
        assert made is not None
        return made


def quarter_of(day: date) -> int:
    """Return the calendar quarter of a day, counted from that of year 0."""
    return day.year * 4 + (day.month - 1) // 3


def _quarter_end(quarter: int) -> float:
    year, month = divmod((quarter + 1) * 3, 12)
    return datetime.combine(date(year, month + 1, 1), time(), UTC).timestamp()


def destroy_due(session: Session, now: float) -> int:
    """Destroy the salts whose time has come; return their number."""
    destroyed: int = session.execute(_DESTROY_DUE, {"now": now}).rowcount
    return destroyed


def keep_destroyed(replacement: Replacement) -> None:
    """Destroy the salts of a restored copy that were destroyed in the replaced database."""
    if replacement.same_origin:
        for (quarter,) in replacement.replaced.all(_DESTROYED):
            replacement.copy.execute(_DESTROY, {"number": quarter})
