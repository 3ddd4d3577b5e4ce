"""Log of outages of the database server: one line when it is lost and one when it is back.

Many threads and processes meet an outage. Those of one server log it once, and nothing about the work that it stopped.
Processes that do not ask for the log, such as commands, report their own failure.
"""

import os
import threading
from pathlib import Path
from typing import Final

import structlog

log = structlog.get_logger("firmograph.database")

_MARKER: Final = "database-away"


class _Log:
    """Where and whether this process logs outages."""

    is_on = False
    folder: Path | None = None
    """Folder of the processes that log an outage once together."""


def log_outages(folder: str | None = None) -> None:
    """Log outages from now on, once together with the other processes that share the folder."""
    _Log.is_on = True
    _Log.folder = Path(folder) if folder else None


class Outage:
    """Outages of one database server, as this process meets them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_away = False
        self.ended = 0
        """Number of outages that have ended."""

    def begin(self, ended: int, reason: BaseException) -> None:
        """Note a loss; one of a connection from before the last outage, when fewer had ended, is part of that one."""
        with self._lock:
            if self._is_away or ended != self.ended:
                return
            self._is_away = True
        if _Log.is_on and _mark():
            log.warning(
                "the database cannot be reached; work resumes by itself once it can",
                reason=type(reason).__name__,
            )

    def end(self) -> None:
        """Note that the database is reached."""
        if not self._is_away:
            return
        with self._lock:
            if not self._is_away:
                return
            self._is_away = False
            self.ended += 1
        if _Log.is_on and _unmark():
            log.info("the database is reached again")


def _mark() -> bool:
    """Return whether no process has marked this outage yet."""
    if _Log.folder is None:
        return True
    try:
        os.close(os.open(_Log.folder / _MARKER, os.O_CREAT | os.O_EXCL))
    except OSError:
        # it exists, or its folder was removed as the server ends
        return False
    return True


def _unmark() -> bool:
    """Return whether no process has noted the end of this outage yet."""
    if _Log.folder is None:
        return True
    try:
        (_Log.folder / _MARKER).unlink()
    except OSError:
        return False
    return True
