"""Authenticated caller of a request."""

import msgspec

from firmograph.billing.plans import Plan


class Caller(msgspec.Struct, frozen=True):
    """Admitted account with its plan and its form of `canReveal`, `names` or `priced`."""

    account_id: int
    plan: Plan
    can_reveal: str
