"""Role: work that only one worker of an installation does at a time, without end.

The holder renews a lease (`database/leases.py`) while it works. When it dies or is suspended, another worker takes over
once the lease has ended, within half a minute. A holder that lost its role notices at its next write at the latest:
each write renews the lease under the fencing number, and is rolled back if another worker owns the role.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import structlog

from firmograph.database.connection import Database, Scope, Session
from firmograph.database.leases import Claim, Leases
from firmograph.jobs import store
from firmograph.jobs.step_loop import run_steps
from firmograph.jobs.tables import duties
from firmograph.kit.clock import Clock
from firmograph.kit.error_log import ErrorLog

log = structlog.get_logger("firmograph.worker")

ROLE_SECONDS: Final = 20.0
"""Lease of a role; with the pause between two attempts to claim it, a successor works within half a minute."""

_CLAIM_SECONDS: Final = 2.0
"""Interval at which a worker without the role tries to claim it."""

_RENEWALS: Final = 3
"""Renewals within a lease, so that a delayed one does not lose the role."""

_leases: Leases[str] = Leases(duties, ROLE_SECONDS)


class RoleLost(Exception):
    """Another worker has taken over the role; the write in progress is rolled back."""


class HeldRole:
    """Role of this worker, until another one takes over."""

    def __init__(self, database: Database, clock: Clock, claim: Claim[str]) -> None:
        self._database = database
        self._clock = clock
        self._claim = claim
        self._renew_at = clock.seconds() + ROLE_SECONDS / _RENEWALS

    @property
    def fence(self) -> int:
        """Fencing number, for writes to places outside the database; it rises with each holder."""
        return self._claim.fence

    @contextmanager
    def write(self, *scopes: Scope) -> Iterator[Session]:
        """Open a write transaction that also renews the lease. Raises RoleLost, rolling back, without the role."""
        with self._database.write(*scopes) as session:
            yield session
            self._renew(session)

    def renew(self) -> None:
        """Renew the lease if a third of it has passed. Call between steps that do not write. Raises RoleLost."""
        if self._clock.seconds() >= self._renew_at:
            with self._database.write(None) as session:
                self._renew(session)

    def release(self) -> None:
        """Free the role for other workers."""
        with self._database.write(None) as session:
            _leases.release(session, self._claim)

    def _renew(self, session: Session) -> None:
        now = self._clock.seconds()
        if not _leases.renew(session, self._claim, now):
            raise RoleLost
        self._renew_at = now + ROLE_SECONDS / _RENEWALS


RoleStep = Callable[[HeldRole], float]
"""Does a part of the work of a role, shorter than a third of its lease; returns the seconds until the next part."""


class RoleWorker:
    """Candidate for one role, in a thread from `start` to `stop`: claims it and does its work while it holds it."""

    def __init__(self, database: Database, clock: Clock, name: str, step: RoleStep) -> None:
        """Create a worker; `name` identifies the role in the database and in logs."""
        self._database = database
        self._clock = clock
        self._name = name
        self._do = step
        self._held: HeldRole | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def is_holder(self) -> bool:
        return self._held is not None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End after the part in progress and free the role."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def step(self) -> float:
        """Claim the role or do a part of its work; return the seconds until the next step.

        Raises Busy and Unavailable.
        """
        if self._held is None:
            self._held = self._claim()
            if self._held is None:
                return _CLAIM_SECONDS
            log.info("role claimed", role=self._name, fence=self._held.fence)
        try:
            self._held.renew()
            return min(self._do(self._held), ROLE_SECONDS / _RENEWALS)
        except RoleLost:
            self._held = None
            log.warning("role lost: another worker has taken over", role=self._name)
            return _CLAIM_SECONDS

    def release(self) -> None:
        """Free the role, if this worker holds it."""
        held, self._held = self._held, None
        if held is not None:
            held.release()

    def _claim(self) -> HeldRole | None:
        """Claim the role, mostly by reading alone: a claim would take the embedded database's writer."""
        now = self._clock.seconds()
        free_from = store.free_from(self._database.session()).get(self._name)
        if free_from is not None and free_from > now:
            return None
        with self._database.write(None) as session:
            if free_from is None:
                store.insert_jobs(session, [self._name], now)
            claims = _leases.claim_among(session, [self._name], 1, now)
        return HeldRole(self._database, self._clock, claims[0]) if claims else None

    def _run(self) -> None:
        errors = ErrorLog(
            log,
            waiting="a role is waiting for the database and will resume automatically",
            failed="the work of a role failed and will be tried again",
            recovered="the work of a role has recovered",
        )
        run_steps(self.step, self._stop, errors, retry_seconds=_CLAIM_SECONDS)
        try:
            self.release()
        except Exception as error:
            errors.failed(error)
