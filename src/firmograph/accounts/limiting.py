"""Where rate limits are counted, by the settings (decisions C, State)."""

import structlog

from firmograph.accounts.limits import Limits
from firmograph.accounts.local_limits import LocalLimits
from firmograph.accounts.shared_counters import attach
from firmograph.kit.clock import Clock
from firmograph.settings import Settings

log = structlog.get_logger("firmograph.accounts")


def make_limits(settings: Settings, clock: Clock, shared: str | None) -> Limits:
    """The limits of this process; `shared` is the file of counters that it shares with the other workers."""
    log.info(
        "rate limits are counted within this server, all its workers included; "
        "several servers need FIRMOGRAPH_REDIS_URL, or FIRMOGRAPH_NODES for a part of each limit",
        nodes=settings.nodes,
    )
    return LocalLimits(clock, attach(shared) if shared else None, settings.nodes)
