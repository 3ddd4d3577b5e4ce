"""SQL statements on the activity of an account's users."""

from collections.abc import Iterator
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import account_activities
from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.connection import AccountSession, Row, Session

_c = account_activities.c
_NAMES: Final = ("at", "user_id", "actor", "action", "subject", "details")
_ADD = sa.insert(account_activities).values(
    account_id=bindparam("account"), **{name: bindparam(name) for name in _NAMES}
)
_NEWEST = (
    sa.select(_c.id, _c.at, _c.actor, _c.action, _c.subject, _c.details)
    .where(_c.account_id == bindparam("account"), _c.id < bindparam("before"))
    .order_by(_c.id.desc())
    .limit(bindparam("most"))
)
_ALL = sa.select(account_activities).order_by(_c.id)
_DELETE = sa.delete(account_activities).where(_c.account_id == bindparam("account"))
_OLD = BatchDeletion(account_activities, _c.at <= bindparam("before"))
_ABOVE_ALL: Final = 2**62


def insert_activity(
    session: AccountSession, at: float, user_id: int, actor: str, action: str, subject: str, details: str
) -> None:
    values = (at, user_id, actor, action, subject, details)
    session.execute(_ADD, dict(zip(_NAMES, values, strict=True)))


def select_activity(session: AccountSession, before: int | None, most: int) -> list[Row]:
    return session.all(_NEWEST, {"before": _ABOVE_ALL if before is None else before, "most": most})


def select_all_activity(session: Session) -> Iterator[dict[str, Any]]:
    """Yield the activity of all accounts, by column."""
    for row in session.all(_ALL):
        yield dict(zip(account_activities.c.keys(), row, strict=True))


def delete_activity(session: AccountSession) -> None:
    """Delete all of a closed account's."""
    session.execute(_DELETE)


def delete_older(session: Session, before: float, most: int) -> int:
    return _OLD.run(session, most, before=before)
