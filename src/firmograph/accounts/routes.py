"""The two usage paths, which share one window of 5 requests a minute (decisions, row 11)."""

from firmograph.accounts import usage
from firmograph.api.endpoint import Call, Endpoint, endpoint
from firmograph.database.connection import Database
from firmograph.rate_limits.windows import Limits


def routes(database: Database, limits: Limits) -> list[Endpoint]:
    @endpoint(
        "GET",
        "/v3/account/usage",
        answer=usage.Usage,
        summary="Credits, rate limits, plan and prices of the account",
        tags=("Account",),
        window="usage",
    )
    def get_account_usage(call: Call[None]) -> usage.Usage:
        """Credits granted, used and remaining; requests in the running windows, this one included; the plan
        and the price of each action. A plan without an hourly window shows the daily one in its place. At
        most 5 requests a minute, together with the legacy path."""
        return usage.usage(database.session(), limits, call.caller)

    @endpoint(
        "GET",
        "/account/usage",
        answer=usage.LegacyUsage,
        summary="Credits of the account (legacy)",
        tags=("Account",),
        window="usage",
    )
    def get_account_usage_legacy(call: Call[None]) -> usage.LegacyUsage:
        """Credits by kind; here there is one kind, `credits`. At most 5 requests a minute, together with the
        current path."""
        return usage.legacy_usage(database.session(), call.caller)

    return [get_account_usage, get_account_usage_legacy]
