"""Following the change sequence: a thread that gets the index ready, keeps it up to date and has it written down.

Every server process has one, and follows by itself (decisions E, Sequence). Until the index is ready prospecting
answers 503; an index in service stays there while another is made to take its place.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

import structlog

from firmograph.database.connection import Database
from firmograph.kit.clock import Clock
from firmograph.prospecting.engines.memory.build_progress import Making
from firmograph.prospecting.engines.memory.bulk_catch_up import FAR, catch_up_far
from firmograph.prospecting.engines.memory.checkpoint_process import Failed, renew_elsewhere
from firmograph.prospecting.engines.memory.checkpoints import MOST_DEAD, Keeper, Stopped
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.rebuild import rebuild
from firmograph.prospecting.engines.memory.tuning import Measures
from firmograph.prospecting.engines.port import Changes
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.active_engine import Index
from firmograph.prospecting.indexing.change_batches import catch_up, sizes, warm_up

log = structlog.get_logger("firmograph.search")

POLL_SECONDS: Final = 0.1
"""How often the head of the sequence is looked at: one statement of some microseconds."""
AGAIN_SECONDS: Final = 2.0
"""How long to wait after a failure."""
_STRETCH: Final = 2_000
"""Changes taken up before the checkpoint is looked after."""
_AT_LEAST_SECONDS: Final = 10.0
"""How long another process helps at least, as it takes a second to start."""


class _Replaced(Exception):
    """Another state has taken the place of the database since the index was begun: a backup, or a standby."""


class Follower:
    """Gets an index ready and follows the changes, step by step.

    `start` does so in a thread of its own, where errors are logged and the step is tried again.
    """

    def __init__(
        self,
        database: Database,
        index: Index,
        clock: Clock,
        folder: str = "",
        measures: Measures | None = None,
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self._folder = folder
        self._keeper = Keeper(database, folder)
        self._measures = measures or Measures()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)
        self._engine: MemoryEngine | None = None
        self.renewal: Future[MemoryEngine | None] | None = None
        """Work on the checkpoint that goes on beside; None while there is none."""
        self._identity: str | None = None
        """Of the database that the index is made of; None before the first look at it."""
        self._kept = 0
        """The place that the checkpoint stands for; 0 when there is none."""
        self._kept_at = clock.seconds()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread, after the slice at hand; a process that renews the checkpoint is ended too."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def step(self) -> bool:
        """Do what there is to do now, at first get the index ready; whether there is more."""
        try:
            return self._step()
        except _Replaced:
            log.warning(
                "an earlier state has taken the place of the database; the search index is begun again"
            )
            self._start_over()
            return True

    def _step(self) -> bool:
        self._look()
        if self._engine is None:
            self._begin()
            return True
        self._follow(self._engine)
        self._take_renewed()
        self._keep(self._engine)
        return self._engine.applied < self._index.head

    def _run(self) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            try:
                pause = 0.0 if self.step() else POLL_SECONDS
            except Stopped:
                break
            except Exception:
                log.exception("the search index could not be brought up to date; it will be tried again")
                pause = AGAIN_SECONDS
        try:
            self._leave()
        except Exception:
            log.exception("the checkpoint of the search index was not written")

    def _follow(self, engine: MemoryEngine) -> None:
        """Take up a stretch of changes; far behind the head much more, with the help of another process."""

        def apply(changes: Changes) -> None:
            self._apply(engine, changes)

        if self._index.head - engine.applied > FAR:
            until = max(self._due(), self._clock.seconds() + _AT_LEAST_SECONDS)

            def stopping() -> bool:
                return self._stop.is_set() or self._clock.seconds() >= until

            catch_up_far(engine, self._database, apply=apply, stopping=stopping)
        goal = min(self._index.head, engine.applied + _STRETCH)
        catch_up(engine, self._database, goal, apply=apply, stopping=self._stop.is_set)

    def _catch_up(self, engine: MemoryEngine) -> bool:
        """Follow an index that is not in service yet to where the sequence ends now; False when it should stop."""
        goal = self._look()
        while engine.applied < goal and not self._stop.is_set():
            self._follow(engine)
        return not self._stop.is_set()

    def _look(self) -> int:
        """Where the sequence ends now. Raises _Replaced when it is that of another state of the database.

        A backup has an identity of its own. A standby that took over without the last commits has not, but lacks
        places that were read before; it will give them out again, to other changes.
        """
        session = self._database.session()
        head, identity = store.place(session)
        if identity != (self._identity or identity):
            raise _Replaced
        if head < self._index.head and store.has_lost(session, self._index.head):
            self._keeper.forget()
            raise _Replaced
        self._identity = identity
        self._index.head = head
        return head

    def _start_over(self) -> None:
        """Numbers of records and places mean something else now: nothing of the index may answer any more."""
        self._index.withdraw()
        self._engine = self._identity = self.renewal = None
        self._kept = self._index.head = 0

    def _apply(self, engine: MemoryEngine, changes: Changes) -> None:
        """Apply a slice without those deleted since it was read: requests have removed them already, it may be."""
        with self._index.changing:
            gone = set(store.removed_since(self._database.session(), changes.sequence))
            changes.contacts = [entry for entry in changes.contacts if entry.number not in gone]
            engine.apply(changes)
        self._look()
        self._index.moved()

    def _serve(self, engine: MemoryEngine) -> None:
        self._engine = engine
        self._index.serve(engine)

    # --- getting ready ---

    def _begin(self) -> None:
        self._index.state = "loading"
        warm_up()
        engine = self._keeper.load()
        self._kept = engine.applied if engine else 0
        if engine is None:
            engine = self._made()
        if self._catch_up(engine):
            self._serve(engine)
            log.info("the search index is ready", applied=engine.applied, head=self._index.head)

    def _made(self) -> MemoryEngine:
        """The index made from the records."""
        self._index.state = "rebuilding"
        if not self._is_small():
            try:
                return self._renewed(swap=True) or self._rebuilt()
            except Failed as error:
                log.warning("the search index is made in this process, another failed", reason=str(error))
        return self._rebuilt()

    def _rebuilt(self) -> MemoryEngine:
        with self._making() as making:
            return rebuild(self._database, making.note)

    def _is_small(self) -> bool:
        return sizes(self._database).all <= self._measures.small

    def _making(self) -> Making:
        return Making(self._index, self._clock, self._measures.small, self._stop.is_set)

    # --- the checkpoint ---

    def _due(self) -> float:
        """When the checkpoint is looked after next."""
        return self._kept_at + self._measures.every

    def _keep(self, engine: MemoryEngine) -> None:
        """Have the index written down, or made anew, when that is due."""
        now = self._clock.seconds()
        if self.renewal is not None or now < self._due():
            return
        waited = now - self._kept_at
        total = sizes(self._database).all
        small = total <= self._measures.small
        changed = engine.applied - self._kept
        if engine.dead_share > MOST_DEAD:
            self._begin_renewal(self._rebuilt if small else lambda: self._renewed(swap=True))
        elif changed >= max(self._measures.changes, self._measures.share * total) or (
            changed >= self._measures.few and waited >= self._measures.quiet
        ):
            if self._holds_deleted():
                self._begin_renewal(lambda: self._renewed(swap=small))
            elif small:
                self._save(engine)
            else:
                self._begin_renewal(lambda: self._renewed(swap=False))

    def _begin_renewal(self, work: Callable[[], MemoryEngine | None]) -> None:
        future: Future[MemoryEngine | None] = Future()
        self.renewal = future

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, name="search-renewal", daemon=True).start()

    def _renewed(self, *, swap: bool) -> MemoryEngine | None:
        """Have another process renew the checkpoint; the index in it, if it is to take the place of this one."""
        identity = self._identity
        with self._making() as making:
            kept = renew_elsewhere(self._database.url, self._folder, making.note, self._stop.is_set)
        if identity == self._identity:
            self._kept = kept
        return self._keeper.load() if swap else None

    def _take_renewed(self) -> None:
        """Put a renewed index in the place of the one in service, once it is there and has caught up."""
        if self.renewal is None or not self.renewal.done():
            return
        renewal, self.renewal = self.renewal, None
        self._kept_at = self._clock.seconds()
        try:
            engine = renewal.result()
        except Failed as error:
            log.warning("the checkpoint of the search index was not renewed", reason=str(error))
            return
        if engine is not None and self._catch_up(engine):
            self._serve(engine)

    def _save(self, engine: MemoryEngine) -> None:
        self._kept_at = self._clock.seconds()
        if self._keeper.save(engine, self._identity or ""):
            self._kept = engine.applied

    def _holds_deleted(self) -> bool:
        """Whether someone was deleted since the checkpoint, so that it must be made anew, not written from memory."""
        return bool(store.removed_since(self._database.session(), self._kept))

    def _leave(self) -> None:
        """At the end a small index is written down, if that saves the next start some work."""
        engine = self._engine
        if engine is None or self._holds_deleted():
            return
        if engine.applied - self._kept >= self._measures.few and self._is_small():
            self._save(engine)
