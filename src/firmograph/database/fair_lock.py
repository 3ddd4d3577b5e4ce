"""A lock for threads under which nobody is passed over for long."""

import threading
import time
from collections import deque
from typing import Final, NamedTuple

PATIENCE_SECONDS: Final = 0.05
"""A thread that has waited for longer gets the next turn, before any that comes later."""


class _Waiting(NamedTuple):
    since: float
    woken: threading.Lock
    """Freed when there is a turn to be had."""


class Turns:
    """One thread at a time has the turn.

    A free turn goes to the first thread that asks, even if others wait: handing it to one that must wake takes time.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[_Waiting] = deque()

    def take(self, timeout: float) -> bool:
        """Wait for the turn; whether it came within so many seconds."""
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
            # the turn may have come free for this thread in the last moment, and nobody else was woken for it
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
    """With the guard held. One that was woken before, and is not awake yet, wakes once for both."""
    if one.woken.locked():
        one.woken.release()
