"""Checkpoints: location, locking, loading, saving and renewal.

The checkpoint is stored next to the database file, readable by its owner only. Many processes may read it. One
process at a time builds or writes it, under a lock file that the system releases when its holder dies.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from firmograph.database.connection import Database
from firmograph.prospecting.engines.memory import checkpoint
from firmograph.prospecting.engines.memory.catch_up import catch_up
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.rebuild import ReportProgress, rebuild
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.change_batches import record_counts

log = structlog.get_logger("firmograph.search")

MAX_DEAD_SHARE: Final = 0.3
"""Share of dead documents above which the index is rebuilt."""
MAX_BEHIND: Final = 50_000
"""A checkpoint is not used if it is more changes behind than this, and than half of all records."""
_POLL_SECONDS: Final = 0.1


class StopRequested(Exception):
    """Raised when asked to stop while waiting."""


def _never() -> bool:
    return False


def _no_report(done: int, total: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class RenewedCheckpoint:
    """The index in the checkpoint after a renewal."""

    engine: MemoryEngine
    rebuilt: bool
    """Whether it was built from the records instead of an earlier checkpoint."""


class Checkpoints:
    """Reads, writes and renews the checkpoint of one database."""

    def __init__(self, database: Database, folder: str = "") -> None:
        file = database.companion
        self.path = (Path(folder) if folder else file.parent) / f"{file.name}.search"
        self._database = database
        self._lock_path = self.path.with_name(f"{self.path.name}.lock")

    def load(self) -> MemoryEngine | None:
        """Load the index, or log why the checkpoint is not usable and return None."""
        session = self._database.session()
        try:
            engine = checkpoint.read(self.path, store.identity(session))
            behind = store.head(session) - engine.applied
            if behind < 0:
                raise checkpoint.CheckpointUnusable("it is ahead of the database")
            if behind > max(MAX_BEHIND, record_counts(self._database).all / 2):
                raise checkpoint.CheckpointUnusable("a rebuild takes less time than following it")
        except checkpoint.CheckpointUnusable as reason:
            if self.path.exists():
                log.warning("checkpoint of the search index not usable", reason=str(reason))
            return None
        except (ValueError, LookupError, TypeError):
            # intact, but not as this release writes it: a forgotten change of format must not keep a server from
            # starting
            log.exception("checkpoint of the search index not usable")
            return None
        return engine

    def delete(self) -> None:
        """Remove a checkpoint of another state of the database that has the same identity."""
        self.path.unlink(missing_ok=True)

    def save(self, engine: MemoryEngine, identity: str) -> bool:
        """Write the index in service, for the database of this identity.

        Returns False if another process holds the lock. Searches wait while the index is copied, so it should be
        small.
        """
        try:
            with self.locked(wait=False) as locked:
                if locked:
                    checkpoint.write(engine, self.path, identity, in_service=True)
                return locked
        except OSError as error:
            log.warning("writing the checkpoint of the search index failed", reason=error.strerror)
            return False

    def renew(
        self,
        *,
        force_rebuild: bool = False,
        report: ReportProgress = lambda done, total: None,
        is_stopping: Callable[[], bool] = _never,
    ) -> RenewedCheckpoint:
        """Bring the checkpoint up to date: load or rebuild the index, follow the changes, write it.

        Waits for another process that does the same, and then continues from its result. The index is rebuilt on
        demand, if the checkpoint is not usable, if too many documents are dead, and if people were deleted
        (suppressed) since it was written, so that none of their data stays on disk. Raises Stopped if it should end
        while it waits, OSError if the checkpoint cannot be written.
        """
        with self.locked(is_stopping=is_stopping):
            # read first: if a backup replaces the database later, the identity is still that of the old one
            identity = store.identity(self._database.session())
            loaded = None if force_rebuild else self.load()
            previous = loaded.applied if loaded else -1
            if loaded is not None:
                self._catch_up(loaded, report)
            if (
                loaded is not None
                and loaded.dead_share <= MAX_DEAD_SHARE
                and not self._has_deleted_since(previous)
            ):
                engine, rebuilt = loaded, False
            else:
                engine, rebuilt = rebuild(self._database, report), True
                self._catch_up(engine)
            if rebuilt or engine.applied != previous:
                checkpoint.write(engine, self.path, identity)
        return RenewedCheckpoint(engine, rebuilt)

    def _has_deleted_since(self, applied: int) -> bool:
        """Check for deletions since a position.

        An index from that position holds data of the deleted people, even in dead documents.
        """
        return bool(store.removed_since(self._database.session(), applied))

    def _catch_up(self, engine: MemoryEngine, report: ReportProgress = _no_report) -> None:
        head, start = store.head(self._database.session()), engine.applied
        catch_up(
            engine, self._database, head, on_applied=lambda: report(engine.applied - start, head - start)
        )

    @contextmanager
    def locked(self, *, wait: bool = True, is_stopping: Callable[[], bool] = _never) -> Iterator[bool]:
        """Hold the lock of the checkpoint. Yields False if it is taken and `wait` is off."""
        handle = os.open(self._lock_path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            while not (locked := _try_lock(handle)) and wait:
                if is_stopping():
                    raise StopRequested
                time.sleep(_POLL_SECONDS)
            yield locked
        finally:
            os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
