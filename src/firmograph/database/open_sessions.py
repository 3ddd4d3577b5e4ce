"""Open sessions of a database, one for each thread that uses it."""

import threading
from contextlib import suppress

from firmograph.database.session import Session


class OpenSessions:
    """Sessions that are not closed yet, which are closed one after the other.

    Each thread closes its own when it ends. The embedded database moves its log into the file at the last close; if
    two connections were closed at once, each would leave that to the other, and so would a process that ends before
    the close in one of its threads has.
    """

    def __init__(self) -> None:
        # the end of a thread's session may be noticed at any point, so also while this thread holds the lock
        self._lock = threading.RLock()
        self._open: set[Session] = set()

    def add(self, session: Session) -> "ThreadEnd":
        """Add the session of a thread; return what closes it, for the thread to keep as long as it lives."""
        with self._lock:
            self._open.add(session)
        return ThreadEnd(self, session)

    def close(self, session: Session) -> None:
        """Close a session unless it is closed."""
        with self._lock:
            if session in self._open:
                self._open.discard(session)
                session.close()

    def close_all(self) -> None:
        """Close the sessions of all threads; return when none is open or being closed."""
        with self._lock:
            for session in list(self._open):
                self.close(session)


class ThreadEnd:
    """Value among the local ones of a thread, which go when it ends."""

    def __init__(self, sessions: OpenSessions, session: Session) -> None:
        self._sessions = sessions
        self._session = session

    def __del__(self) -> None:
        with suppress(Exception):
            self._sessions.close(self._session)
