"""Export of merged records: all, those that match filters, or those that changed since an earlier export.

Records are read in short transactions, so an export holds up nobody and sees each record as it is when its turn comes.
Suppressed people have no record. Values that an account bought for itself are not in records.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from firmograph.database.connection import Database, Session
from firmograph.directory import record_store
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.record_store import WholeCompany, WholeContact, WholeRecord
from firmograph.directory.records import Company, CompanyRef, Contact
from firmograph.directory.stored_views import view_summary
from firmograph.indexing.change_batches import changed_numbers, reached_position
from firmograph.ingest.merging.origins import Origins, read_origins
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity, RecordIds

_BATCH: Final = 500
"""Records read in one transaction, also of the largest a few megabytes."""


class ExportedRecord(NamedTuple):
    id: str
    record: Contact | Company | None
    """None if it was deleted since the export before."""
    employer_id: str = ""
    """Id of the record of a contact's company."""
    origins: Origins | None = None
    """None if they were not asked for."""


class RecordContent(NamedTuple):
    """Records to export."""

    entity: Entity
    most: int
    """Upper bound of their number."""
    closer_bound: Callable[[], int]
    """Returns a bound for which all records may have to be read."""
    reached: int
    """Position of the change sequence up to which all changes are in the export."""
    records: Iterator[ExportedRecord]


class RecordExport:
    def __init__(self, database: Database, record_ids: RecordIds) -> None:
        self._database = database
        self._record_ids = record_ids

    def everything(self, entity: Entity, *, origins: bool = False) -> RecordContent:
        """Return all records of a kind in the order of their numbers."""
        reached = reached_position(self._database)
        session = self._database.session()
        return RecordContent(
            entity,
            record_store.highest_number(session, entity),
            lambda: record_store.count_records(self._database.session(), entity),
            reached,
            self._in_order(entity, origins),
        )

    def changed(self, entity: Entity, since: int, *, origins: bool = False) -> RecordContent:
        """Return the records that changed after a position, each once as it is now, and those that were deleted.

        Raises Refused for a position that the database has not reached.
        """
        reached = reached_position(self._database)
        if since > reached:
            raise Refused(
                f"The database has reached {reached} only, not {since}: it is another one, or was restored from an"
                " older backup. Export everything again, without --since"
            )
        numbers = changed_numbers(self._database, entity, since, reached)
        batches = _batches(numbers)
        return RecordContent(
            entity,
            len(numbers),
            lambda: len(numbers),
            reached,
            self._by_number(entity, batches, origins, deleted=True),
        )

    def matching(
        self, entity: Entity, find: Callable[[], "FoundNumbers"], *, origins: bool = False
    ) -> RecordContent:
        """Return the records that a search finds, in its order."""
        reached = reached_position(self._database)
        total, batches = find()
        return RecordContent(
            entity, total, lambda: total, reached, self._by_number(entity, batches, origins, deleted=False)
        )

    def one(self, entity: Entity, number: int) -> ExportedRecord | None:
        """Return a record with its origins, None if it does not exist."""
        return next(self._by_number(entity, [[number]], True, deleted=False), None)

    def _in_order(self, entity: Entity, origins: bool) -> Iterator[ExportedRecord]:
        last = 0
        while True:
            with self._database.read() as session:
                stored = record_store.records_after(session, entity, last, _BATCH)
                batch = list(self._exported(session, entity, stored, origins))
            if not stored:
                return
            yield from batch
            last = max(stored)

    def _by_number(
        self, entity: Entity, batches: Iterable[Sequence[int]], origins: bool, *, deleted: bool
    ) -> Iterator[ExportedRecord]:
        """Yield records by number; of those that do not exist, with `deleted`, the id alone."""
        for numbers in batches:
            with self._database.read() as session:
                stored = record_store.records_by_number(session, entity, numbers)
                in_order = {number: stored[number] for number in numbers if number in stored}
                found = dict(zip(in_order, self._exported(session, entity, in_order, origins), strict=True))
            for number in numbers:
                if number in found:
                    yield found[number]
                elif deleted:
                    yield ExportedRecord(self._record_ids.seal(entity, number), None)

    def _exported(
        self, session: Session, entity: Entity, stored: Mapping[int, WholeRecord], origins: bool
    ) -> Iterator[ExportedRecord]:
        records = {number: _decode(each) for number, each in stored.items()}
        found = read_origins(session, entity, records) if origins else {}
        for number, record in records.items():
            whole = stored[number]
            employer = ""
            if (
                isinstance(record, Contact)
                and isinstance(whole, WholeContact)
                and whole.company_id is not None
            ):
                employer = self._record_ids.seal(Entity.COMPANY, whole.company_id)
                record.company = _employer(record.company or CompanyRef(), whole.company_summary)
            yield ExportedRecord(self._record_ids.seal(entity, number), record, employer, found.get(number))


class FoundNumbers(NamedTuple):
    """Result of a search."""

    total: int
    batches: Iterator[Sequence[int]]


def _batches(numbers: Iterable[int]) -> Iterator[list[int]]:
    waiting = iter(numbers)
    while batch := list(islice(waiting, _BATCH)):
        yield batch


def _decode(stored: WholeRecord) -> Contact | Company:
    return decode_company(stored.parts) if isinstance(stored, WholeCompany) else decode_contact(stored.parts)


def _employer(named: CompanyRef, summary: bytes | None) -> CompanyRef:
    """Return the employer with name and domain of its own record, where that has them."""
    if summary is None:
        return named
    view = view_summary(summary)
    domain = None if view.domain is UNSET else view.domain
    # a company that nobody named shows its domain or page
    is_named = view.name not in ("", domain, named.linkedin_url)
    return replace(named, name=view.name if is_named else named.name, domain=domain or named.domain)
