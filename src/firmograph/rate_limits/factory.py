"""Factory of the rate limiter selected by the settings (docs/reference/account.md#where-limits-are-counted)."""

import structlog

from firmograph.api.metrics import Metrics
from firmograph.database.connection import Database
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.rate_limits import store
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.shared_memory import open_counter_file
from firmograph.rate_limits.windows import RateLimiter
from firmograph.settings import Settings

log = structlog.get_logger("firmograph.accounts")


def create_rate_limiter(
    settings: Settings, database: Database, clock: Clock, metrics: Metrics, shared: str | None = None
) -> RateLimiter:
    """Create the rate limiter of this process; `shared` is the counter file shared with the other workers.

    Raises Refused for a malformed Redis URL.
    """
    local = LocalRateLimiter(clock, open_counter_file(shared) if shared else None, settings.nodes)
    if not settings.redis_url:
        log.info(
            "rate limits are counted per server, across its workers; with several servers set FIRMOGRAPH_REDIS_URL to"
            " count them together, or FIRMOGRAPH_NODES to give each server its share",
            nodes=settings.nodes,
        )
        return local
    # imported here because loading the client takes a tenth of a second
    from firmograph.rate_limits.redis import RedisRateLimiter
    from firmograph.rate_limits.redis_counters import RedisCounters, connect

    try:
        client = connect(settings.redis_url)
    except ValueError:
        # the error text may contain the password
        raise Refused("FIRMOGRAPH_REDIS_URL: must be redis://HOST:PORT, rediss://... or unix://...") from None
    counters = RedisCounters(client, namespace=store.select_origin(database.session()))
    limits = RedisRateLimiter(counters, database, clock, local)
    metrics.watch(
        "firmograph_limits_shared",
        "1 while all servers count rate limits together, 0 while each applies its own share.",
        lambda: limits.shared,
        "livemin",
    )
    judged_locally = metrics.counter(
        "firmograph_limits_judged_locally", "Calls counted under this server's own share of the limits."
    )
    limits.count_local_call = judged_locally.inc
    log.info("rate limits are counted in Redis, across all servers")
    return limits
