"""Follower of the change sequence: a thread that prepares the index, keeps it up to date and checkpoints it.

See docs/reference/prospecting.md#freshness-and-loading.

Every server process has its own. Until the index is ready, prospecting responds with 503; an index in service stays
there while its replacement is built.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

import structlog

from firmograph.database.connection import Database
from firmograph.kit.clock import Clock
from firmograph.prospecting.engines.memory.build_progress import BuildProgress
from firmograph.prospecting.engines.memory.catch_up import BULK_THRESHOLD, bulk_catch_up, catch_up
from firmograph.prospecting.engines.memory.checkpoint_process import RenewalFailed, renew_in_process
from firmograph.prospecting.engines.memory.checkpoints import MAX_DEAD_SHARE, Checkpoints, StopRequested
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.rebuild import rebuild
from firmograph.prospecting.engines.port import Changes
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.active_engine import SearchIndex
from firmograph.prospecting.indexing.change_batches import record_counts, warm_up

log = structlog.get_logger("firmograph.search")

POLL_SECONDS: Final = 0.1
"""Interval of reading the head of the sequence: one statement of a few microseconds."""
RETRY_SECONDS: Final = 2.0
"""Pause after a failure."""
_CATCH_UP_CHANGES: Final = 2_000
"""Changes applied before the checkpoint is considered again."""
_MIN_BULK_SECONDS: Final = 10.0
"""Minimum time for the second process to help, as it takes a second to start."""


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


class _DatabaseReplaced(Exception):
    """Raised when another state, a backup or a standby, has replaced the database."""


class IndexFollower:
    """Prepares an index and follows the changes, step by step.

    `start` does so in a thread of its own, which logs errors and retries the step.
    """

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        clock: Clock,
        folder: str = "",
        tuning: Tuning | None = None,
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self._folder = folder
        self._checkpoints = Checkpoints(database, folder)
        self._tuning = tuning or Tuning()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)
        self._engine: MemoryEngine | None = None
        self.renewal: Future[MemoryEngine | None] | None = None
        """Checkpoint work in the background; None while there is none."""
        self._identity: str | None = None
        """Identity of the indexed database; None before it is first read."""
        self._checkpoint_applied = 0
        """Position of the checkpoint; 0 if there is none."""
        self._checkpoint_at = clock.seconds()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the current batch, and any process that renews the checkpoint."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def step(self) -> bool:
        """Do the next step, at first prepare the index. Return whether there is more to do."""
        try:
            return self._step()
        except _DatabaseReplaced:
            log.warning("the database was replaced by another state; the search index starts over")
            self._start_over()
            return True

    def _step(self) -> bool:
        self._check_head()
        if self._engine is None:
            self._prepare()
            return True
        self._follow(self._engine)
        self._finish_renewal()
        self._update_checkpoint(self._engine)
        return self._engine.applied < self._index.head

    def _run(self) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            try:
                pause = 0.0 if self.step() else POLL_SECONDS
            except StopRequested:
                break
            except Exception:
                log.exception("updating the search index failed; it will be retried")
                pause = RETRY_SECONDS
        try:
            self._save_at_end()
        except Exception:
            log.exception("writing the checkpoint of the search index failed")

    def _follow(self, engine: MemoryEngine) -> None:
        """Apply some changes; far behind the head many more, with the help of another process."""

        def apply(changes: Changes) -> None:
            self._apply(engine, changes)

        if self._index.head - engine.applied > BULK_THRESHOLD:
            until = max(self._next_checkpoint_at(), self._clock.seconds() + _MIN_BULK_SECONDS)

            def is_stopping() -> bool:
                return self._stop.is_set() or self._clock.seconds() >= until

            bulk_catch_up(engine, self._database, apply=apply, is_stopping=is_stopping)
        goal = min(self._index.head, engine.applied + _CATCH_UP_CHANGES)
        catch_up(engine, self._database, goal, apply=apply, is_stopping=self._stop.is_set)

    def _catch_up(self, engine: MemoryEngine) -> bool:
        """Bring an index that is not in service to the current head. Return False if the follower should stop."""
        goal = self._check_head()
        while engine.applied < goal and not self._stop.is_set():
            self._follow(engine)
        return not self._stop.is_set()

    def _check_head(self) -> int:
        """Return the head of the sequence. Raises _DatabaseReplaced if it belongs to another state of the database.

        A backup has an identity of its own. A standby that took over without the last commits keeps the identity
        but lacks positions that were read before; it will allocate them again, to other changes.
        """
        session = self._database.session()
        head, identity = store.sequence_state(session)
        if identity != (self._identity or identity):
            raise _DatabaseReplaced
        if head < self._index.head and store.has_lost_position(session, self._index.head):
            self._checkpoints.delete()
            raise _DatabaseReplaced
        self._identity = identity
        self._index.head = head
        return head

    def _start_over(self) -> None:
        """Discard everything: record numbers and positions have another meaning in the new state of the database."""
        self._index.withdraw()
        self._engine = self._identity = self.renewal = None
        self._checkpoint_applied = self._index.head = 0

    def _apply(self, engine: MemoryEngine, changes: Changes) -> None:
        """Apply a batch without contacts deleted since it was read; requests may have removed them already."""
        with self._index.change_lock:
            removed = set(store.removed_since(self._database.session(), changes.sequence))
            changes.contacts = [entry for entry in changes.contacts if entry.number not in removed]
            engine.apply(changes)
        self._check_head()

    def _serve(self, engine: MemoryEngine) -> None:
        self._engine = engine
        self._index.serve(engine)

    # --- preparation ---

    def _prepare(self) -> None:
        self._index.state = "loading"
        warm_up()
        engine = self._checkpoints.load()
        self._checkpoint_applied = engine.applied if engine else 0
        if engine is None:
            engine = self._build()
        if self._catch_up(engine):
            self._serve(engine)
            log.info("search index ready", applied=engine.applied, head=self._index.head)

    def _build(self) -> MemoryEngine:
        """Build the index from the records."""
        self._index.state = "rebuilding"
        if not self._is_small():
            try:
                return self._renew(swap=True) or self._rebuild()
            except RenewalFailed as error:
                log.warning(
                    "building the search index in another process failed; it is built in this one",
                    reason=str(error),
                )
        return self._rebuild()

    def _rebuild(self) -> MemoryEngine:
        with self._progress() as progress:
            return rebuild(self._database, progress.report)

    def _is_small(self) -> bool:
        return record_counts(self._database).all <= self._tuning.small_index

    def _progress(self) -> BuildProgress:
        return BuildProgress(self._index, self._clock, self._tuning.small_index, self._stop.is_set)

    # --- the checkpoint ---

    def _next_checkpoint_at(self) -> float:
        """Return the time of the next checkpoint check."""
        return self._checkpoint_at + self._tuning.checkpoint_seconds

    def _update_checkpoint(self, engine: MemoryEngine) -> None:
        """Write or rebuild the index if that is due."""
        now = self._clock.seconds()
        if self.renewal is not None or now < self._next_checkpoint_at():
            return
        idle = now - self._checkpoint_at
        total = record_counts(self._database).all
        small = total <= self._tuning.small_index
        changed = engine.applied - self._checkpoint_applied
        if engine.dead_share > MAX_DEAD_SHARE:
            self._start_renewal(self._rebuild if small else lambda: self._renew(swap=True))
        elif changed >= max(self._tuning.checkpoint_changes, self._tuning.checkpoint_share * total) or (
            changed >= self._tuning.idle_changes and idle >= self._tuning.idle_seconds
        ):
            if self._has_deleted_since_checkpoint():
                self._start_renewal(lambda: self._renew(swap=small))
            elif small:
                self._save_checkpoint(engine)
            else:
                self._start_renewal(lambda: self._renew(swap=False))

    def _start_renewal(self, work: Callable[[], MemoryEngine | None]) -> None:
        future: Future[MemoryEngine | None] = Future()
        self.renewal = future

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, name="search-renewal", daemon=True).start()

    def _renew(self, *, swap: bool) -> MemoryEngine | None:
        """Renew the checkpoint in another process; with `swap`, return the index loaded from it."""
        identity = self._identity
        with self._progress() as progress:
            applied = renew_in_process(self._database.url, self._folder, progress.report, self._stop.is_set)
        if identity == self._identity:
            self._checkpoint_applied = applied
        return self._checkpoints.load() if swap else None

    def _finish_renewal(self) -> None:
        """Put a finished renewal in service once it has caught up."""
        if self.renewal is None or not self.renewal.done():
            return
        renewal, self.renewal = self.renewal, None
        self._checkpoint_at = self._clock.seconds()
        try:
            engine = renewal.result()
        except RenewalFailed as error:
            log.warning("renewing the checkpoint of the search index failed", reason=str(error))
            return
        if engine is not None and self._catch_up(engine):
            self._serve(engine)

    def _save_checkpoint(self, engine: MemoryEngine) -> None:
        self._checkpoint_at = self._clock.seconds()
        if self._checkpoints.save(engine, self._identity or ""):
            self._checkpoint_applied = engine.applied

    def _has_deleted_since_checkpoint(self) -> bool:
        """Check for deletions since the checkpoint, which then must be rebuilt, not written from memory."""
        return bool(store.removed_since(self._database.session(), self._checkpoint_applied))

    def _save_at_end(self) -> None:
        """Write a small index at the end if that saves the next start some work."""
        engine = self._engine
        if engine is None or self._has_deleted_since_checkpoint():
            return
        if engine.applied - self._checkpoint_applied >= self._tuning.idle_changes and self._is_small():
            self._save_checkpoint(engine)
