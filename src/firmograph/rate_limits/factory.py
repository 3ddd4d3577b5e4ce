"""Where rate limits are counted, by the settings (decisions C, State)."""

import structlog

from firmograph.api.metrics import Metrics
from firmograph.billing import request_store as store
from firmograph.database.connection import Database
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.rate_limits.local import LocalLimits
from firmograph.rate_limits.shared_memory import attach
from firmograph.rate_limits.windows import Limits
from firmograph.settings import Settings

log = structlog.get_logger("firmograph.accounts")


def make_limits(
    settings: Settings, database: Database, clock: Clock, metrics: Metrics, shared: str | None = None
) -> Limits:
    """The limits of this process; `shared` is the file of counters that it shares with the other workers.

    Raises Refused when the setting names no Redis.
    """
    local = LocalLimits(clock, attach(shared) if shared else None, settings.nodes)
    if not settings.redis_url:
        log.info(
            "rate limits are counted within this server, all its workers included; to count them for several "
            "servers together set FIRMOGRAPH_REDIS_URL, or let each admit its part by FIRMOGRAPH_NODES",
            nodes=settings.nodes,
        )
        return local
    # the client takes a tenth of a second to load, which commands and servers without Redis need not spend
    from firmograph.rate_limits.redis import RedisLimits
    from firmograph.rate_limits.redis_counters import RedisCounters, connect

    try:
        client = connect(settings.redis_url)
    except ValueError:
        # its text may hold the password
        raise Refused("FIRMOGRAPH_REDIS_URL: must be redis://HOST:PORT, rediss://... or unix://...") from None
    counters = RedisCounters(client, namespace=store.origin(database.session()))
    limits = RedisLimits(counters, database, clock, local)
    limits.judged_locally = metrics.watch_limits(lambda: limits.shared)
    log.info("rate limits are counted in Redis by all servers together")
    return limits
