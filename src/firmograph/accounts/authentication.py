"""Authentication of requests by API key, with account state, rate limits and rate limit headers.

Each request reads key, account and plan with one SQL statement, so a revoked key, a disabled account or a changed plan
takes effect with the next request (docs/reference/requests.md#authentication).
"""

from dataclasses import dataclass

from firmograph.accounts import keys, store
from firmograph.accounts.types import KeyHolder
from firmograph.billing.plans import Plans
from firmograph.caller import ApiKeyCaller, Plan, Spender
from firmograph.database.connection import Database
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError, Forbidden, TooManyRequests, Unauthorized
from firmograph.rate_limits.windows import LimitHit, RateLimiter, WindowUsage

Headers = list[tuple[bytes, bytes]]


@dataclass(slots=True)
class ApiKeyAdmission:
    """Caller and refusal of a request; nine rate limit headers if the account is known."""

    caller: ApiKeyCaller | None
    """None if the account or its plan is not known; a known one may be refused."""
    headers: Headers
    refusal: FirmographError | None


class ApiKeyAuthenticator:
    """Authenticator of requests by their API key."""

    def __init__(
        self, database: Database, plans: Plans, limits: RateLimiter, clock: Clock, can_reveal: str = "names"
    ) -> None:
        self._database = database
        self._plans = plans
        self._limits = limits
        self._clock = clock
        self._can_reveal = can_reveal
        self._callers: dict[tuple[int, str, str, Spender, bool], ApiKeyCaller] = {}

    def admit(self, api_key: str | None, path_window: str | None) -> ApiKeyAdmission:
        """Admit or refuse one request; `path_window` names the rate limit window of the path, if it has one.

        Refusals, in this order: Unauthorized (not counted), Forbidden, TooManyRequests (not counted).
        """
        if not api_key:
            return ApiKeyAdmission(None, [], Unauthorized())
        holder = store.select_key_holder(self._database.session(), keys.hash_key(api_key))
        if holder is None:
            return ApiKeyAdmission(None, [], Unauthorized(_WRONG_KEY))
        if holder.expires_at is not None and holder.expires_at <= self._clock.seconds():
            return ApiKeyAdmission(None, [], Unauthorized(_EXPIRED_KEY))
        plan = self._plans.find(holder.plan)
        if plan is None:
            return ApiKeyAdmission(None, [], Forbidden(_NO_PLAN, errors=["plan not set up"]))
        usage, hit = self._limits.take(holder.account_id, plan, path_window)
        headers, caller = rate_limit_headers(plan, usage), self._caller(holder, plan)
        if not holder.active:
            return ApiKeyAdmission(caller, headers, Forbidden(_INACTIVE, errors=["account inactive"]))
        if hit is not None:
            return ApiKeyAdmission(caller, headers, rate_limit_refusal(hit))
        return ApiKeyAdmission(caller, headers, None)

    def _caller(self, holder: KeyHolder, plan: Plan) -> ApiKeyCaller:
        can_reveal = holder.can_reveal or self._can_reveal
        spender = Spender(holder.prefix, holder.daily_credits)
        waterfall = bool(holder.has_providers) and plan.features["waterfall"]
        key = (holder.account_id, plan.name, can_reveal, spender, waterfall)
        caller = self._callers.get(key)
        if caller is None:
            caller = self._callers[key] = ApiKeyCaller(
                holder.account_id, plan, can_reveal, spender, waterfall
            )
        return caller


_WRONG_KEY = "Unauthorized: the key in the header api_key is not valid"
_EXPIRED_KEY = "Unauthorized: the key in the header api_key has expired"
_INACTIVE = "Forbidden: the account is inactive; ask the operator of this service to enable it"
_NO_PLAN = "Forbidden: the account's plan is not configured on this service; ask its operator"

_NUMBERS = [b"%d" % number for number in range(4096)]


def _encode_number(value: int) -> bytes:
    return _NUMBERS[value] if 0 <= value < 4096 else b"%d" % value


def rate_limit_headers(plan: Plan, usage: WindowUsage) -> Headers:
    """Return the nine rate limit headers; a plan without an hourly window repeats the daily one.

    See docs/reference/account.md#rate-limits.
    """
    minute, day = plan.minute, plan.day
    hour, hour_used = (day, usage.day) if plan.hour is None else (plan.hour, usage.hour)
    return [
        (b"x-rate-limit-minute", _encode_number(minute)),
        (b"x-minute-requests-left", _encode_number(max(0, minute - usage.minute))),
        (b"x-minute-usage", _encode_number(usage.minute)),
        (b"x-rate-limit-hourly", _encode_number(hour)),
        (b"x-hourly-requests-left", _encode_number(max(0, hour - hour_used))),
        (b"x-hourly-usage", _encode_number(hour_used)),
        (b"x-rate-limit-daily", _encode_number(day)),
        (b"x-daily-requests-left", _encode_number(max(0, day - usage.day))),
        (b"x-daily-usage", _encode_number(usage.day)),
    ]


_SENTENCES = {
    "second": "Too many requests: at most {limit} in any second",
    "minute": "Minute limit exceeded: {limit} requests a minute",
    "hour": "Hourly limit exceeded: {limit} requests an hour",
    "day": "Daily quota exceeded: {limit} requests a day",
}
_OTHER = "Too many requests: at most {limit} a minute to this path and those that share its limit"


def rate_limit_refusal(hit: LimitHit) -> TooManyRequests:
    """Return the 429 of an exceeded window, with the seconds until it resets."""
    error = TooManyRequests(retry_after=hit.seconds)
    seconds = "1 second" if error.retry_after == 1 else f"{error.retry_after} seconds"
    sentence = _SENTENCES.get(hit.window, _OTHER).format(limit=hit.limit)
    return TooManyRequests(f"{sentence}; resets in {seconds}", retry_after=hit.seconds)
