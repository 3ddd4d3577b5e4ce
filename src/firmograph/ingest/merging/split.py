"""Splits of wrongly merged records: the rows of a record, and rows moved to a record of their own.

Everything stored by record number (paid units, signals, subscriptions) stays with the old record. All rows of both
records are remembered with their record, so that an import of the same files finds it before any shared key.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.record_store import source_names
from firmograph.directory.records import Company, Contact
from firmograph.directory.row_keys import CONTACTS_SUFFIX, STUB_SOURCE, row_id
from firmograph.ingest.commits import Commits
from firmograph.ingest.merging import split_store, store
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.origins import OF_CONTACTS
from firmograph.ingest.merging.source_history import Row, Rows, RowSlot, history_of
from firmograph.ingest.merging.split_batches import CompanySplit, ContactSplit, EmployerSplit
from firmograph.ingest.merging.split_rows import stored_row_digests
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit
from firmograph.security.record_ids import Entity, MalformedId, RecordIds

_RELINKED = 100
"""Contacts per commit."""


class MatchingKey(NamedTuple):
    kind: str
    value: str


class RowView(NamedTuple):
    """A source's row of a record."""

    source: str
    """`""` for a company as other records name it."""
    source_id: str
    day: str
    keys: list[MatchingKey]
    """The keys that match rows, strongest first."""
    versions: int
    """How many versions arrived, this one included."""
    of_contacts: bool = False
    """Whether it holds employer details from the source's contacts."""

    def name(self) -> str:
        """Return the row's name on the command line."""
        return f"{self.source}/{self.source_id}" + (OF_CONTACTS if self.of_contacts else "")


class RecordView(NamedTuple):
    entity: Entity
    number: int
    id: str
    rows: list[RowView]


class SplitResult(NamedTuple):
    """The result of a split."""

    entity: Entity
    old_id: str
    new_id: str
    moved: list[str]
    """Names of the new record's rows."""
    kept: list[str]
    """Names of the old record's rows."""
    contacts: int
    """Number of contacts relinked from the old company to the new one."""


class MovedRows(NamedTuple):
    """Rows that were moved to another record."""

    entity: Entity
    old: int
    new: int
    slots: Collection[RowSlot]


class RecordSplitter:
    """Operator actions on the rows of a record: show them, split some off."""

    def __init__(
        self,
        database: Database,
        digests: Digests,
        record_ids: RecordIds,
        clock: Clock,
        on_moved: Callable[[Session, MovedRows], None] = lambda session, moved: None,
    ) -> None:
        """Create a splitter; `on_moved` is called in the transaction of each split."""
        self._database = database
        self._on_moved = on_moved
        self._digests = digests
        self._tokens = record_ids
        self._clock = clock

    def show(self, id: str) -> RecordView:
        """Return the rows of a contact or company. Raise Refused when the id has no record."""
        with self._database.read() as session:
            entity, number = self._find_record(session, id)
            names = source_names(session)
            rows = store.read_rows(session, entity, [number])[number]
            whole = _whole(session, entity, number)
            views = [
                _row_view(names[source], stored_id, row, whole)
                for (source, stored_id), row in sorted(rows.items())
            ]
        return RecordView(entity, number, self._tokens.seal(entity, number), views)

    def split(self, id: str, rows: Sequence[str]) -> SplitResult:
        """Move the named rows to a new record. Raise Refused when one is unknown or none would stay."""
        linker = Linker(self._digests)
        with self._database.write(RECORDS) as session:
            entity, number = self._find_record(session, id)
            sources = store.number_sources(session, STUB_SOURCE)
            names = _source_names(sources)
            stored = store.read_rows(session, entity, [number])[number]
            moved = _find_slots(stored, names, rows)
            linker.begin(session)
            kind = CompanySplit if entity is Entity.COMPANY else ContactSplit
            new, moved = kind(session, self._digests, linker, sources, STUB_SOURCE, "").split(number, moved)
            linker.end(session)
            records = store.read_rows(session, entity, [number, new])
            self._remember(session, entity, names, records)
            self._on_moved(session, MovedRows(entity, number, new, moved))
            details: dict[str, int | str] = {"kind": entity.singular, "rows": len(moved)}
            OperatorAudit().record(session, self._clock.seconds(), "record split", details=details)
        contacts = self._relink(number, new) if entity is Entity.COMPANY else 0
        return SplitResult(
            entity,
            self._tokens.seal(entity, number),
            self._tokens.seal(entity, new),
            moved=[_row_name(slot, names) for slot in sorted(records[new])],
            kept=[_row_name(slot, names) for slot in sorted(records[number])],
            contacts=contacts,
        )

    def _relink(self, old: int, new: int) -> int:
        """Link contacts of the old company whose rows name the new one to that one, in short commits."""
        with self._database.read() as session:
            numbers = split_store.employee_numbers(session, old)
        commits = Commits(self._database)
        relinked = 0
        for start in range(0, len(numbers), _RELINKED):
            part = numbers[start : start + _RELINKED]
            relinked += commits.run_with_retry(lambda part=part: self._relink_part(part, old, new))  # type: ignore[misc]
        return relinked

    def _relink_part(self, numbers: Sequence[int], old: int, new: int) -> int:
        linker = Linker(self._digests)
        with self._database.write(RECORDS) as session:
            sources = store.number_sources(session, STUB_SOURCE)
            batch = EmployerSplit(session, self._digests, linker, sources, STUB_SOURCE, "")
            return batch.relink(numbers, old, new)

    def _find_record(self, session: Session, id: str) -> tuple[Entity, int]:
        for entity in Entity:
            try:
                number = self._tokens.open(entity, id)
            except MalformedId:
                break
            if number is not None and split_store.record_exists(session, entity, number):
                return entity, number
        raise Refused(
            "There is no contact or company of that id; `firmograph prospect contacts --ids`, or companies, shows ids"
        )

    def _remember(
        self, session: Session, entity: Entity, names: Mapping[int, str], records: Mapping[int, Rows]
    ) -> None:
        """Store the record of every row for later imports."""
        remembered: dict[bytes, int] = {}
        for number, rows in records.items():
            whole = _whole(session, entity, number)
            for (source, source_id), row in rows.items():
                if source != STUB_SOURCE_NUMBER:
                    record = _row_record(row, whole)
                    for digest in stored_row_digests(self._digests, names[source], source_id, row, record):
                        remembered[digest] = number
        split_store.put_splits(session, entity, remembered)


