"""Open sessions of a database, one for each thread that uses it."""

import threading

from firmograph.database.session import Session


class OpenSessions:
    """Sessions that are not closed yet, which are closed one after the other.

    The session of a thread that has ended is closed when the next thread opens one, and not by the garbage collector:
    it may run in any thread, also one that the end of the process has stopped while it held a lock. The embedded
    database moves its log into the file at the last close; if two connections were closed at once, each would leave
    that to the other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[Session, threading.Thread] = {}

    def add(self, session: Session) -> None:
        """Add the session of the current thread; close those of threads that have ended."""
        with self._lock:
            for other in [each for each, thread in self._threads.items() if not thread.is_alive()]:
                self._close(other)
            self._threads[session] = threading.current_thread()

    def close_all(self) -> None:
        """Close the sessions of all threads; return when none is open or being closed."""
        with self._lock:
            for session in list(self._threads):
                self._close(session)

    def _close(self, session: Session) -> None:
        del self._threads[session]
        session.close()
