"""Page views of this process that wait to be written, in memory only, as they hold addresses."""

from collections import deque
from typing import Final, NamedTuple

_MOST: Final = 16_384
"""Page views that wait at once: more than a process takes in a second, in at most 70 MB."""


class ArrivedPageView(NamedTuple):
    """Page view with what the request says of its visitor."""

    origin: str
    """Header `Origin`."""
    url: str
    arrived_at: float
    at: int
    """Begin of the page view, in seconds since 1970-01-01 UTC."""
    address: str | None
    agent: str
    email_domain: str | None
    email_hash: str | None
    customer_id: str | None
    seconds: int | None
    """How long the page was looked at so far; None in the first message of a page view."""


class WaitingPageViews:
    """Queue of page views; one thread adds, another takes."""

    def __init__(self) -> None:
        self._queue: deque[ArrivedPageView] = deque()

    def add(self, arrived: ArrivedPageView) -> bool:
        """Add a page view; return False where the memory for them is full."""
        if len(self._queue) >= _MOST:
            return False
        self._queue.append(arrived)
        return True

    def take(self) -> list[ArrivedPageView]:
        """Take all that wait, in the order of their arrival."""
        return [self._queue.popleft() for _ in range(len(self._queue))]

    def put_back(self, arrived: list[ArrivedPageView]) -> None:
        """Put back what could not be written, in front."""
        self._queue.extendleft(reversed(arrived))
