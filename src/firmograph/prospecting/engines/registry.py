"""Search engines by name, as `FIRMOGRAPH_SEARCH_ENGINE` chooses one."""

from typing import Final

from firmograph.kit.errors import Refused
from firmograph.prospecting.engines.factory import EngineFactory
from firmograph.prospecting.engines.memory.factory import MemoryEngineFactory
from firmograph.settings import Settings

ENGINES: Final[dict[str, EngineFactory]] = {"memory": MemoryEngineFactory()}


def engine_factory(settings: Settings) -> EngineFactory:
    """Return the factory of the engine in the settings. Raises Refused, naming the known ones, for another name."""
    factory = ENGINES.get(settings.search_engine)
    if factory is None:
        raise Refused(f"FIRMOGRAPH_SEARCH_ENGINE: must be one of {', '.join(sorted(ENGINES))}")
    return factory
