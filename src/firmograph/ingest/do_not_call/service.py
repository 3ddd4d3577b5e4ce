"""Changes of the do-not-call registry by an operator (docs/reference/do-not-call.md)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Final, NamedTuple

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.ingest.commits import Commits
from firmograph.ingest.do_not_call.remarking import Remarking
from firmograph.kit.clock import Clock, day_number
from firmograph.kit.errors import FirmographError
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.digest_spool import DigestSpool
from firmograph.privacy.do_not_call.registry import add_digests, count_by_day, count_numbers, remove_digests

_PART: Final = 5_000
"""Numbers of a commit, which holds the writer for a few milliseconds."""
_FIRST_DAY: Final = date(1970, 1, 1)


class RegistryChange(NamedTuple):
    """Result of a change of the registry."""

    numbers: int
    """Numbers that were given."""
    changed: int
    """Numbers that were added or removed."""
    contacts: int
    """Contacts whose marks changed."""


class DayCount(NamedTuple):
    """Numbers of the registry that were added on a day."""

    day: str
    numbers: int


class DoNotCall:
    """The registry and the marks of the records that are held."""

    def __init__(self, database: Database, digests: Digests, clock: Clock, remarking: Remarking) -> None:
        self._database = database
        self._digests = digests
        self._clock = clock
        self._remarking = remarking

    def add(
        self,
        numbers: Iterable[str],
        action: str,
        *,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> RegistryChange:
        """Add numbers, given as E.164, and mark the contacts that have them; reads all numbers before it writes.

        `action` is that of the audit. After an interruption the same call does the rest.
        """
        day = day_number(self._clock.seconds())
        return self._change(
            numbers, action, lambda session, part: add_digests(session, part, day), on_wait, on_progress
        )

    def remove(
        self,
        numbers: Iterable[str],
        action: str,
        *,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> RegistryChange:
        """Remove numbers, and the marks that no source states. After an interruption the same call does the rest."""
        return self._change(numbers, action, remove_digests, on_wait, on_progress, lifts=True)

    def counts(self) -> list[DayCount]:
        """Return how many numbers were added on each day, oldest first."""
        with self._database.read() as session:
            return [
                DayCount((_FIRST_DAY + timedelta(days=day)).isoformat(), count)
                for day, count in count_by_day(session)
            ]

    def _change(
        self,
        numbers: Iterable[str],
        action: str,
        change: Callable[[Session, Sequence[bytes]], None],
        on_wait: Callable[[FirmographError], None],
        on_progress: Callable[[int, int], None],
        *,
        lifts: bool = False,
    ) -> RegistryChange:
        commits = Commits(self._database, on_wait)
        with DigestSpool() as spool:
            for number in numbers:
                spool.add(self._digests.phone_number(number))
            given, before = spool.count, self._count()
            person = spool.first() if given == 1 else None
            for part in spool.sorted_parts(_PART):
                commits.run_with_retry(partial(self._commit, change, part))
        changed = abs(self._count() - before)
        contacts = self._remarking.run(lifts=lifts, on_wait=on_wait, on_progress=on_progress)
        details = {"numbers": given, "changed": changed, "contacts": contacts}
        commits.run_with_retry(lambda: self._record(action, person, details))
        return RegistryChange(given, changed, contacts)

    def _commit(self, change: Callable[[Session, Sequence[bytes]], None], part: Sequence[bytes]) -> None:
        with self._database.write(RECORDS) as session:
            change(session, part)

    def _count(self) -> int:
        with self._database.read() as session:
            return count_numbers(session)

    def _record(self, action: str, person: bytes | None, details: Mapping[str, int]) -> None:
        with self._database.write(None) as session:
            OperatorAudit().record(session, self._clock.seconds(), action, person=person, details=details)
