"""Follower of the change sequence: a thread that keeps all indexes of a process up to date.

See docs/reference/prospecting.md#freshness-and-loading.

Indexes at one position share each batch: it is read and decoded once. One that is behind, as after a start, is given
batches of its own until it has reached the others. An index that fails is tried again later; the others go on.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple, Protocol

import structlog

from firmograph.database.connection import Database
from firmograph.indexing import store
from firmograph.indexing.catch_up import BULK_THRESHOLD, PreparedBatch, read_ahead
from firmograph.indexing.change_batches import next_batch
from firmograph.indexing.index_kind import ChangeFormat, Index
from firmograph.kit.clock import Clock
from firmograph.kit.errors import DatabaseLost

log = structlog.get_logger("firmograph.indexing")

POLL_SECONDS: Final = 0.1
"""Interval of reading the head of the sequence: one statement of a few microseconds."""
RETRY_SECONDS: Final = 2.0
"""Pause after a failure."""
_BULK_SECONDS: Final = 60.0
"""Longest use of a second process before checkpoints are considered again."""


class FollowingIndex(Protocol):
    """Index that follows, in this process (`local_index.LocalIndex`) or elsewhere."""

    @property
    def form(self) -> ChangeFormat:
        """Form in which it takes its changes."""
        ...

    @property
    def copies(self) -> Sequence[Index]:
        """What follows the changes; several while one replaces another, none while it is prepared."""
        ...

    on_work_done: Callable[[], None]
    """Called, in any thread, when there is something to maintain."""

    def set_head(self, head: int, identity: str) -> None:
        """Set the end of the change sequence, and the identity of the database it belongs to."""
        ...

    def maintain(self) -> None:
        """Do what is due besides following, without waiting."""
        ...

    def start_over(self, *, is_lost: bool) -> None:
        """Discard everything: another state, a backup or a standby, has replaced the database."""
        ...

    def stop(self) -> None: ...

    def save_at_end(self) -> None: ...


class _Copy(NamedTuple):
    owner: FollowingIndex
    copy: Index


class IndexFollower:
    """Follows the changes with all indexes, step by step.

    `start` does so in a thread of its own, which logs errors and retries the step.
    """

    def __init__(self, database: Database, clock: Clock, indexes: Sequence[FollowingIndex]) -> None:
        self._database = database
        self._clock = clock
        self.indexes = indexes
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="indexes", daemon=True)
        self._head = 0
        self._identity: str | None = None
        """Identity of the database; None before it is first read."""
        self._retry_at: dict[str, float] = {}
        """Times before which indexes that failed are left alone."""
        for index in indexes:
            index.on_work_done = self._wake.set

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the current batch, and all work that indexes do in the background."""
        self._stop.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        for index in self.indexes:
            index.stop()

    def step(self) -> bool:
        """Do the next step with each index. Return whether there is more to do at once."""
        if not self._check_head():
            return True
        self._follow(self._copies())
        for index in self._ready():
            self._guard(index, index.maintain)
        return any(copy.applied < self._head for _, copy in self._copies())

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            try:
                pause = 0.0 if self.step() else POLL_SECONDS
            except DatabaseLost:
                pause = RETRY_SECONDS
            except Exception:
                log.exception("following the changes failed; it will be retried")
                pause = RETRY_SECONDS
            self._wake.wait(pause)
        for index in self.indexes:
            try:
                index.save_at_end()
            except Exception:
                log.exception(f"writing the checkpoint of the {index.form.name} index failed")

    def _guard(self, index: FollowingIndex, work: Callable[..., object], *arguments: object) -> None:
        """Do work of one index; if it fails, leave the index alone for a while."""
        try:
            work(*arguments)
        except Exception as error:
            if not isinstance(error, DatabaseLost):
                log.exception(f"updating the {index.form.name} index failed; it will be retried")
            self._retry_at[index.form.name] = self._clock.seconds() + RETRY_SECONDS

    def _ready(self) -> list[FollowingIndex]:
        now = self._clock.seconds()
        return [index for index in self.indexes if self._retry_at.get(index.form.name, now) <= now]

    def _copies(self) -> list[_Copy]:
        return [_Copy(index, copy) for index in self._ready() for copy in index.copies]

    # --- the sequence ---

    def _check_head(self) -> bool:
        """Read the head of the sequence. Start over and return False if it belongs to another state of the database.

        A backup has an identity of its own. A standby that took over without the last commits keeps the identity
        but lacks positions that were read before; it will allocate them again, to other changes.
        """
        session = self._database.session()
        head, identity = store.sequence_state(session)
        is_lost = head < self._head and store.has_lost_position(session, self._head)
        if identity != (self._identity or identity) or is_lost:
            log.warning("the database was replaced by another state; all indexes start over")
            self._identity, self._head = None, 0
            for index in self.indexes:
                index.start_over(is_lost=is_lost)
            return False
        self._identity, self._head = identity, head
        for index in self.indexes:
            index.set_head(head, identity)
        return True

    def _follow(self, copies: Sequence[_Copy], *, in_bulk: bool = True) -> None:
        """Give each its next batch; far behind the head many more, with the help of another process."""
        positions = sorted({copy.applied for _, copy in copies})
        for at, until in zip_longest(positions, positions[1:]):
            group = [one for one in copies if one.copy.applied == at]
            if in_bulk and (until or self._head) - at > BULK_THRESHOLD:
                self._follow_in_bulk(group, at, until)
                # the other process may die, but the changes have to go on
                group = [one for one in group if one.copy.applied == at]
            if group and at < self._head:
                self._follow_once(group, at, until)

    def _follow_once(self, group: Sequence[_Copy], at: int, until: int | None) -> None:
        batch = next_batch(self._database, at, lambda numbers: _missing(group, numbers), until=until)
        if batch.sequence > at:
            prepared = PreparedBatch(at, batch.sequence, {})
            for index in {one.owner.form.name: one.owner for one in group}.values():
                self._guard(index, prepared.add, index.form, batch)
            self._apply(group, prepared)

    def _follow_in_bulk(self, group: Sequence[_Copy], at: int, until: int | None) -> None:
        """Apply what another process reads, while the other indexes go on."""
        end = self._clock.seconds() + _BULK_SECONDS
        forms = list({one.owner.form.name: one.owner.form for one in group}.values())
        with read_ahead(self._database, at, until, forms) as batches:
            for prepared in batches:
                if self._stop.is_set() or self._clock.seconds() >= end or not self._check_head():
                    return
                if prepared is not None and not self._apply(group, prepared):
                    return
                others = [one for one in self._copies() if one not in group]
                self._follow(others, in_bulk=False)

    def _apply(self, group: Sequence[_Copy], prepared: PreparedBatch) -> bool:
        """Apply a batch. Return whether any index was at its start; one that failed has fallen behind."""
        ready = [one for one in group if one.copy.applied == prepared.start]
        for index, copy in ready:
            if index.form.name in prepared.changes:
                self._guard(index, copy.apply, prepared.changes[index.form.name])
        return bool(ready)


def _missing(group: Sequence[_Copy], numbers: Collection[int]) -> set[int]:
    return set[int]().union(*(copy.missing_companies(numbers) for _, copy in group))
