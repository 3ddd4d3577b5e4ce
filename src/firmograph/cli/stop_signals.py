"""Interrupts of long commands, without signal handlers.

A handler runs on the main thread between two of its instructions. If that thread holds the lock of an event at that
moment, setting the event in the handler waits for the lock without end.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_event() -> Iterator[threading.Event]:
    """Yield an event that an interrupt sets, while a thread waits for the signals and all others block them.

    Enter it before other threads start, as they inherit the blocked signals.
    """
    stopped, ended = threading.Event(), threading.Event()

    def wait() -> None:
        signal.sigwait(STOP_SIGNALS)
        stopped.set()
        ended.wait()

    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    thread = threading.Thread(target=wait, name="signals", daemon=True)
    thread.start()
    try:
        yield stopped
    finally:
        # to this thread alone, in case it still waits
        signal.pthread_kill(thread.ident or 0, signal.SIGTERM)
        ended.set()
        thread.join()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
