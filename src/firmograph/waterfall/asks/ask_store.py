"""SQL statements on asks and jobs."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Session
from firmograph.database.leases import Claim, Leases
from firmograph.database.upsert import insert
from firmograph.waterfall.tables import waterfall_asks, waterfall_job_asks, waterfall_jobs
from firmograph.waterfall.types import NEVER, Ask, AskState, Job

leases: Leases[int] = Leases(waterfall_asks)

_a, _j, _ja = waterfall_asks.c, waterfall_jobs.c, waterfall_job_asks.c
_FIELDS = tuple(_a[name] for name in Ask._fields)
# a literal, as it has to match the condition of the partial indexes
_is_open: "sa.ColumnElement[bool]" = _a.state == sa.literal_column(str(int(AskState.OPEN)))
_mine = _a.account_id == bindparam("account")


class NewAsk(NamedTuple):
    contact_id: int
    data_point: int
    token: str


# --- asks of an account ---

_INSERT = (
    insert(waterfall_asks)
    .values(
        {
            "account_id": bindparam("account"),
            **{
                one.name: bindparam(one.name)
                for one in _a
                if one.name not in ("id", "account_id", "ended_at")
            },
        }
    )
    .on_conflict_do_nothing()
)
_OPEN_OF = sa.select(*_FIELDS).where(_mine, _is_open, column_in(_a.contact_id, "contacts")).order_by(_a.id)
_BY_ID = sa.select(*_FIELDS).where(_mine, column_in(_a.id, "ids")).order_by(_a.id)
_OPEN_AMONG = sa.select(sa.func.count()).where(_mine, _is_open, column_in(_a.id, "ids"))
_OPEN = sa.select(*_FIELDS).where(_mine, _is_open).order_by(_a.id)
_DELETE_ASKS = sa.delete(waterfall_asks).where(_mine)


def insert_asks(
    session: AccountSession, new: Iterable[NewAsk], actor: str, daily_credits: int | None, at: float
) -> None:
    """Insert asks, except where one is open for the same data point. One statement."""
    first = {
        "actor": actor,
        "daily_credits": daily_credits,
        "created_at": at,
        "state": int(AskState.OPEN),
        "provider": "",
        "held": 0,
        "held_at": 0.0,
        "has_begun": 0,
        "trail": b"{}",
        "due_at": at,
        "lease_until": 0.0,
        "fence": 0,
    }
    session.each(_INSERT, [{**first, **one._asdict()} for one in new])


def select_open(session: AccountSession, contacts: Collection[int]) -> list[Ask]:
    """Return the open asks of contacts."""
    return [Ask(*row) for row in session.all_in(_OPEN_OF, "contacts", sorted(contacts))]


def select_asks(session: AccountSession, ids: Collection[int]) -> list[Ask]:
    return [Ask(*row) for row in session.all_in(_BY_ID, "ids", sorted(ids))]


def count_open(session: AccountSession, ids: Collection[int]) -> int:
    """Return how many of the asks are open."""
    return sum(row[0] for row in session.all_in(_OPEN_AMONG, "ids", sorted(ids)))


def select_every_open(session: AccountSession) -> list[Ask]:
    """Return all open asks of the account."""
    return [Ask(*row) for row in session.all(_OPEN)]


def delete_of_account(session: AccountSession) -> None:
    """Delete asks and jobs of the account."""
    for statement in (_DELETE_ASKS, _DELETE_JOB_ASKS, _DELETE_JOBS):
        session.execute(statement)


# --- jobs ---

_INSERT_JOB = (
    sa.insert(waterfall_jobs)
    .values(
        account_id=bindparam("account"),
        token=bindparam("token"),
        created_at=bindparam("at"),
        data_points=bindparam("data_points"),
    )
    .returning(_j.id)
)
_job = (_j.id, _j.token, _j.created_at, _j.data_points)
_my_job = _j.account_id == bindparam("account")
_JOB = sa.select(*_job).where(_my_job, _j.token == bindparam("token"))
_DELETE_JOB = sa.delete(waterfall_jobs).where(_my_job, _j.id == bindparam("job"))
_my_job_asks = _ja.account_id == bindparam("account")
_JOB_ASKS = sa.select(_ja.ask_id, _ja.is_own).where(_my_job_asks, _ja.job_id == bindparam("job"))
_DELETE_FROM_JOB = sa.delete(waterfall_job_asks).where(
    _my_job_asks, _ja.job_id == bindparam("job"), column_in(_ja.ask_id, "ids")
)
_DELETE_JOB_ASKS = sa.delete(waterfall_job_asks).where(_my_job_asks)
_DELETE_JOBS = sa.delete(waterfall_jobs).where(_my_job)


def insert_job(session: AccountSession, job: Job, asks: Iterable[tuple[int, bool]]) -> None:
    """Insert a job, whose number is given here, with its asks and whether each is its own."""
    params = {"token": job.token, "at": job.created_at, "data_points": job.data_points}
    number = int(session.all(_INSERT_JOB, params)[0][0])
    rows = [(number, ask, int(is_own)) for ask, is_own in asks]
    session.load(waterfall_job_asks, rows, ("job_id", "ask_id", "is_own"))


def find_job(session: AccountSession, token: str) -> Job | None:
    row = session.one(_JOB, {"token": token})
    return Job(*row) if row else None


def select_job_asks(session: AccountSession, job_id: int) -> dict[int, bool]:
    """Return the asks of a job, each with whether it is its own."""
    return {row[0]: bool(row[1]) for row in session.all(_JOB_ASKS, {"job": job_id})}


def remove_from_job(session: AccountSession, job_id: int, asks: Collection[int]) -> None:
    session.run_in(_DELETE_FROM_JOB, "ids", sorted(asks), job=job_id)


def delete_job(session: AccountSession, job_id: int) -> None:
    session.execute(_DELETE_JOB, {"job": job_id})


# --- asks of all accounts, for workers ---

_accounts = sa.table(
    "accounts",
    sa.column("id", sa.BigInteger),
    sa.column("active", sa.SmallInteger),
    sa.column("plan", sa.Text),
)
_now = bindparam("now", type_=sa.Double)
_due = (
    sa.select(
        _a.id,
        _a.account_id,
        _accounts.c.plan,
        _a.due_at,
        sa.func.row_number().over(partition_by=_a.account_id, order_by=[_a.due_at, _a.id]).label("place"),
    )
    .select_from(waterfall_asks.join(_accounts, _accounts.c.id == _a.account_id))
    .where(_is_open, _a.due_at <= _now, _a.lease_until <= _now, _accounts.c.active == sa.literal_column("1"))
    .subquery("due")
)
_CLAIMABLE = (
    sa.select(_due.c.id, _due.c.account_id, _due.c.plan)
    .order_by(_due.c.place, _due.c.due_at, _due.c.id)
    .limit(bindparam("most", type_=sa.Integer))
)
_CLAIMED = (
    sa.select(_a.fence, *_FIELDS)
    .where(column_in(_a.id, "ids"), _is_open, _a.lease_until > sa.literal_column("0"))
    .order_by(_a.id)
)
_CHANGE = (
    sa.update(waterfall_asks)
    .where(_a.id == bindparam("which"))
    .values(
        {
            name: bindparam(f"new_{name}", type_=_a[name].type)
            for name in (
                *("state", "ended_at", "provider", "held", "held_at", "has_begun", "trail"),
                *("due_at", "lease_until"),
            )
        }
    )
)
_BACKLOG = sa.select(sa.func.count(), sa.func.min(_a.created_at)).where(_is_open)


class AskChange(NamedTuple):
    """New state of an ask; without a due time it stays claimed."""

    ask: Ask
    due_at: float
    lease_until: float


def find_claimable(session: Session, most: int, now: float) -> list[tuple[int, int, str]]:
    """Return number, account and its plan of due asks, one of each account before the second of any."""
    return [(row[0], row[1], row[2]) for row in session.all(_CLAIMABLE, {"most": most, "now": now})]


def select_claimed(session: Session, claims: Collection[Claim[int]]) -> list[Ask]:
    """Return the asks of those claims that their worker still owns. One statement."""
    rows = session.all_in(_CLAIMED, "ids", sorted(claim.key for claim in claims))
    owned = set(claims)
    return [Ask(*row) for fence, *row in rows if Claim(row[0], fence) in owned]


def change_asks(session: Session, changes: Sequence[AskChange]) -> None:
    """Store new states of asks that the caller holds. One statement."""
    names = session.prepared(_CHANGE).names
    rows = []
    for change in changes:
        given: dict[str, Any] = {f"new_{name}": value for name, value in change.ask._asdict().items()}
        given |= {"new_due_at": change.due_at, "new_lease_until": change.lease_until, "which": change.ask.id}
        rows.append([given[name] for name in names])
    session.many(_CHANGE, sorted(rows, key=lambda row: row[names.index("which")]))


def end(ask: Ask, state: AskState, now: float) -> AskChange:
    """Return the change that ends an ask."""
    return AskChange(ask._replace(state=int(state), ended_at=now), NEVER, 0.0)


class WaitingAsks(NamedTuple):
    """Backlog of all workers."""

    number: int
    oldest_seconds: int


def backlog(session: Session, now: float) -> WaitingAsks:
    number, oldest = session.one(_BACKLOG) or (0, None)
    return WaitingAsks(number, 0 if oldest is None else max(0, int(now - oldest)))


# --- what goes ---

_ENDED = BatchDeletion(waterfall_asks, sa.and_(_a.ended_at < bindparam("before"), ~_is_open))
_OLD_JOBS = BatchDeletion(waterfall_jobs, _j.created_at < bindparam("before"))
_ORPHANS = BatchDeletion(
    waterfall_job_asks,
    ~sa.exists().where(waterfall_jobs.c.id == _ja.job_id).correlate(waterfall_job_asks),
)
_OF_CONTACTS = sa.select(*_FIELDS).where(column_in(_a.contact_id, "contacts")).order_by(_a.id)
_DELETE_OF_CONTACTS = sa.delete(waterfall_asks).where(column_in(_a.contact_id, "contacts"))
_VOID_LEASES = sa.update(waterfall_asks).where(_is_open).values(lease_until=0.0, fence=_a.fence + 1)


def delete_ended(session: Session, before: float, most: int) -> int:
    """Delete up to `most` asks that ended before, and return their number."""
    return _ENDED.run(session, most, before=before)


def delete_old_jobs(session: Session, before: float, most: int) -> int:
    """Delete up to `most` jobs of before, then their lists of asks, and return the number of rows."""
    return _OLD_JOBS.run(session, most, before=before) + _ORPHANS.run(session, most)


def select_of_contacts(session: Session, contacts: Collection[int]) -> list[Ask]:
    """Return the asks for contacts, of all accounts."""
    return [Ask(*row) for row in session.all_in(_OF_CONTACTS, "contacts", sorted(contacts))]


def delete_of_contacts(session: Session, contacts: Collection[int]) -> None:
    session.run_in(_DELETE_OF_CONTACTS, "contacts", sorted(contacts))


def void_leases(session: Session) -> None:
    """Void the claims of all workers."""
    session.execute(_VOID_LEASES)
