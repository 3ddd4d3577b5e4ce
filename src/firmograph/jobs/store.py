"""SQL statements on periodic jobs."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.database.leases import Claim, Leases
from firmograph.database.upsert import insert
from firmograph.jobs.tables import duties

leases: Leases[str] = Leases(duties)

_FREE_FROM = sa.select(duties.c.name, duties.c.due_at, duties.c.lease_until)
_TIMES = sa.select(duties.c.due_at, duties.c.lease_until, duties.c.last_at)
_ADD = (
    insert(duties)
    .values(name=bindparam("name"), due_at=bindparam("due_at"), lease_until=0.0, fence=0)
    .on_conflict_do_nothing()
)
_COMPLETE = (
    sa.update(duties)
    .where(leases.held)
    .values(lease_until=0.0, due_at=bindparam("due"), last_at=bindparam("at"))
)


def select_times(session: Session) -> list[tuple[float, float, float | None]]:
    """Return of each job when it is due, until when it is claimed, and when it was done last."""
    return [(row[0], row[1], row[2]) for row in session.all(_TIMES)]


def free_from(session: Session) -> dict[str, float]:
    """Return the time from which each job can be claimed, being due and without a lease."""
    return {name: max(due_at, lease_until) for name, due_at, lease_until in session.all(_FREE_FROM)}


def insert_jobs(session: Session, names: Iterable[str], now: float) -> None:
    """Insert jobs that no worker has claimed before, due at once."""
    for name in names:
        session.execute(_ADD, {"name": name, "due_at": now})


def complete(session: Session, claim: Claim[str], *, at: float, due_at: float) -> bool:
    """Record that a job is done, and when it is due again; return False, unchanged, if the lease was lost."""
    done = session.execute(_COMPLETE, {**claim.holding(), "at": at, "due": due_at})
    return bool(done.rowcount == 1)
