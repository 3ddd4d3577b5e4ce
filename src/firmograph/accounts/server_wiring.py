"""What a server needs of accounts: the check of API keys, and the endpoints."""

from collections.abc import Sequence
from typing import Final

from firmograph.accounts.authentication import ApiKeyAuthenticator
from firmograph.accounts.routes import routes
from firmograph.api.endpoint import Endpoint
from firmograph.billing.plans import Plans
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.rate_limits.windows import RateLimiter


def _authenticator(installation: Installation) -> ApiKeyAuthenticator:
    return ApiKeyAuthenticator(
        installation.database,
        installation.get(Plans),
        installation.get(RateLimiter),
        installation.settings.can_reveal,
    )


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.database, installation.get(RateLimiter))


SERVICES: Final[Services] = {ApiKeyAuthenticator: _authenticator}
SERVER: Final = ServerWiring(endpoints=_endpoints)
