"""Lock for threads that starves none of them."""

import threading
import time
from collections import deque
from typing import Final, NamedTuple

PATIENCE_SECONDS: Final = 0.05
"""Wait after which a thread gets the next turn before later arrivals."""


class _Waiting(NamedTuple):
    since: float
    woken: threading.Lock
    """Released when a turn may be free."""


class Turns:
    """Turns of threads, one thread at a time.

    A free turn goes to the first thread that asks, even if others wait, as waking a thread takes time.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[_Waiting] = deque()

    def take(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds for the turn; return whether this thread has it."""
        now = time.monotonic()
        one = _Waiting(now, threading.Lock())
        one.woken.acquire()
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            self._waiting.append(one)
        while one.woken.acquire(timeout=max(0.0, now + timeout - time.monotonic())):
            with self._guard:
                if one not in self._waiting:
                    return True
                if not self._taken:
                    self._waiting.remove(one)
                    self._taken = True
                    return True
        with self._guard:
            if one not in self._waiting:
                return True
            self._waiting.remove(one)
            # the turn may have become free in the last moment, with this thread alone woken for it
            came, self._taken = not self._taken, True
            return came

    def give(self) -> None:
        with self._guard:
            if not self._waiting:
                self._taken = False
            elif time.monotonic() - self._waiting[0].since > PATIENCE_SECONDS:
                _wake(self._waiting.popleft())
            else:
                self._taken = False
                _wake(self._waiting[0])


def _wake(one: _Waiting) -> None:
    """Wake a thread, with the guard held; one that has been woken but does not run yet is left alone."""
    if one.woken.locked():
        one.woken.release()
