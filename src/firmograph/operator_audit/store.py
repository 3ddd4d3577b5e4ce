"""SQL statements on operators' actions."""

from collections.abc import Iterator, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.operator_audit.tables import operator_actions
from firmograph.operator_audit.types import OperatorAction

_PAGE: Final = 1000
_columns = operator_actions.c
_ROWS = sa.select(_columns.id, *(_columns[name] for name in OperatorAction._fields)).limit(_PAGE)
_OLDEST = _ROWS.where(_columns.id > bindparam("after")).order_by(_columns.id)
_NEWEST = _ROWS.where(_columns.id < bindparam("before")).order_by(_columns.id.desc())
_NEWEST_OF_ACCOUNT = _NEWEST.where(_columns.account == bindparam("number"))
_SKIPPING = (
    sa.select(*(_columns[name] for name in OperatorAction._fields))
    .order_by(_columns.id.desc())
    .limit(bindparam("most"))
    .offset(bindparam("skipped"))
)
_COUNT = sa.select(sa.func.count()).select_from(operator_actions)
_of_account = _columns.account == bindparam("number")
_PAGE_OF_ACCOUNT = (_SKIPPING.where(_of_account), _COUNT.where(_of_account))
_TOKENS = sa.select(_columns.token)
_ABOVE_ALL: Final = 2**62


def insert_actions(session: Session, actions: Sequence[OperatorAction]) -> None:
    """Insert actions in their order. One statement."""
    session.load(operator_actions, actions, OperatorAction._fields)


def select_newest(session: Session, account: int | None) -> Iterator[OperatorAction]:
    """Yield actions, or those on one account, newest first."""
    before = _ABOVE_ALL
    while rows := (
        session.all(_NEWEST, {"before": before})
        if account is None
        else session.all(_NEWEST_OF_ACCOUNT, {"before": before, "number": account})
    ):
        yield from (OperatorAction(*fields) for _, *fields in rows)
        before = rows[-1][0]


def select_page(
    session: Session, account: int | None, skipped: int, most: int
) -> tuple[list[OperatorAction], int]:
    """Return actions, or those on one account, newest first, and their number in all. Two statements."""
    page, count = (_SKIPPING, _COUNT) if account is None else _PAGE_OF_ACCOUNT
    given = {} if account is None else {"number": account}
    rows = session.all(page, {**given, "skipped": skipped, "most": most})
    return [OperatorAction(*row) for row in rows], session.all(count, given)[0][0]


def select_lacking(session: Session, other: Session) -> list[OperatorAction]:
    """Return the actions that another database lacks, oldest first."""
    known = {row[0] for row in other.all(_TOKENS)}
    lacking: list[OperatorAction] = []
    after = 0
    while rows := session.all(_OLDEST, {"after": after}):
        found = (OperatorAction(*fields) for _, *fields in rows)
        lacking += [action for action in found if action.token not in known]
        after = rows[-1][0]
    return lacking
