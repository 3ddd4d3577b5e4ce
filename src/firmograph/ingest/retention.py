"""Removal of contacts that every source has left unseen for long (docs/reference/retention.md).

They go as by the removal of a source: without hashes, so that a later import may bring them back as new records.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from pyroaring import BitMap

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.record_store import source_names
from firmograph.ingest.commits import Commits
from firmograph.ingest.imports import sighting_store as store
from firmograph.ingest.imports.sightings import find_base, unseen_since
from firmograph.ingest.merging.record_deletion import RecordDeletion
from firmograph.ingest.merging.store import sources_of_contacts
from firmograph.jobs.scheduler import JobPart
from firmograph.kit.clock import Clock, day_number
from firmograph.kit.errors import FirmographError, Refused
from firmograph.operator_audit.service import OperatorAudit

_PART: Final = 25
"""Contacts of a transaction, which holds the writer briefly."""
_READ: Final = 2_000
"""Contacts whose sources are read at a time."""


class ExpiredContacts(NamedTuple):
    """Contacts that retention would remove."""

    contacts: int
    sources: dict[str, int]
    """Their number by each source with rows of them."""


class Retention:
    """Retention of the contacts of one database."""

    def __init__(self, database: Database, clock: Clock, deletion: RecordDeletion, days: int) -> None:
        """Take the days after which contacts go, 0 for never."""
        self._database = database
        self._clock = clock
        self._deletion = deletion
        self._days = days
        self._after = 0
        """The last contact that the job looked at in this period."""

    def preview(self, days: int = 0) -> ExpiredContacts:
        """Return what would go, after other `days` than the setting's if given. Raises Refused without either."""
        with self._database.read() as session:
            names = source_names(session)
            contacts, sources = 0, Counter[str]()
            for _, found in self._expired(session, self._unseen(session, self._checked(days)), 0):
                contacts += 1
                sources.update(names[source] for source in found)
        return ExpiredContacts(contacts, dict(sorted(sources.items())))

    def remove(
        self,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
    ) -> int:
        """Remove what is due now; return the number of contacts. Raises Refused if retention is off."""
        self._checked(0)
        commits, removed = Commits(self._database, on_wait), 0
        self._after = 0
        while part := commits.run_with_retry(self._next_part):
            removed += commits.run_with_retry(partial(self._commit, part))
        commits.run_with_retry(partial(self._record, removed))
        return removed

    def _record(self, removed: int) -> None:
        with self._database.write(None) as session:
            details = {"contacts": removed}
            OperatorAudit().record(session, self._clock.seconds(), "privacy retention", details=details)

    def find_part(self, session: Session, now: float) -> JobPart | None:
        """Return the next part of the daily job, None if retention is off."""
        numbers = self._find(session) if self._days else []
        if numbers:
            return JobPart((RECORDS,), lambda session, now: self._remove(session, numbers, now))
        self._after = 0
        return JobPart((RECORDS,), self._drop_old_sightings) if self._days else None

    def _checked(self, days: int) -> int:
        if not (days or self._days):
            raise Refused(
                "Retention is off: set FIRMOGRAPH_RETENTION_CONTACT_DAYS, or ask with --dry-run --days N"
            )
        return days or self._days

    def _next_part(self) -> list[int]:
        with self._database.read() as session:
            return self._find(session)

    def _commit(self, numbers: Sequence[int]) -> int:
        with self._database.write(RECORDS) as session:
            return self._remove(session, numbers, self._clock.seconds())

    # --- rules ---

    def _last_day(self, days: int) -> int:
        return day_number(self._clock.seconds()) - days

    def _unseen(self, session: Session, days: int) -> Mapping[int, BitMap]:
        """Return the contacts that each source has left unseen; none of one that is being imported."""
        names = source_names(session)
        importing = store.importing_sources(session, self._clock.seconds())
        return {
            source: unseen_since(sightings, self._last_day(days))
            for source, sightings in store.select_sightings(session).items()
            if names.get(source) not in importing
        }

    def _expired(
        self, session: Session, unseen: Mapping[int, BitMap], after: int
    ) -> Iterator[tuple[int, set[int]]]:
        """Yield the contacts after a number that all their sources left unseen, with these."""
        candidates = BitMap.union(*unseen.values()) if unseen else BitMap()
        numbers = candidates.iter_equal_or_larger(after + 1)
        while part := list(islice(numbers, _READ)):
            yield from self._due(session, unseen, part)

    def _due(
        self, session: Session, unseen: Mapping[int, BitMap], numbers: Sequence[int]
    ) -> Iterator[tuple[int, set[int]]]:
        for number, sources in sorted(sources_of_contacts(session, numbers).items()):
            if all(number in unseen.get(source, ()) for source in sources):
                yield number, sources

    def _find(self, session: Session) -> list[int]:
        """Return the next contacts to remove."""
        expired = self._expired(session, self._unseen(session, self._days), self._after)
        found = [number for number, _ in islice(expired, _PART)]
        if found:
            self._after = found[-1]
        return found

    def _remove(self, session: Session, numbers: Sequence[int], now: float) -> int:
        """Remove those of these contacts that are still due; return how many were looked at."""
        due = {number for number, _ in self._due(session, self._unseen(session, self._days), numbers)}
        self._deletion.delete_contacts(session, due, now)
        return len(numbers)

    def _drop_old_sightings(self, session: Session, now: float) -> int:
        """Drop sightings that are older than each source needs; return 0, as it ends the job."""
        for source, sightings in store.select_sightings(session).items():
            base = find_base(sightings, self._last_day(self._days))
            if base is not None:
                store.delete_older(session, source, base.import_id)
        return 0
