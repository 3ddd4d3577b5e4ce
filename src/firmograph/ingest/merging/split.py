"""Records that were merged wrongly: which rows they are made of, and how rows are given a record of their own.

Everything that is kept by the number of a record (what accounts paid, signals, subscriptions) stays with the old
one. All rows of both records are remembered with the record that they belong to, so that an import of the same files
finds it before any key that the two share.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec
import structlog

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, Contact
from firmograph.directory.row_keys import CONTACTS_SUFFIX, STUB_SOURCE, row_id
from firmograph.ingest.commits import Commits
from firmograph.ingest.merging import split_store, store
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.source_history import At, Row, Rows, history_of
from firmograph.ingest.merging.split_batches import CompanySplit, ContactSplit, EmployerSplit
from firmograph.ingest.merging.split_rows import stored_row_digests
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.kit.errors import Refused
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, MalformedId, RecordIds

_OF_CONTACTS = " (contacts)"
_RELINKED = 100
"""Contacts of one commit."""

log = structlog.get_logger("firmograph.records")


class Key(NamedTuple):
    kind: str
    value: str


class ShownRow(NamedTuple):
    """A source's row of a record."""

    source: str
    """`""` for what other records call a company."""
    source_id: str
    day: str
    keys: list[Key]
    """What a row is matched by, strongest first."""
    versions: int
    """How many came, this one included."""
    of_contacts: bool = False
    """Whether it is what contacts of the source say of their employer."""

    def name(self) -> str:
        """Return the row's name on the command line."""
        return f"{self.source}/{self.source_id}" + (_OF_CONTACTS if self.of_contacts else "")


class ShownRecord(NamedTuple):
    entity: Entity
    id: str
    rows: list[ShownRow]


class Split(NamedTuple):
    """What a split did."""

    entity: Entity
    old_id: str
    new_id: str
    moved: list[str]
    kept: list[str]
    """The names of the rows of each."""
    contacts: int
    """How many contacts of the old company are linked to the new one since."""


class Records:
    """Shows the rows of records, and splits records."""

    def __init__(self, database: Database, keyring: Keyring) -> None:
        self._database = database
        self._digests = Digests(keyring)
        self._tokens = RecordIds(keyring)

    def show(self, id: str) -> ShownRecord:
        """The rows of a contact or company. Raises Refused when there is none of this id."""
        with self._database.read() as session:
            entity, number = self._record(session, id)
            names = _source_names(store.numbered_sources(session, STUB_SOURCE))
            rows = store.rows_of(session, entity, [number])[number]
            whole = _whole(session, entity, number)
            shown = [_shown(names[at[0]], at[1], row, whole) for at, row in sorted(rows.items())]
        return ShownRecord(entity, self._tokens.seal(entity, number), shown)

    def split(self, id: str, rows: Sequence[str]) -> Split:
        """Give the named rows a new record. Raises Refused when one is not of the record, or none would stay."""
        linker = Linker(self._digests)
        with self._database.write(RECORDS) as session:
            entity, number = self._record(session, id)
            sources = store.numbered_sources(session, STUB_SOURCE)
            names = _source_names(sources)
            held = store.rows_of(session, entity, [number])[number]
            moved = _moved(held, names, rows)
            linker.begin(session)
            kind = CompanySplit if entity is Entity.COMPANY else ContactSplit
            new, moved = kind(session, self._digests, linker, sources, STUB_SOURCE, "").split(number, moved)
            linker.end(session)
            records = store.rows_of(session, entity, [number, new])
            self._remember(session, entity, names, records)
        contacts = self._relink(number, new) if entity is Entity.COMPANY else 0
        log.info(
            "a record was split",
            kind=entity.name.lower(),
            old=number,
            new=new,
            rows=len(moved),
            contacts=contacts,
        )
        return Split(
            entity,
            self._tokens.seal(entity, number),
            self._tokens.seal(entity, new),
            moved=[_name(at, names) for at in sorted(records[new])],
            kept=[_name(at, names) for at in sorted(records[number])],
            contacts=contacts,
        )

    def _relink(self, old: int, new: int) -> int:
        """Link those of the old company's contacts to the new one whose rows name it, in short commits."""
        with self._database.read() as session:
            numbers = split_store.contacts_of(session, old)
        commits = Commits(self._database)
        relinked = 0
        for start in range(0, len(numbers), _RELINKED):
            some = numbers[start : start + _RELINKED]
            relinked += commits.insist(lambda some=some: self._relink_some(some, old, new))  # type: ignore[misc]
        return relinked

    def _relink_some(self, numbers: Sequence[int], old: int, new: int) -> int:
        linker = Linker(self._digests)
        with self._database.write(RECORDS) as session:
            sources = store.numbered_sources(session, STUB_SOURCE)
            batch = EmployerSplit(session, self._digests, linker, sources, STUB_SOURCE, "")
            return batch.relink(numbers, old, new)

    def _record(self, session: Session, id: str) -> tuple[Entity, int]:
        for entity in Entity:
            try:
                number = self._tokens.open(entity, id)
            except MalformedId:
                break
            if number is not None and split_store.is_held(session, entity, number):
                return entity, number
        raise Refused("There is no contact or company of that id; give the id that answers show")

    def _remember(
        self, session: Session, entity: Entity, names: Mapping[int, str], records: Mapping[int, Rows]
    ) -> None:
        """Keep of every row which record it belongs to."""
        remembered: dict[bytes, int] = {}
        for number, rows in records.items():
            whole = _whole(session, entity, number)
            for (source, source_id), row in rows.items():
                if source != STUB_SOURCE_NUMBER:
                    said = _said(row, whole)
                    for digest in stored_row_digests(self._digests, names[source], source_id, row, said):
                        remembered[digest] = number
        split_store.put(session, entity, remembered)


