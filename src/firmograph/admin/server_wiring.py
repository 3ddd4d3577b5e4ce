"""Parts of a server for `/admin`: the check of operators' keys, and the endpoints, if they are served."""

from collections.abc import Sequence
from typing import Final

from firmograph.accounts.service import Accounts
from firmograph.accounts.usage_report import UsageReports
from firmograph.admin.authentication import OperatorAuthenticator
from firmograph.admin.routes import routes
from firmograph.admin.service import AccountAdministration
from firmograph.api.endpoint import Endpoint
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.rate_limits.windows import RateLimiter


def _authenticator(installation: Installation) -> OperatorAuthenticator:
    return OperatorAuthenticator(installation.database, installation.get(RateLimiter))


def _administration(installation: Installation) -> AccountAdministration:
    return AccountAdministration(
        installation.database,
        installation.get(Accounts),
        installation.get(UsageReports),
        installation.clock,
        installation.settings.idempotency_hours,
    )


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    settings = installation.settings
    if not settings.admin_api:
        # paths of nobody: the same 404 as all others
        return ()
    return routes(installation.get(AccountAdministration), max_body_bytes=settings.max_body_bytes)


SERVICES: Final[Services] = {
    OperatorAuthenticator: _authenticator,
    AccountAdministration: _administration,
}
SERVER: Final = ServerWiring(endpoints=_endpoints)