def _source_names(sources: Mapping[str, int]) -> dict[int, str]:
    return {number: name for name, number in sources.items()}


def _row_name(slot: RowSlot, names: Mapping[int, str]) -> str:
    source, stored_id = slot
    return f"{names[source]}/{row_id(stored_id)}" + (
        OF_CONTACTS if stored_id.endswith(CONTACTS_SUFFIX) else ""
    )


def _find_slots(stored: Rows, names: Mapping[int, str], rows: Collection[str]) -> set[RowSlot]:
    """Return the slots of the named rows. Raise Refused for rows that cannot be moved."""
    by_name = {_row_name(slot, names): slot for slot in stored if slot[0] != STUB_SOURCE_NUMBER}
    available = (
        "Its rows are " + ", ".join(by_name) if by_name else "It has no rows; only other records name it"
    )
    for row in rows:
        if row in by_name:
            continue
        if row.startswith(f"{STUB_SOURCE}/"):
            raise Refused(
                f"{row} is only the name of this company in other records and cannot be moved. {available}"
            )
        raise Refused(f"The record has no row {row}. {available}")
    moved = {by_name[row] for row in rows}
    if not moved:
        raise Refused(f"Name at least one row by --row SOURCE/SOURCEID. {available}")
    if len(moved) == len(by_name):
        raise Refused(f"At least one row has to stay. {available}")
    return moved


def _whole(session: Session, entity: Entity, number: int) -> Contact | Company:
    """Return the record, which is also the record of its only row if that has no body."""
    if entity is Entity.CONTACT:
        return decode_contact(store.read_contact_parts(session, [number])[number][1])
    return decode_company(store.read_company_parts(session, [number])[number])


def _row_record(row: Row, whole: Contact | Company) -> Contact | Company:
    """Return the record of a row: the whole record where the row has no body."""
    return whole if row.row is None else msgspec.json.decode(row.row, type=type(whole))


def _row_view(source: str, stored_id: str, row: Row, whole: Contact | Company) -> RowView:
    source_id = row_id(stored_id)
    record = _row_record(row, whole)
    keys = [MatchingKey("sourceId", source_id)] if source_id and source else []
    if record.social_links and record.social_links.linkedin:
        keys.append(MatchingKey("linkedin", record.social_links.linkedin))
    keys += _contact_keys(record) if isinstance(record, Contact) else _company_keys(record)
    versions = 1 + len(history_of(row).versions)
    return RowView(source, source_id, row.day, keys, versions, stored_id.endswith(CONTACTS_SUFFIX))


def _contact_keys(record: Contact) -> list[MatchingKey]:
    keys = [MatchingKey("email", email.email) for email in record.emails]
    name = record.full_name or " ".join(filter(None, (record.first_name, record.last_name)))
    employer = record.company and (
        record.company.name or record.company.domain or record.company.linkedin_url
    )
    return [*keys, MatchingKey("name", f"{name} at {employer}" if employer else name)] if name else keys


def _company_keys(record: Company) -> list[MatchingKey]:
    keys = [MatchingKey("domain", record.domain)] if record.domain else []
    country = record.location.country_iso2 if record.location else None
    if record.name:
        keys.append(MatchingKey("name", f"{record.name}, {country}" if country else record.name))
    return keys
