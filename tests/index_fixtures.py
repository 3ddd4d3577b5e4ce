"""Waits for the search index of a server in this process."""

import time

from firmograph.prospecting.indexing.active_engine import SearchIndex


def is_applied(index: SearchIndex, sequence: int, seconds: float) -> bool:
    """Wait until the engine in service has applied a position. Return False on timeout."""
    deadline = time.monotonic() + seconds
    while index.state != "ready" or index.applied < sequence:
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True
