"""Usage endpoints, which share one window of 5 requests a minute (docs/reference/account.md#rate-limits)."""

from firmograph.accounts import usage
from firmograph.api.endpoint import Call, Endpoint, endpoint
from firmograph.database.connection import Database
from firmograph.rate_limits.windows import RateLimiter


def routes(database: Database, limits: RateLimiter) -> list[Endpoint]:
    @endpoint(
        "GET",
        "/v3/account/usage",
        answer=usage.Usage,
        summary="Credits, rate limits, plan and prices of the account",
        tags=("Account",),
        window="usage",
    )
    def get_account_usage(call: Call[None]) -> usage.Usage:
        """Return credits, requests in the current windows (this one included), plan and prices.

        A plan without an hourly window shows the daily one in its place. At most 5 requests a minute, together with the
        legacy path.
        """
        return usage.account_usage(database.session(), limits, call.request.caller)

    @endpoint(
        "GET",
        "/account/usage",
        answer=usage.LegacyUsage,
        successor="/v3/account/usage",
        summary="Credits of the account (legacy)",
        tags=("Account",),
        window="usage",
    )
    def get_account_usage_legacy(call: Call[None]) -> usage.LegacyUsage:
        """Return the credits by kind; the only kind is `credits`.

        At most 5 requests a minute, together with the current path.
        """
        return usage.legacy_account_usage(database.session(), call.request.caller)

    return [get_account_usage, get_account_usage_legacy]
