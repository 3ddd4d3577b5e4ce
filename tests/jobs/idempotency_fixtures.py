"""Idempotency keys and rate counters in a test's database for workers to delete."""

import sqlalchemy as sa

from firmograph.accounts.service import Accounts
from firmograph.billing.tables import idempotency_keys
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import Database
from firmograph.jobs.tables import duties
from firmograph.kit.clock import Clock
from firmograph.rate_limits import store as counter_store
from firmograph.rate_limits.tables import rate_counters

_KEYS = sa.select(idempotency_keys.c.key).order_by(idempotency_keys.c.key)
_PUT_KEY = sa.insert(idempotency_keys).values(
    {column.name: sa.bindparam(column.name) for column in idempotency_keys.c if column.name != "table_write"}
)
_COUNTERS = sa.select(rate_counters.c.window).order_by(rate_counters.c.window)

_DUE_NOW = sa.update(duties).values(due_at=0.0, lease_until=0.0, fence=duties.c.fence + 1)


def make_due(database: Database) -> None:
    """Make every job due and unclaimed; a worker in the middle of one loses it and cannot record it as done."""
    with database.write(None) as session:
        session.execute(_DUE_NOW)


def new_account(database: Database, clock: Clock, name: str = "Acme") -> int:
    return Accounts(database, load_plans(), clock).create(name, "unlimited", 0).id


def put_keys(database: Database, account_id: int, expires_at: float, names: list[str]) -> None:
    rows = [(account_id, "/v3/contacts/enrich", name, b"hash", expires_at, b"[]") for name in names]
    with database.write(None) as session:
        session.many(_PUT_KEY, rows)


def keys(database: Database) -> list[str]:
    return [key for (key,) in database.session().all(_KEYS)]


def put_counter(database: Database, account_id: int, window: str, start: float) -> None:
    with database.write(None) as session:
        counter_store.upsert_counters(session, [(account_id, window, int(start), 1)])


def counters(database: Database) -> list[str]:
    return [window for (window,) in database.session().all(_COUNTERS)]
