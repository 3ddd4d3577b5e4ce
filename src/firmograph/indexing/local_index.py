"""Local index: one index of this process, from its preparation to the change-over to its replacement.

See docs/reference/prospecting.md#freshness-and-loading.

Building, loading and renewing happen in a thread or another process; the index in service answers until its
replacement has caught up. Checkpoints are written in between.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple

import structlog

from firmograph.database.connection import Database
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.all_records import record_counts
from firmograph.indexing.build_progress import BuildProgress
from firmograph.indexing.checkpoints import (
    MAX_DEAD_SHARE,
    Checkpoints,
    StopRequested,
    build_index,
    renew_checkpoint,
)
from firmograph.indexing.index_kind import I, IndexKind
from firmograph.kit.clock import Clock
from firmograph.kit.worker_process import ProcessFailed, ProcessStopped, run_in_process

log = structlog.get_logger("firmograph.indexing")

_NICENESS: Final = 5
"""Priority that processes of indexes yield on a busy machine, as counted by `nice`."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Thresholds in records, changes and seconds.

    A checkpoint is written after `checkpoint_changes` changes that are at least `checkpoint_share` of the records,
    but at most every `checkpoint_seconds`; or after `idle_seconds` for at least `idle_changes` changes.
    """

    small_index: int = 50_000
    """Up to this many records all work is done in this process."""
    checkpoint_changes: int = 10_000
    checkpoint_share: float = 0.02
    checkpoint_seconds: float = 60.0
    idle_changes: int = 1_000
    """A small index with this many changes is also written when the server ends."""
    idle_seconds: float = 600.0
    outdated_seconds: float = 2.0
    """Pause after which an index is checked again for being outdated."""
    failed_seconds: float = 600.0
    """The same after its replacement failed, which may take minutes of a processor."""


class _Result(NamedTuple, Generic[I]):
    """Result of work in the background."""

    built: I | None
    """Index to bring into service; None if only the checkpoint was renewed."""
    checkpoint_applied: int | None
    """Position of the checkpoint; None if it is the one of before."""


class LocalIndex(Generic[I]):
    """Prepares an index, replaces it when it is worn, and keeps its checkpoint, step by step.

    All methods are called by the follower's thread.
    """

    def __init__(
        self,
        kind: IndexKind[I],
        database: Database,
        clock: Clock,
        folder: str = "",
        tuning: Tuning | None = None,
        active: ActiveIndex[Any] | None = None,
    ) -> None:
        self.form = kind
        self.active: ActiveIndex[Any] = active or ActiveIndex()
        self._database = database
        self._clock = clock
        self._checkpoints = Checkpoints(kind, database, folder)
        self._tuning = tuning or Tuning()
        self._stop = threading.Event()
        self._current: I | None = None
        """Index in service."""
        self._next: I | None = None
        """Index that comes into service once it has reached the goal."""
        self._goal = 0
        self._head = 0
        self._identity: str | None = None
        """Identity of the indexed database; None before it is first read."""
        self.work: Future[_Result[I]] | None = None
        """Loading, building or renewing in the background; None while there is none."""
        self.on_work_done: Callable[[], None] = lambda: None
        """Called, in another thread, when there is work to finish."""
        self._checkpoint_applied = 0
        """Position of the checkpoint; 0 if there is none."""
        self._checkpoint_at = clock.seconds()
        self._check_at = clock.seconds() + self._tuning.outdated_seconds
        """Time from which the index is checked for being outdated."""

    @property
    def copies(self) -> list[I]:
        """What follows the changes: the index in service, and the one that will replace it."""
        return [copy for copy in (self._current, self._next) if copy is not None]

    def set_head(self, head: int, identity: str) -> None:
        """Set the end of the change sequence, and the identity of the database it belongs to."""
        self._head, self._identity = head, identity
        self.active.head = head

    def maintain(self) -> None:
        """Finish what is done in the background, and start what is due; never wait for it."""
        self._finish_work()
        self._serve_next()
        if self.work is not None or self._next is not None:
            return
        if self._current is None:
            self._start_work(self._prepare)
        elif not self._replace_outdated(self._current):
            self._update_checkpoint(self._current)

    def start_over(self, *, is_lost: bool) -> None:
        """Discard everything: record numbers and positions have another meaning in the new state of the database.

        `is_lost` if the new state has the identity of the old one, but lacks positions of it.
        """
        if is_lost:
            self._checkpoints.delete()
        self.active.withdraw()
        self._current = self._next = self._identity = self.work = None
        self._checkpoint_applied = self._head = self.active.head = 0

    def stop(self) -> None:
        """End the work in the background, and any process that does it."""
        self._stop.set()
        if (work := self.work) is not None:
            work.exception()

    def save_at_end(self) -> None:
        """Write a small index at the end if that saves the next start some work."""
        index = self._current
        if index is None or self._checkpoints.has_deleted_since(self._checkpoint_applied):
            return
        if index.applied - self._checkpoint_applied >= self._tuning.idle_changes and self._is_small():
            self._save(index)

    # --- work in the background ---

    def _start_work(self, work: Callable[[], _Result[I]]) -> None:
        future: Future[_Result[I]] = Future()
        self.work = future

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
            self.on_work_done()

        threading.Thread(target=run, name=f"{self.form.name}-index", daemon=True).start()

    def _finish_work(self) -> None:
        """Let a finished index catch up. Raises what ended its work, except that a checkpoint was not renewed."""
        if self.work is None or not self.work.done():
            return
        work, self.work = self.work, None
        self._checkpoint_at = self._clock.seconds()
        try:
            self._next, applied = work.result()
        except (StopRequested, ProcessStopped):
            return
        except ProcessFailed as error:
            log.warning(f"renewing the checkpoint of the {self.form.name} index failed", reason=str(error))
            self._check_at = self._clock.seconds() + self._tuning.failed_seconds
            return
        self._goal = self._head
        if applied is not None:
            self._checkpoint_applied = applied

    def _serve_next(self) -> None:
        if self._next is None or self._next.applied < self._goal:
            return
        first = self._current is None
        self._current, self._next = self._next, None
        self.active.serve(self._current)
        event = "ready" if first else "replaced"
        log.info(f"{self.form.name} index {event}", applied=self._current.applied, head=self._head)

    def _prepare(self) -> _Result[I]:
        """Return the index of the checkpoint, otherwise build it."""
        self.active.set_preparation("loading")
        self.form.warm_up()
        index = self._checkpoints.load()
        # a large index is replaced while the outdated one answers
        if index is not None and not (self._is_small() and self._checkpoints.is_outdated(index)):
            return _Result(index, index.applied)
        return self._build()

    def _build(self) -> _Result[I]:
        self.active.set_preparation("rebuilding")
        if not self._is_small():
            try:
                result = self._renew(swap=True)
                if result.built is not None:
                    return result
            except ProcessFailed as error:
                log.warning(
                    f"building the {self.form.name} index in another process failed; it is built in this one",
                    reason=str(error),
                )
        return self._rebuild()

    def _rebuild(self) -> _Result[I]:
        with self._progress() as progress:
            return _Result(build_index(self.form, self._database, progress.report), None)

    def _renew(self, *, swap: bool) -> _Result[I]:
        """Renew the checkpoint in another process; with `swap`, return the index loaded from it."""
        with self._progress() as progress:
            applied = run_in_process(
                renew_checkpoint,
                self.form,
                self._database.url,
                self._checkpoints.folder,
                name=self.form.name,
                niceness=_NICENESS,
                on_progress=progress.report,
                is_stopping=self._stop.is_set,
            )
        return _Result(self._checkpoints.load() if swap else None, applied)

    def _is_small(self) -> bool:
        return record_counts(self._database).all <= self._tuning.small_index

    def _progress(self) -> BuildProgress:
        return BuildProgress(
            self.form.name, self.active, self._clock, self._tuning.small_index, self._stop.is_set
        )

    # --- the replacement and the checkpoint ---

    def _replace_outdated(self, index: I) -> bool:
        """Start the replacement of an outdated index. Return whether it was."""
        now = self._clock.seconds()
        if now < self._check_at:
            return False
        self._check_at = now + self._tuning.outdated_seconds
        if is_outdated := self._checkpoints.is_outdated(index):
            self._replace(small=self._is_small())
        return is_outdated

    def _replace(self, *, small: bool) -> None:
        """Build the index again; the one in service answers until then."""
        self._start_work(self._rebuild if small else lambda: self._renew(swap=True))

    def _update_checkpoint(self, index: I) -> None:
        """Write the checkpoint or rebuild the index if that is due."""
        now = self._clock.seconds()
        if now < self._checkpoint_at + self._tuning.checkpoint_seconds:
            return
        idle = now - self._checkpoint_at
        total = record_counts(self._database).all
        small = total <= self._tuning.small_index
        changed = index.applied - self._checkpoint_applied
        if self.form.dead_share(index) > MAX_DEAD_SHARE:
            self._replace(small=small)
        elif changed >= max(self._tuning.checkpoint_changes, self._tuning.checkpoint_share * total) or (
            changed >= self._tuning.idle_changes and idle >= self._tuning.idle_seconds
        ):
            # a checkpoint with deleted people must be rebuilt, not written from memory
            if self._checkpoints.has_deleted_since(self._checkpoint_applied):
                self._start_work(lambda: self._renew(swap=small))
            elif small:
                self._save(index)
            else:
                self._start_work(lambda: self._renew(swap=False))

    def _save(self, index: I) -> None:
        self._checkpoint_at = self._clock.seconds()
        if self._checkpoints.save(index, self._identity or ""):
            self._checkpoint_applied = index.applied
