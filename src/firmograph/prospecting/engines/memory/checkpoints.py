"""Keeping the index between starts: where its checkpoint lies, who may write it, what is done when it cannot be used.

The checkpoint lies beside the database file, and like it is its owner's alone. Many processes may read it; one at a
time makes or writes it, under a lock file that the system lets go when its holder dies.
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
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.rebuild import Told, rebuild
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.change_batches import catch_up, sizes

log = structlog.get_logger("firmograph.search")

MOST_DEAD: Final = 0.3
"""Above this share of dead documents the index is made anew."""
FAR: Final = 50_000
"""A checkpoint is no longer followed when it is more changes behind than this, and than half of all records."""
_LOOK_SECONDS: Final = 0.1


class Stopped(Exception):
    """Asked to stop while waiting."""


def _never() -> bool:
    return False


def _untold(done: int, total: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Renewed:
    """The index as the checkpoint now holds it."""

    engine: MemoryEngine
    rebuilt: bool
    """It was made from the records, not from an earlier checkpoint."""


class Keeper:
    """Reads, writes and renews the checkpoint of one database."""

    def __init__(self, database: Database, folder: str = "") -> None:
        file = database.companion
        self.path = (Path(folder) if folder else file.parent) / f"{file.name}.search"
        self._database = database
        self._lock_path = self.path.with_name(f"{self.path.name}.lock")

    def load(self) -> MemoryEngine | None:
        """The index as last written, if it is whole and of this database and format; else why not is logged."""
        session = self._database.session()
        try:
            engine = checkpoint.read(self.path, store.identity(session))
            behind = store.head(session) - engine.applied
            if behind < 0:
                raise checkpoint.Unusable("it is ahead of the database")
            if behind > max(FAR, sizes(self._database).all / 2):
                raise checkpoint.Unusable("it is so old that making another takes less time")
        except checkpoint.Unusable as reason:
            if self.path.exists():
                log.warning("the checkpoint of the search index cannot be used", reason=str(reason))
            return None
        except (ValueError, LookupError, TypeError):
            # whole, and still not as this release writes it: what was forgotten must not keep a server from starting
            log.exception("the checkpoint of the search index cannot be used")
            return None
        return engine

    def forget(self) -> None:
        """Remove the checkpoint, which is of another state of the database although it says of none other."""
        self.path.unlink(missing_ok=True)

    def save(self, engine: MemoryEngine, identity: str) -> bool:
        """Write the index in service, of the database of this identity, unless another process is at it.

        Searches wait while it is copied in memory, so it should be small.
        """
        try:
            with self.locked(wait=False) as held:
                if held:
                    checkpoint.write(engine, self.path, identity, in_service=True)
                return held
        except OSError as error:
            log.warning("the checkpoint of the search index was not written", reason=error.strerror)
            return False

    def renew(
        self,
        *,
        anew: bool = False,
        told: Told = lambda done, total: None,
        stopping: Callable[[], bool] = _never,
    ) -> Renewed:
        """Bring the checkpoint up to date: load it, or make the index anew, follow the changes, write it.

        Waits for another process that does the same, and then goes on from what that one wrote. It is made anew
        when asked, when it cannot be used, when too much of it is dead and when someone was deleted (suppressed) since
        it was written, so that nothing of them stays on the disk. Raises Stopped when it should end
        while it waits, OSError when the checkpoint cannot be written.
        """
        with self.locked(stopping=stopping):
            # asked before anything is read: if a backup takes the database's place meanwhile, this is still of the old
            identity = store.identity(self._database.session())
            loaded = None if anew else self.load()
            before = loaded.applied if loaded else -1
            if loaded is not None:
                self._catch_up(loaded, told)
            if loaded is not None and loaded.dead_share <= MOST_DEAD and not self._holds_deleted(before):
                engine, rebuilt = loaded, False
            else:
                engine, rebuilt = rebuild(self._database, told), True
                self._catch_up(engine)
            if rebuilt or engine.applied != before:
                checkpoint.write(engine, self.path, identity)
        return Renewed(engine, rebuilt)

    def _holds_deleted(self, applied: int) -> bool:
        """Whether someone was deleted since a place: an index from then has their words, even among the dead."""
        return bool(store.removed_since(self._database.session(), applied))

    def _catch_up(self, engine: MemoryEngine, told: Told = _untold) -> None:
        head, start = store.head(self._database.session()), engine.applied
        catch_up(engine, self._database, head, moved=lambda: told(engine.applied - start, head - start))

    @contextmanager
    def locked(self, *, wait: bool = True, stopping: Callable[[], bool] = _never) -> Iterator[bool]:
        """Hold the lock of the checkpoint; whether it was had, which without waiting it may not be."""
        handle = os.open(self._lock_path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            while not (held := _try_lock(handle)) and wait:
                if stopping():
                    raise Stopped
                time.sleep(_LOOK_SECONDS)
            yield held
        finally:
            os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