def _source_names(sources: Mapping[str, int]) -> dict[int, str]:
    return {number: name for name, number in sources.items()}


def _name(at: At, names: Mapping[int, str]) -> str:
    return f"{names[at[0]]}/{row_id(at[1])}" + (_OF_CONTACTS if at[1].endswith(CONTACTS_SUFFIX) else "")


def _moved(held: Rows, names: Mapping[int, str], rows: Collection[str]) -> set[At]:
    """The rows of these names. Raises Refused for those that cannot be moved."""
    by_name = {_name(at, names): at for at in held if at[0] != STUB_SOURCE_NUMBER}
    has = "Its rows are " + ", ".join(by_name) if by_name else "It has no rows, it is only named by others"
    for row in rows:
        if row in by_name:
            continue
        if row.startswith(f"{STUB_SOURCE}/"):
            raise Refused(f"{row} is only how other records name this company and cannot be moved. {has}")
        raise Refused(f"The record has no row {row}. {has}")
    moved = {by_name[row] for row in rows}
    if not moved:
        raise Refused(f"Name at least one row by --row SOURCE/SOURCEID. {has}")
    if len(moved) == len(by_name):
        raise Refused(f"At least one row has to stay. {has}")
    return moved


def _whole(session: Session, entity: Entity, number: int) -> Contact | Company:
    """The record, which is also its only row where that has no body of its own."""
    if entity is Entity.CONTACT:
        return decode_contact(store.contact_fragments_of(session, [number])[number][1])
    return decode_company(store.company_fragments_of(session, [number])[number])


def _said(row: Row, whole: Contact | Company) -> Contact | Company:
    """Return what a row says, which is the whole record where it has no body of its own."""
    return whole if row.row is None else msgspec.json.decode(row.row, type=type(whole))


def _shown(source: str, stored_id: str, row: Row, whole: Contact | Company) -> ShownRow:
    source_id = row_id(stored_id)
    record = _said(row, whole)
    keys = [Key("sourceId", source_id)] if source_id and source else []
    if record.social_links and record.social_links.linkedin:
        keys.append(Key("linkedin", record.social_links.linkedin))
    keys += _contact_keys(record) if isinstance(record, Contact) else _company_keys(record)
    versions = 1 + len(history_of(row).versions)
    return ShownRow(source, source_id, row.day, keys, versions, stored_id.endswith(CONTACTS_SUFFIX))


def _contact_keys(record: Contact) -> list[Key]:
    keys = [Key("email", email.email) for email in record.emails]
    name = record.full_name or " ".join(filter(None, (record.first_name, record.last_name)))
    employer = record.company and (
        record.company.name or record.company.domain or record.company.linkedin_url
    )
    return [*keys, Key("name", f"{name} at {employer}" if employer else name)] if name else keys


def _company_keys(record: Company) -> list[Key]:
    keys = [Key("domain", record.domain)] if record.domain else []
    country = record.location.country_iso2 if record.location else None
    if record.name:
        keys.append(Key("name", f"{record.name}, {country}" if country else record.name))
    return keys
