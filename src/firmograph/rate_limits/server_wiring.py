"""What a server needs of rate limits: the limiter, and its counters over restarts."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.rate_limits.factory import create_rate_limiter
from firmograph.rate_limits.saving import save_counters
from firmograph.rate_limits.windows import RateLimiter


def _limiter(installation: Installation) -> RateLimiter:
    return create_rate_limiter(
        installation.settings,
        installation.database,
        installation.clock,
        installation.get(Metrics),
        installation.counter_file,
    )


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    return [save_counters(installation.get(RateLimiter), installation.database)]


SERVICES: Final[Services] = {RateLimiter: _limiter}
SERVER: Final = ServerWiring(lifespans=_lifespans)
