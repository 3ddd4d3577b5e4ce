"""Parts of a server for accounts: the check of API keys, the counts of requests, and the endpoints."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

from firmograph.accounts.authentication import ApiKeyAuthenticator
from firmograph.accounts.request_counts import SAVE_SECONDS, RequestCounts
from firmograph.accounts.routes import routes
from firmograph.api.endpoint import Endpoint
from firmograph.billing.plans import Plans
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.kit.lifespans import saving_regularly
from firmograph.rate_limits.windows import RateLimiter


def _authenticator(installation: Installation) -> ApiKeyAuthenticator:
    return ApiKeyAuthenticator(
        installation.database,
        installation.get(Plans),
        installation.get(RateLimiter),
        installation.clock,
        installation.settings.can_reveal,
    )


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.database, installation.get(RateLimiter))


def _request_counts(installation: Installation) -> RequestCounts:
    return RequestCounts(installation.database, installation.clock)


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    return [saving_regularly("counts of requests", SAVE_SECONDS, installation.get(RequestCounts).save)]


SERVICES: Final[Services] = {ApiKeyAuthenticator: _authenticator, RequestCounts: _request_counts}
SERVER: Final = ServerWiring(endpoints=_endpoints, lifespans=_lifespans)
