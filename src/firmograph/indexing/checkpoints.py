"""Checkpoints: location, locking, loading, saving and renewal.

A checkpoint is stored next to the database file, readable by its owner only. Many processes may read it. One
process at a time builds or writes it, under a lock file that the system releases when its holder dies.
"""

import fcntl
import glob
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple

import structlog

from firmograph.database.connection import Database
from firmograph.indexing import checkpoint_file, store
from firmograph.indexing.all_records import AllRecords, ReportProgress, record_counts
from firmograph.indexing.catch_up import catch_up
from firmograph.indexing.checkpoint_file import CheckpointUnusable, CheckpointWriter
from firmograph.indexing.index_kind import I, IndexKind
from firmograph.kit.errors import Refused
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.kit.worker_process import Report

log = structlog.get_logger("firmograph.indexing")

MAX_DEAD_SHARE: Final = 0.3
"""Share of an index that a rebuild would save, above which it is rebuilt."""
MAX_BEHIND: Final = 50_000
"""A checkpoint is not used if it is more changes behind than this, and than half of all records."""
MAX_FOLLOWED: Final = 5_000
"""Changes after the checkpoint above which a command renews it first, with a progress bar."""
_POLL_SECONDS: Final = 0.1


class StopRequested(Exception):
    """Raised when asked to stop while waiting."""


def _never() -> bool:
    return False


def _no_report(done: int, total: int) -> None:
    pass


class StoredIndex(NamedTuple):
    """Checkpoint of an index on this machine."""

    name: str
    path: Path
    bytes: int
    behind: int
    """Changes of the database that it lacks; a command or server that loads it follows them."""
    written_at: float


def stored_indexes(database: Database, folder: str = "") -> list[StoredIndex]:
    """Return the checkpoints of a database in a folder, by default next to it, without loading them."""
    file = database.companion
    state = store.sequence_state(database.session())
    found = []
    for path in sorted((Path(folder) if folder else file.parent).glob(f"{glob.escape(file.name)}.*")):
        try:
            stored = checkpoint_file.read_state(path)
        except CheckpointUnusable:
            continue
        if stored.identity == state.identity:
            name = path.name.removeprefix(f"{file.name}.")
            behind = max(0, state.head - stored.applied)
            found.append(StoredIndex(name, path, stored.bytes, behind, stored.written_at))
    return found


def build_index(kind: IndexKind[I], database: Database, report: ReportProgress = _no_report) -> I:
    """Return an index of all records, at the position where the sequence ended before reading began.

    Following the sequence from there completes it. Exceptions of `report` are passed on.
    """
    records = AllRecords(database, report)
    with gc_disabled():
        index = kind.build(records)
        records.report_end()
    return index


def write_checkpoint(kind: IndexKind[I], index: I, path: Path, identity: str) -> None:
    """Write an index to a file. Raises OSError and leaves no partial file under the name."""
    content = CheckpointWriter()
    kind.save(index, content)
    content.write(path, kind.format, identity, index.applied)


def read_checkpoint(kind: IndexKind[I], path: Path, identity: str) -> I:
    """Load an index from a file. Raises CheckpointUnusable if there is none usable for this database."""
    return checkpoint_file.read(path, kind.format, identity, kind.load)


class RenewedCheckpoint(NamedTuple, Generic[I]):
    """The index in the checkpoint after a renewal."""

    built: I
    rebuilt: bool
    """Whether it was built from the records instead of an earlier checkpoint."""


