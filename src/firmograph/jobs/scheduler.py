"""The scheduler of periodic jobs, one of any number on the same database.

Each duty is done once in its period by whichever worker comes first. It claims the duty, and does it in parts;
every part is one short transaction that ends by asking whether the duty is still this worker's (database/leases.py),
and after it the worker rests for as long as it took. So a worker that was suspended past its lease undoes the part at
hand, and what a killed one left is done by another once its lease has run out.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import structlog

from firmograph.database.connection import Database, Scope, Session
from firmograph.database.leases import Claim
from firmograph.jobs import store
from firmograph.kit.clock import Clock
from firmograph.kit.error_log import ErrorLog
from firmograph.kit.errors import Busy, Unavailable

log = structlog.get_logger("firmograph.worker")

POLL_SECONDS: Final = 1.0
"""How often a worker looks for something to do: one statement of a few rows."""

Outcome = Literal["done", "failed", "lost"]
"""How a duty ended. `lost`: the worker was stopped past its lease, and another has the duty."""


Do = Callable[[Session, float], int]
"""Does a part of a duty at a time given, small enough for one short transaction; how much, 0 when nothing is left."""


class Part(NamedTuple):
    """A part of a duty that changes what only the holder of some scopes may change."""

    scopes: Sequence[Scope]
    do: Do


@dataclass(frozen=True, slots=True)
class Duty:
    """Something to be done once in a period of so many seconds."""

    name: str
    period: float
    part: Do

    def next_part(self, session: Session, now: float) -> Part:
        return Part((None,), self.part)


@dataclass(frozen=True, slots=True)
class ScopedDuty:
    """The same where each part needs scopes that only a look at what is there can tell, such as those of accounts."""

    name: str
    period: float
    find: Callable[[Session, float], Part | None]
    """The next part, found outside any transaction; None when nothing is left. By the time that it is done the part
    may find less than was there, or nothing, which ends the duty for this period."""

    def next_part(self, session: Session, now: float) -> Part:
        return self.find(session, now) or Part((None,), lambda session, now: 0)


class _LostError(Exception):
    """The duty is another worker's by now."""


class Worker:
    """Does duties one at a time. `start` does so in a thread of its own, until `stop`."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        duties: Iterable[Duty | ScopedDuty],
        observe: Callable[[str, Outcome], None] = lambda name, outcome: None,
    ) -> None:
        """`observe` is called with the name and the outcome of each job that ended."""
        self._database = database
        self._clock = clock
        self._duties = {duty.name: duty for duty in duties}
        self._observe = observe
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread, after the part of a duty at hand; another worker goes on with the rest."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def step(self) -> bool:
        """Do the duty that has been due the longest; False when none is. Raises Busy and Unavailable."""
        if not self._is_any_due():
            return False
        now = self._clock.seconds()
        with self._database.write(None) as session:
            claims = store.leases.claim_among(session, list(self._duties), 1, now)
        for claim in claims:
            self._do(self._duties[claim.key], claim)
        return bool(claims)

    def _is_any_due(self) -> bool:
        """Only reads, as a rule: a claim would hold the embedded database's writer each time."""
        now = self._clock.seconds()
        free_from = store.free_from(self._database.session())
        missing = [name for name in self._duties if name not in free_from]
        if missing:
            with self._database.write(None) as session:
                store.add(session, missing, now)
        return bool(missing) or any(free_from[name] <= now for name in self._duties)

    def _do(self, duty: Duty | ScopedDuty, claim: Claim[str]) -> None:
        count = 0
        try:
            began = time.monotonic()
            while done := self._part(duty, claim):
                count += done
                # without a rest, charges get the writer only in the moments between two parts
                if self._stop.wait(time.monotonic() - began):
                    self._leave(claim)
                    return
                began = time.monotonic()
        except _LostError:
            log.warning("a duty took longer than its lease; another worker has it", duty=duty.name)
            self._observe(duty.name, "lost")
        except (Busy, Unavailable):
            raise
        except Exception:
            log.exception("a duty failed; it will be tried again when it is due next", duty=duty.name)
            self._postpone(duty, claim)
            self._observe(duty.name, "failed")
        else:
            (log.info if count else log.debug)("a duty is done", duty=duty.name, count=count)
            self._observe(duty.name, "done")

    def _part(self, duty: Duty | ScopedDuty, claim: Claim[str]) -> int:
        """Do a part and keep the lease for the next; after the last, record it. Undoes it when the lease is lost."""
        part = duty.next_part(self._database.session(), self._clock.seconds())
        with self._database.write(*part.scopes) as session:
            count = part.do(session, self._clock.seconds())
            now = self._clock.seconds()
            if count:
                held = store.leases.renew(session, claim, now)
            else:
                held = store.complete(session, claim, at=now, due_at=now + duty.period)
            if not held:
                raise _LostError
        return count

    def _postpone(self, duty: Duty | ScopedDuty, claim: Claim[str]) -> None:
        with self._database.write(None) as session:
            store.leases.complete(session, claim, self._clock.seconds() + duty.period)

    def _leave(self, claim: Claim[str]) -> None:
        with self._database.write(None) as session:
            store.leases.release(session, claim)

    def _run(self) -> None:
        errors = ErrorLog(
            log,
            waiting="the worker is waiting for the database and will resume automatically",
            failed="the worker failed and will try again",
            recovered="the worker has recovered",
        )
        while not self._stop.is_set():
            try:
                more = self.step()
            except Exception as error:
                more = False
                errors.failed(error)
            else:
                errors.recovered()
            if not more:
                self._stop.wait(POLL_SECONDS)
