"""Waits for indexes of this process, and followers of the search index."""

import threading
import time
from typing import Any

from firmograph.database.connection import Database
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.indexing.follower import IndexFollower
from firmograph.indexing.local_index import LocalIndex, Tuning
from firmograph.kit.clock import Clock
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH


def is_applied(index: ActiveIndex[Any], sequence: int, seconds: float) -> bool:
    """Wait until the index in service has applied a position. Return False on timeout."""
    deadline = time.monotonic() + seconds
    while index.state != "ready" or index.applied < sequence:
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True


def in_index_thread() -> bool:
    """Return whether the current thread follows changes or builds an index, so that no request waits for it."""
    name = threading.current_thread().name
    return name == "indexes" or name.endswith("-index")


def search_checkpoints(database: Database, folder: str = "") -> Checkpoints[MemoryEngine]:
    return Checkpoints(MEMORY_SEARCH, database, folder)


def search_follower(
    database: Database, active: ActiveIndex[Any], clock: Clock, **thresholds: float
) -> IndexFollower:
    """Return a follower of the search index alone."""
    index = LocalIndex(MEMORY_SEARCH, database, clock, tuning=Tuning(**thresholds), active=active)
    return IndexFollower(database, clock, [index])


def settle(following: IndexFollower) -> None:
    """Step until there is nothing more to do, background work included."""
    while True:
        more = following.step()
        work = [index.work for index in following.indexes if index.work is not None]
        for each in work:
            each.exception(timeout=60)
        if not more and not work:
            return
