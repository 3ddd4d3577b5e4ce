"""Usage endpoints, which share one window of 5 requests a minute (docs/reference/account.md#rate-limits)."""

from firmograph.accounts import usage
from firmograph.api.endpoint import Call, Endpoint
from firmograph.database.connection import Database
from firmograph.rate_limits.windows import RateLimiter


def routes(database: Database, limits: RateLimiter) -> list[Endpoint]:
    def get_account_usage(call: Call[None]) -> usage.Usage:
        return usage.account_usage(database.session(), limits, call.request.caller)

    def get_account_usage_legacy(call: Call[None]) -> usage.LegacyUsage:
        return usage.legacy_account_usage(database.session(), call.request.caller)

    return [
        Endpoint(
            name="get_account_usage",
            method="GET",
            path="/v3/account/usage",
            function=get_account_usage,
            answer=usage.Usage,
            summary="Credits, rate limits, plan and prices of the account",
            tags=("Account",),
            window="usage",
            description="Return credits, requests in the current windows (this one included), plan and prices."
            "\n\nA plan without an hourly window shows the daily one in its place. At most 5 requests a minute,"
            " together with the\nlegacy path.",
        ),
        Endpoint(
            name="get_account_usage_legacy",
            method="GET",
            path="/account/usage",
            function=get_account_usage_legacy,
            answer=usage.LegacyUsage,
            successor="/v3/account/usage",
            summary="Credits of the account (legacy)",
            tags=("Account",),
            window="usage",
            description="Return the credits by kind; the only kind is `credits`."
            "\n\nAt most 5 requests a minute, together with the current path.",
        ),
    ]
