"""Who makes a request, as every capability sees them."""

import msgspec

from firmograph.billing.plans import Plan


class Caller(msgspec.Struct, frozen=True):
    """An admitted account: its plan and the form of `canReveal` it reads, `names` or `priced`."""

    account_id: int
    plan: Plan
    can_reveal: str
