"""Authentication of requests to `/admin` by an operator's key, with rate limits of the key."""

from typing import Final, NamedTuple

from firmograph.accounts.authentication import Headers, rate_limit_refusal
from firmograph.accounts.keys import hash_key
from firmograph.admin import store
from firmograph.caller import OperatorKeyCaller, Plan
from firmograph.database.connection import Database
from firmograph.kit.errors import FirmographError, Unauthorized
from firmograph.rate_limits.windows import OPERATOR_KEYS, OPERATOR_SECOND, RateLimiter

_LIMITS: Final = Plan(
    name="operator",
    category="",
    renewal="none",
    second=OPERATOR_SECOND,
    minute=600,
    hour=None,
    day=1_000_000_000,
    prices={},
    features={},
)
_MISSING: Final = "Unauthorized: send an operator's key in the header operator_key"
_WRONG: Final = "Unauthorized: the key in the header operator_key is not valid"


class OperatorAdmission(NamedTuple):
    """Caller and refusal of a request."""

    caller: OperatorKeyCaller | None
    headers: Headers
    refusal: FirmographError | None


class OperatorAuthenticator:
    """Authenticator of requests by an operator's key."""

    def __init__(self, database: Database, limits: RateLimiter) -> None:
        self._database = database
        self._limits = limits

    def admit(self, operator_key: str | None, path_window: str | None) -> OperatorAdmission:
        """Admit or refuse one request: Unauthorized (not counted), then TooManyRequests (not counted)."""
        if not operator_key:
            return OperatorAdmission(None, [], Unauthorized(_MISSING))
        found = store.select_valid_key(self._database.session(), hash_key(operator_key))
        if found is None:
            return OperatorAdmission(None, [], Unauthorized(_WRONG))
        number, prefix = found
        _, hit = self._limits.take(OPERATOR_KEYS + number, _LIMITS, None)
        refusal = None if hit is None else rate_limit_refusal(hit)
        return OperatorAdmission(OperatorKeyCaller(prefix), [], refusal)
