"""Usage of an account: credits and rate limits, in the current form and the legacy form.

See docs/reference/account.md#usage.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.accounts import store
from firmograph.billing import ledger
from firmograph.billing.types import Balance
from firmograph.caller import AccountCaller, Plan, Price
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import iso
from firmograph.rate_limits.windows import DAY, HOUR, MINUTE, RateLimiter, WindowUsage


class Credits(msgspec.Struct):
    """Credits: `total` is all received and not expired or taken back, `used` all charges; holds are in neither."""

    total: int
    used: int
    remaining: int


class Window(msgspec.Struct, rename="camel"):
    limit: int
    used: int
    remaining: int
    resets_at: str


class RateLimits(msgspec.Struct):
    daily: Window
    hourly: Window
    minute: Window


class PlanTerms(msgspec.Struct, rename="camel"):
    """Terms of a plan, which runs until the operator changes it."""

    category: str
    renewal_type: str
    start_date: str
    end_date: (
        Annotated[str, Meta(description="Next renewal of monthly credits; absent on plans without them.")]
        | UnsetType
    ) = UNSET


class Usage(msgspec.Struct, rename="camel"):
    """Response of `GET /v3/account/usage`."""

    credits: Credits
    rate_limits: RateLimits
    plan: PlanTerms
    pricing: dict[str, Price]


class LegacyUsage(msgspec.Struct):
    """Response of `GET /account/usage`: balance by kind of credit, of which there is one."""

    usage: dict[str, Credits]


def account_usage(session: Session, limits: RateLimiter, caller: AccountCaller) -> Usage:
    """Return the usage of an account, including the current request. One statement."""
    account = store.select_account(session, caller.account_id)
    assert account is not None, "an admitted account is never deleted"
    return Usage(
        credits=_credits(Balance(account.granted, account.used, account.held)),
        rate_limits=_rate_limits(caller.plan, limits.used(caller.account_id)),
        plan=PlanTerms(
            caller.plan.category,
            caller.plan.renewal,
            iso(account.plan_at),
            UNSET if account.renews_at is None else iso(account.renews_at),
        ),
        pricing=caller.plan.prices,
    )


def legacy_account_usage(session: Session, caller: AccountCaller) -> LegacyUsage:
    return LegacyUsage({"credits": _credits(ledger.balance(AccountSession(session, caller.account_id)))})


def _credits(balance: Balance) -> Credits:
    return Credits(balance.granted, balance.used, balance.remaining)


def _rate_limits(plan: Plan, used: WindowUsage) -> RateLimits:
    """Return the windows as in the headers: a plan without an hourly window repeats the daily one."""
    daily = _window(plan.day, used.day, DAY, used.at)
    return RateLimits(
        daily=daily,
        hourly=daily if plan.hour is None else _window(plan.hour, used.hour, HOUR, used.at),
        minute=_window(plan.minute, used.minute, MINUTE, used.at),
    )


def _window(limit: int, used: int, length: int, at: float) -> Window:
    resets = (at // length + 1) * length
    return Window(limit, used, max(0, limit - used), iso(resets))
