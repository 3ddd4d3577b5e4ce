"""Request as services see it: its caller, with the plan of the account, its time and its key."""

from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from firmograph.kit.errors import Forbidden


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Price of an action: `credits` for each started `perQuantity` units of one request."""

    credits: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
    per_quantity: Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]

    def total(self, quantity: int) -> int:
        return -(-quantity // self.per_quantity) * self.credits


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of an account: rate limits in requests, prices, features, credits; `hour` or `second` None is unlimited."""

    name: str
    category: str
    renewal: str
    second: int | None
    minute: int
    hour: int | None
    day: int
    prices: dict[str, Price]
    features: dict[str, bool]
    credits_per_month: int = 0
    unused: Literal["expire", "stay"] = "expire"
    """What becomes of monthly credits that are left at the end of their month."""

    def price(self, action: str) -> Price:
        return self.prices[action]

    def is_priced(self, action: str) -> bool:
        """Return whether the action costs credits."""
        return self.prices[action].credits > 0

    def check(self, feature: str) -> None:
        """Raise Forbidden, naming the feature, unless the plan includes it."""
        if not self.features[feature]:
            raise Forbidden(f"Forbidden: {feature} is not part of the account's plan", [feature])


class Spender(NamedTuple):
    """Who spends credits of an account."""

    actor: str
    """Prefix of a key, `user:NUMBER` or `operator`; empty for deliveries of subscriptions."""
    daily_credits: int | None = None
    """Most credits of a UTC day; None without a cap."""


NOBODY: Final = Spender("")


class ApiKeyCaller(msgspec.Struct, frozen=True):
    """Program with an API key of the account."""

    account_id: int
    plan: Plan
    can_reveal: str
    """Form of `canReveal` in its responses, `names` or `priced`."""
    spender: Spender = NOBODY
    waterfall: bool = False
    """Whether other providers are asked for what contacts lack."""


class UserCaller(msgspec.Struct, frozen=True):
    """User of the account in the workspace."""

    account_id: int
    plan: Plan
    can_reveal: str
    user_id: int

    @property
    def spender(self) -> Spender:
        return Spender(f"user:{self.user_id}")


class AnonymousCaller(msgspec.Struct, frozen=True):
    """Caller of an endpoint without authentication."""

    address: str | None
    """Client's address (`api/trusted_proxies.py`); None if it is unknown."""


class OperatorKeyCaller(msgspec.Struct, frozen=True):
    """Program with an operator's key, which acts on accounts and not in one."""

    prefix: str
    """Prefix of the key, by which the audit names the operator."""


class OperatorCaller:
    """Operator who acts in an account: with its plan and its credits, and without rate limits."""

    spender: Final = Spender("operator")

    def __init__(self, account_id: int, load_plan: Callable[[], Plan], can_reveal: str) -> None:
        """Take the account; its plan is loaded where it counts, as it may not be configured any more."""
        self.account_id = account_id
        self.can_reveal = can_reveal
        self._load_plan = load_plan

    @cached_property
    def plan(self) -> Plan:
        """Plan of the account. Raises Refused if it is not configured."""
        return self._load_plan()


class InstallationOperator:
    """Operator without an account, in commands: free, without limits, a plan or a session."""

    can_reveal = "nothing"
    """Previews lack the member."""


AccountCaller = ApiKeyCaller | UserCaller | OperatorCaller
"""Caller that acts for an account."""

PreviewCaller = AccountCaller | InstallationOperator
"""Caller that sees previews."""

KeyCaller = AccountCaller | OperatorKeyCaller
"""Caller that was authenticated."""

Caller = KeyCaller | AnonymousCaller
"""Caller of an endpoint."""


class CallKey(NamedTuple):
    """`Idempotency-Key` of a call, with what it is valid for."""

    target: str
    """Method and real path."""
    key: str
    digest: bytes
    """Digest of query and body, the same for all that mean the same."""


class Request(msgspec.Struct, frozen=True):
    """Request to a service, by whatever way it came."""

    id: str
    """UUID, also of the ledger rows and of the answer."""
    caller: AccountCaller
    at: float
    """Time of admission, in seconds since the epoch."""
    key: CallKey | None = None
