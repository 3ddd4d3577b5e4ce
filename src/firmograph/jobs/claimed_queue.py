"""Queue of claimed work: the rows of one table, as their owner describes them to the runner (`jobs/runner.py`)."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from firmograph.database.connection import Database
from firmograph.database.leases import Claim, Leases
from firmograph.kit.clock import Clock

GIVE_BACK_SECONDS: Final = 1.0
"""Delay until work that was given back is due again."""


class ClaimedWork(Protocol):
    """Work on one row, under the claim of its worker."""

    @property
    def claim(self) -> Claim[Any]: ...


class RecordedWork(Protocol):
    """Result of work that counts."""

    @property
    def outcome(self) -> str:
        """Name in metrics."""
        ...

    @property
    def seconds(self) -> float | None:
        """Seconds from the origin of the work to its end, for metrics; None for those that do not count."""
        ...


Work = TypeVar("Work", bound=ClaimedWork)
Result = TypeVar("Result")
Recorded = TypeVar("Recorded", bound=RecordedWork)


class ClaimedQueue(ABC, Generic[Work, Result, Recorded]):
    """Rows that any number of workers claim, work on and complete.

    A worker claims rows in one transaction, works outside any, and records results in another. Work that costs credits
    holds them in the first and settles them in the second (`billing/holds.py`), so that neither a killed worker nor one
    that resumes after its lease charges twice. Every method may raise Busy and Unavailable.
    """

    is_renewed: ClassVar[bool] = True
    """Whether claims are renewed while their work lasts; not needed for work that always ends within a lease."""

    def __init__(self, database: Database, clock: Clock, leases: Leases[Any]) -> None:
        self._database = database
        self._clock = clock
        self._leases = leases

    @abstractmethod
    def claim(self, limit: int, now: float) -> Sequence[Work]:
        """Claim at most `limit` rows and return the work on them.

        Which rows, in what order and how many of one account is the queue's own query.
        """

    @abstractmethod
    def record(self, results: Sequence[Result]) -> Sequence[Recorded]:
        """Record results under their fencing numbers; return those that count, as another worker owns the rest.

        Idempotent: a result counts once. Failed work becomes due again after a delay (`jobs/retry_policy.py`).
        """

    @abstractmethod
    def log_fields(self, result: Result) -> Mapping[str, Any]:
        """Return fields that identify a result in the log, without personal data."""

    @abstractmethod
    def backlog(self) -> Sequence[int]:
        """Return figures that tell a stalled worker from an idle one, of the whole database."""

    @property
    def lease_seconds(self) -> float:
        return self._leases.seconds

    def still_claimed(self, works: Collection[Work]) -> set[Claim[Any]]:
        """Return the claims that this worker still owns."""
        with self._database.look() as session:
            return self._leases.still_claimed(session, [each.claim for each in works], self._clock.seconds())

    def renew(self, works: Collection[Work], now: float) -> None:
        """Keep the rows for one more lease, except those that another worker owns."""
        with self._database.write(None) as session:
            self._leases.renew_all(session, [each.claim for each in works], now)

    def give_back(self, works: Collection[Work]) -> None:
        """Free the rows of work that this machine could not do; it uses up no retry."""
        if works:
            due_at = self._clock.seconds() + GIVE_BACK_SECONDS
            with self._database.write(None) as session:
                self._leases.complete_all(session, [each.claim for each in works], due_at)
