"""What an account has used and may still use, in the current shape (wire-a 7.1) and the legacy one (7.2)."""

import msgspec

from firmograph.accounts import store
from firmograph.accounts.caller import Caller
from firmograph.billing import ledger
from firmograph.billing.ledger_store import Balance
from firmograph.billing.plans import Plan, Price
from firmograph.database.connection import Session
from firmograph.kit.clock import iso
from firmograph.rate_limits.windows import DAY, HOUR, MINUTE, Limits, Used


class Credits(msgspec.Struct):
    """Whole credits: `total` is all grants, `used` all charges; what is held for deliveries under way is in neither
    `used` nor `remaining`."""

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
    """A plan of this service runs until the operator changes it: there is no end date."""

    category: str
    renewal_type: str
    start_date: str


class Usage(msgspec.Struct, rename="camel"):
    """The answer of `GET /v3/account/usage`."""

    credits: Credits
    rate_limits: RateLimits
    plan: PlanTerms
    pricing: dict[str, Price]


class LegacyUsage(msgspec.Struct):
    """The answer of `GET /account/usage`: the balance of each kind of credit; here there is one kind."""

    usage: dict[str, Credits]


def usage(session: Session, limits: Limits, caller: Caller) -> Usage:
    """One statement; the running request is counted."""
    account = store.account_of_id(session, caller.account_id)
    assert account is not None, "an admitted account is never deleted"
    return Usage(
        credits=_credits(Balance(account.granted, account.used, account.held)),
        rate_limits=_rate_limits(caller.plan, limits.used(caller.account_id)),
        plan=PlanTerms(caller.plan.category, caller.plan.renewal, iso(account.plan_at)),
        pricing=caller.plan.prices,
    )


def legacy_usage(session: Session, caller: Caller) -> LegacyUsage:
    return LegacyUsage({"credits": _credits(ledger.balance(session, caller.account_id))})


def _credits(balance: Balance) -> Credits:
    return Credits(balance.granted, balance.used, balance.remaining)


def _rate_limits(plan: Plan, used: Used) -> RateLimits:
    """As in the headers, the daily window stands in for an hourly one that the plan lacks."""
    daily = _window(plan.day, used.day, DAY, used.at)
    return RateLimits(
        daily=daily,
        hourly=daily if plan.hour is None else _window(plan.hour, used.hour, HOUR, used.at),
        minute=_window(plan.minute, used.minute, MINUTE, used.at),
    )


def _window(limit: int, used: int, length: int, at: float) -> Window:
    resets = (at // length + 1) * length
    return Window(limit, used, max(0, limit - used), iso(resets))
