"""Monthly credits of plans: periods, their payment, and the expiry of unused credits.

See docs/reference/account.md#monthly-credits.

A period begins when the account gets the plan and then at 00:00 UTC of that day of each month. All functions change
balance, ledger and period in the caller's transaction, which must hold the scope of the account.
"""

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, datetime

from firmograph.billing import credit_period_store as periods
from firmograph.billing import ledger_store
from firmograph.billing.types import MAX_CREDITS, CreditPeriod, LedgerEntry
from firmograph.caller import Plan
from firmograph.database.connection import AccountSession


def begin(session: AccountSession, plan: Plan, at: float) -> bool:
    """Pay the first period of an account's plan; return False if it has no monthly credits or a period runs."""
    last = periods.select_period(session) if plan.credits_per_month else None
    if not plan.credits_per_month or (last is not None and last.renews_at is not None):
        return False
    _pay(session, plan, last.number if last else 0, datetime.fromtimestamp(at, UTC).day, [at])
    return True


def renew(session: AccountSession, plan: Plan, at: float, *, is_active: bool = True) -> bool:
    """End the period that is over, and pay those that began since; return whether it was over.

    `plan` is the plan of the account. A call may know a former one, which changes nothing. Of several missed periods
    each is paid where unused credits stay, else the last. A disabled account is paid none.
    """
    period = periods.select_period(session)
    if period is None or period.renews_at is None:
        return False
    if period.plan != plan.name or at < period.renews_at:
        return False
    _expire(session, period, period.renews_at)
    if not plan.credits_per_month:
        periods.end_period(session)
        return True
    starts = list(_starts(period.day, period.renews_at, at))
    if not is_active:
        periods.skip_periods(session, next_start(period.day, starts[-1]))
    else:
        paid = starts if plan.unused == "stay" else starts[-1:]
        _pay(session, plan, period.number, period.day, paid)
    return True


def end(session: AccountSession, at: float) -> None:
    """End the current period at once, as the account gets another plan."""
    period = periods.select_period(session)
    if period is not None and period.renews_at is not None:
        _expire(session, period, at)
        periods.end_period(session)


def stop(session: AccountSession, at: float, request_id: str) -> int:
    """End the period and expire all that remains, as the account is closed; return the expired credits."""
    periods.end_period(session)
    remaining = ledger_store.select_balance(session).remaining
    if remaining:
        _take_back(session, at, request_id, remaining)
    return remaining


def next_start(day: int, after: float) -> float:
    """Return the first start of a period after a time: 00:00 UTC of that day, or of the month's last."""
    moment = datetime.fromtimestamp(after, UTC)
    year, month = moment.year, moment.month
    start = _start(year, month, day)
    return start if start > after else _start(year + month // 12, month % 12 + 1, day)


def _start(year: int, month: int, day: int) -> float:
    return datetime(year, month, min(day, monthrange(year, month)[1]), tzinfo=UTC).timestamp()


def _starts(day: int, first: float, at: float) -> Iterator[float]:
    start = first
    while start <= at:
        yield start
        start = next_start(day, start)


def _pay(session: AccountSession, plan: Plan, last: int, day: int, starts: list[float]) -> None:
    """Pay one period for each start; the last of them is the current one."""
    balance = ledger_store.select_balance(session)
    entries: list[LedgerEntry] = []
    credits, remaining, granted = 0, balance.remaining, balance.granted
    for number, start in enumerate(starts, last + 1):
        credits = min(plan.credits_per_month, MAX_CREDITS - granted)
        granted += credits
        remaining += credits
        entries.append(
            LedgerEntry(session.account_id, start, f"period:{number}", "renewal", "", 1, credits, remaining)
        )
    ledger_store.grant_credits(session, granted - balance.granted, MAX_CREDITS)
    ledger_store.append_entries(session, entries)
    periods.upsert_period(
        session,
        CreditPeriod(
            last + len(starts),
            plan.name,
            day,
            credits,
            plan.unused,
            balance.used,
            next_start(day, starts[-1]),
        ),
    )


def _expire(session: AccountSession, period: CreditPeriod, at: float) -> None:
    """Take back the credits of a period that were not used, where they do not stay."""
    if period.unused == "stay":
        return
    balance = ledger_store.select_balance(session)
    used = balance.used - period.used_before + balance.held
    unused = min(period.credits - used, balance.remaining)
    if unused > 0:
        _take_back(session, at, f"period:{period.number}", unused)


def _take_back(session: AccountSession, at: float, request_id: str, credits: int) -> None:
    remaining = ledger_store.take_back_credits(session, credits)
    assert remaining is not None, "the caller holds the scope of the account"
    entry = LedgerEntry(session.account_id, at, request_id, "expiry", "", 1, credits, remaining)
    ledger_store.append_entries(session, [entry])