class Checkpoints(Generic[I]):
    """Reads, writes and renews the checkpoint of one index of one database."""

    def __init__(self, kind: IndexKind[I], database: Database, folder: str = "") -> None:
        file = database.companion
        self.path = (Path(folder) if folder else file.parent) / f"{file.name}.{kind.name}"
        self.folder = folder
        self.kind = kind
        self._database = database
        self._lock_path = self.path.with_name(f"{self.path.name}.lock")

    def load(self) -> I | None:
        """Load the index, or log why the checkpoint is not usable and return None."""
        session = self._database.session()
        try:
            index = read_checkpoint(self.kind, self.path, store.identity(session))
            behind = store.head(session) - index.applied
            if behind < 0:
                raise CheckpointUnusable("it is ahead of the database")
            if behind > max(MAX_BEHIND, record_counts(self._database).all / 2):
                raise CheckpointUnusable("a rebuild takes less time than following it")
        except CheckpointUnusable as reason:
            if self.path.exists():
                log.warning(f"checkpoint of the {self.kind.name} index not usable", reason=str(reason))
            return None
        except (ValueError, LookupError, TypeError):
            # intact, but not as this release writes it: a forgotten change of format must not keep a server from
            # starting
            log.exception(f"checkpoint of the {self.kind.name} index not usable")
            return None
        return index

    def delete(self) -> None:
        """Remove a checkpoint of another state of the database that has the same identity."""
        self.path.unlink(missing_ok=True)

    def save(self, index: I, identity: str) -> bool:
        """Write an index that no thread changes, for the database of this identity.

        Returns False if another process holds the lock, or has deleted records since. The caller waits for the disk, so
        the index should be small.
        """
        try:
            with self.locked(wait=False) as locked:
                # the deletion may have written the checkpoint already, and would not look at it again
                if locked and self.has_deleted_since(index.applied):
                    return False
                if locked:
                    write_checkpoint(self.kind, index, self.path, identity)
                return locked
        except OSError as error:
            log.warning(f"writing the checkpoint of the {self.kind.name} index failed", reason=error.strerror)
            return False

    def renew(
        self,
        *,
        force_rebuild: bool = False,
        report: ReportProgress = _no_report,
        is_stopping: Callable[[], bool] = _never,
    ) -> RenewedCheckpoint[I]:
        """Bring the checkpoint up to date: load or rebuild the index, follow the changes, write it.

        Waits for another process that does the same, and then continues from its result. The index is rebuilt on
        demand, if the checkpoint is not usable or outdated, if much of it is dead, and if records were deleted
        since it was written, so that none of their data stays on disk. Raises StopRequested if it should
        end while it waits, OSError if the checkpoint cannot be written.
        """
        with self.locked(is_stopping=is_stopping):
            # read first: if a backup replaces the database later, the identity is still that of the old one
            identity = store.identity(self._database.session())
            loaded = None if force_rebuild else self.load()
            previous = loaded.applied if loaded else -1
            if loaded is not None and not self.is_outdated(loaded):
                self._catch_up(loaded, report)
            if (
                loaded is not None
                and not self.is_outdated(loaded)
                and self.kind.dead_share(loaded) <= MAX_DEAD_SHARE
                and not self.has_deleted_since(previous)
            ):
                index, rebuilt = loaded, False
            else:
                index, rebuilt = build_index(self.kind, self._database, report), True
                self._catch_up(index)
            if rebuilt or index.applied != previous:
                write_checkpoint(self.kind, index, self.path, identity)
        return RenewedCheckpoint(index, rebuilt)

    def open(self, report: ReportProgress) -> I:
        """Return the index as of now, for a command. Raises Refused, with why, if the checkpoint cannot be written."""
        try:
            return self.up_to_date(MAX_FOLLOWED, report)
        except OSError as error:
            raise Refused(
                f"The {self.kind.name} index cannot be written to {self.path}: {error.strerror}"
            ) from error

    def up_to_date(self, max_behind: int, report: ReportProgress) -> I:
        """Return the index as of now: the checkpoint and at most so many later changes, otherwise a renewed one.

        Raises OSError if the checkpoint cannot be written.
        """
        index, head = self.load(), store.head(self._database.session())
        if index is None or head - index.applied > max_behind or self.is_outdated(index):
            return self.renew(report=report).built
        catch_up(self.kind, index, self._database, head)
        return index

    def is_outdated(self, index: I) -> bool:
        """Check whether the database has what the index should be built with instead."""
        return self.kind.is_outdated(index, self._database.session())

    def has_deleted_since(self, applied: int) -> bool:
        """Check for deletions since a position.

        An index from that position may hold data of the deleted records, even where it no longer shows them.
        """
        return any(store.removed_since(self._database.session(), applied))

    def _catch_up(self, index: Any, report: ReportProgress = _no_report) -> None:
        head, start = store.head(self._database.session()), index.applied

        def on_applied() -> None:
            report(index.applied - start, head - start)

        catch_up(self.kind, index, self._database, head, on_applied=on_applied)

    @contextmanager
    def locked(self, *, wait: bool = True, is_stopping: Callable[[], bool] = _never) -> Iterator[bool]:
        """Hold the lock of the checkpoint, whose folder is made. Yields False if it is taken and `wait` is off."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._lock_path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            while not (locked := _try_lock(handle)) and wait:
                if is_stopping():
                    raise StopRequested
                time.sleep(_POLL_SECONDS)
            yield locked
        finally:
            os.close(handle)


def renew_checkpoint(report: Report, kind: IndexKind[Any], url: str, folder: str) -> int:
    """Renew a checkpoint in a process of its own. Return the position that it reached."""
    database = Database(url)
    try:
        applied: int = Checkpoints(kind, database, folder).renew(report=report).built.applied
        return applied
    finally:
        database.close()


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
