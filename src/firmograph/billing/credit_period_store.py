"""SQL statements on the periods of monthly credits."""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.tables import credit_periods
from firmograph.billing.types import CreditPeriod
from firmograph.database.connection import AccountSession
from firmograph.database.upsert import insert

_COLUMNS: Final = CreditPeriod._fields
_PERIOD = sa.select(*(credit_periods.c[name] for name in _COLUMNS)).where(
    credit_periods.c.account_id == bindparam("account")
)
_values: dict[str, Any] = {name: bindparam(name) for name in _COLUMNS}
_UPSERT = (
    insert(credit_periods)
    .values(account_id=bindparam("account"), **_values)
    .on_conflict_do_update(index_elements=["account_id"], set_=_values)
)
_END = (
    sa.update(credit_periods)
    .where(credit_periods.c.account_id == bindparam("account"))
    .values(renews_at=None, credits=0)
)
_SKIP = (
    sa.update(credit_periods)
    .where(credit_periods.c.account_id == bindparam("account"))
    .values(renews_at=bindparam("next"), credits=0)
)


def select_period(session: AccountSession) -> CreditPeriod | None:
    """Return the current or last period, None if the account never had one. One statement."""
    row = session.one(_PERIOD)
    return CreditPeriod(*row) if row else None


def upsert_period(session: AccountSession, period: CreditPeriod) -> None:
    session.execute(_UPSERT, period._asdict())


def end_period(session: AccountSession) -> None:
    """End the current period; none follows."""
    session.execute(_END)


def skip_periods(session: AccountSession, renews_at: float) -> None:
    """Wait without credits until the next period begins."""
    session.execute(_SKIP, {"next": renews_at})
