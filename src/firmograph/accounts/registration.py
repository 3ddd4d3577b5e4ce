"""Registration of accounts: their management, authentication and usage."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.accounts.authentication import ApiKeyAuthenticator
    from firmograph.accounts.service import Accounts
    from firmograph.api.endpoint import Endpoint
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.accounts.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _accounts(installation: Installation) -> "Accounts":
    from firmograph.accounts.service import Accounts
    from firmograph.billing.plans import Plans

    return Accounts(installation.database, installation.get(Plans), installation.clock)


def _authenticator(installation: Installation) -> "ApiKeyAuthenticator":
    from firmograph.accounts.authentication import ApiKeyAuthenticator
    from firmograph.billing.plans import Plans
    from firmograph.rate_limits.windows import RateLimiter

    return ApiKeyAuthenticator(
        installation.database,
        installation.get(Plans),
        installation.get(RateLimiter),
        installation.settings.can_reveal,
    )


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.accounts.routes import routes
    from firmograph.rate_limits.windows import RateLimiter

    return routes(installation.database, installation.get(RateLimiter))


REGISTRATION = Registration(
    personal_data=_personal_data,
    services={
        "Accounts": _accounts,
        "ApiKeyAuthenticator": _authenticator,
    },
    endpoints=_endpoints,
)
