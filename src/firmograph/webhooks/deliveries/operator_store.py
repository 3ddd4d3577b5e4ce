"""SQL of the operators' commands on failed deliveries and disabled subscriptions."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Session
from firmograph.webhooks.tables import audit_logs, deliveries, subscriptions
from firmograph.webhooks.types import DeadLetter, State, Status, SubscriptionStatus

_d, _s, _a = deliveries.c, subscriptions.c, audit_logs.c
_account = bindparam("account", type_=sa.BigInteger)
_failed = _d.state == sa.literal_column(f"{int(State.FAILED)}")

_letters = sa.select(
    _d.id,
    _d.payload_id,
    _d.state,
    _d.account_id,
    _d.subscription_id,
    _s.token,
    _s.named,
    _s.url,
    _s.active,
    _d.failed_at,
).select_from(deliveries.join(subscriptions, _s.id == _d.subscription_id))
_LETTER = _letters.where(_d.payload_id == bindparam("payload"))
_LETTERS = _letters.where(_d.account_id == _account, _failed).order_by(_d.id)
_STATUS_RANGE = sa.select(sa.func.min(_a.status), sa.func.max(_a.status), sa.func.max(_a.is_test)).where(
    _a.payload_id == bindparam("payload")
)
_REQUEUE = (
    sa.update(deliveries)
    .where(_d.account_id == _account, _d.id == bindparam("which"), _failed)
    .values(state=int(State.WAITING), held=None, failed_at=None, withheld_at=None)
)
# the lease stays: its worker records its attempt and then claims the head of the queue
_QUEUE = (
    sa.update(subscriptions)
    .where(_s.account_id == _account, _s.id == bindparam("which"))
    .values(queued=_s.queued + 1, attempts=0, needs=0, due_at=bindparam("at"))
)
_BLOCKED = (
    sa.select(_s.id, _s.token, _s.url)
    .where(_s.account_id == _account, _s.active == 0, _s.blocked_at.is_not(None))
    .order_by(_s.id)
)
_URL = sa.select(_s.id).where(_s.account_id == _account, _s.url == bindparam("url")).limit(1)
_dead = (
    sa.select(_d.subscription_id, sa.func.count().label("count"))
    .where(_d.account_id == _account, _failed)
    .group_by(_d.subscription_id)
    .subquery()
)
_LISTED = (
    sa.select(
        _s.token,
        _s.entity,
        _s.named,
        _s.types,
        _s.name,
        _s.url,
        _s.active,
        _s.block_reason,
        _s.blocked_at,
        _s.queued,
        _s.needs,
        sa.func.coalesce(_dead.c.count, 0),
    )
    .select_from(subscriptions.outerjoin(_dead, _dead.c.subscription_id == _s.id))
    .where(_s.account_id == _account)
    .order_by(_s.id)
)


def find_delivery(session: Session, payload_id: str) -> DeadLetter | None:
    """Return the delivery with this payload id, in any state."""
    row = session.one(_LETTER, {"payload": payload_id})
    return DeadLetter(*row) if row else None


def dead_letters(session: AccountSession) -> list[DeadLetter]:
    """Return the dead letters of the account, in the order of detection."""
    return [DeadLetter(*row) for row in session.all(_LETTERS)]


def status_range(session: Session, payload_id: str) -> tuple[Status, Status, bool] | None:
    """Return the best and the worst status of a payload, and whether it was a test. Scans the audit."""
    row = session.one(_STATUS_RANGE, {"payload": payload_id})
    return (Status(row[0]), Status(row[1]), bool(row[2])) if row and row[0] is not None else None


def requeue(session: AccountSession, letter: DeadLetter, at: float) -> None:
    """Queue a dead letter again with all its retries, before deliveries detected after it."""
    session.execute(_REQUEUE, {"which": letter.id})
    session.execute(_QUEUE, {"which": letter.subscription_id, "at": at})


def blocked_subscriptions(session: AccountSession) -> list[tuple[int, str, str]]:
    """Return (number, public id, URL) of the subscriptions disabled by failures."""
    return [(row[0], row[1], row[2]) for row in session.all(_BLOCKED)]


def has_url(session: AccountSession, url: str) -> bool:
    """Return whether the account has a subscription to exactly this URL."""
    return session.one(_URL, {"url": url}) is not None


def list_subscriptions(session: AccountSession) -> Sequence[SubscriptionStatus]:
    """Return all of the account's subscriptions, oldest first."""
    return [SubscriptionStatus(*row) for row in session.all(_LISTED)]
