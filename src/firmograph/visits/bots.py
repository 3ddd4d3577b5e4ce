"""Bots among the visitors, by the agent that they name."""

from functools import lru_cache
from typing import Final

_LONGEST: Final = 512
"""Characters of an agent that are looked at."""
_CACHED: Final = 16_384
"""Agents whose answer is kept in memory: a look-up of one that is no bot takes hundreds of microseconds."""


def is_bot(agent: str | None) -> bool:
    """Return whether a user agent is that of a bot; so is one that is absent, blank or `-`."""
    return not agent or _is_bot(agent[:_LONGEST])


@lru_cache(_CACHED)
def _is_bot(agent: str) -> bool:
    # loaded at the first agent: its patterns take a command longer than many need in all
    from crawleruseragents import is_crawler

    return not agent.strip(" -") or bool(is_crawler(agent))
