"""One batch of contacts: rows resolved, merged and written in the caller's transaction."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from firmograph.database.connection import Session
from firmograph.directory.contact_json import encode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.matching import first_names_compatible, last_names_agree, names_contradict
from firmograph.directory.names import full_name_key
from firmograph.directory.records import Contact, PastJob
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.contact_rows import EmployerRows, KeyedContactRow
from firmograph.ingest.merging.contact_state import ContactKeys, ContactState
from firmograph.ingest.merging.job_moves import JobMoves
from firmograph.ingest.merging.merge import (
    DatedContact,
    current_job,
    merge_contacts,
    with_company_id,
)
from firmograph.ingest.merging.record_state import (
    Effects,
    effects_of,
    write_records,
    write_rows_and_keys,
)
from firmograph.ingest.merging.source_history import (
    Row,
    Rows,
    choose_by_name,
    has_version,
    history_of,
    initial_history,
    restate_row,
)
from firmograph.ingest.merging.split_rows import SplitContactRows
from firmograph.ingest.merging.suppressed_rows import suppressed_lines
from firmograph.ingest.records.prepared_rows import PreparedContact
from firmograph.ingest.summary import RowResult
from firmograph.privacy.do_not_call.registry import ListedNumbers
from firmograph.security.record_ids import Entity

_decode = msgspec.json.Decoder(Contact).decode


class ContactBatch:
    """Prepared rows of one source, applied to the records in file order."""

    def __init__(
        self,
        session: Session,
        digests: Digests,
        linker: Linker,
        sources: dict[str, int],
        source: str,
        day: str,
        moves: JobMoves | None = None,
    ) -> None:
        self._session = session
        self._digests = digests
        self._linker = linker
        self._source_names = {number: name for name, number in sources.items()}
        self._keys = ContactKeys(digests, self._source_names)
        self._source = sources[source]
        self._day = day
        self._moves = moves
        self.signals = 0
        """How many new signals `apply` detected."""
        self._contacts: dict[int, ContactState] = {}
        self._by_key: dict[bytes, list[int]] = {}
        self._withheld: set[store.StoredKey] = set()
        self._splits = SplitContactRows(session, digests, source)
        self._refused_pages: set[store.StoredKey] = set()
        """Page and name keys of records created because a LinkedIn page was refused to the row's name."""
        self._do_not_call = ListedNumbers(session, digests)
        self._met: set[int] = set()
        self._named: set[int] = set()
        """Companies that its rows name."""
        self._employers: CompanyBatch | None = None

    def apply(
        self, prepared: Sequence[PreparedContact], in_time: Callable[[], bool] = lambda: True
    ) -> list[RowResult]:
        """Apply rows until the time is up, at least one, and return their outcomes.

        Writes the batch before it returns; an exception leaves everything to the caller's rollback.
        """
        rows = [KeyedContactRow(row) for row in prepared]
        suppressed = suppressed_lines(self._session, self._digests, rows)
        employers = EmployerRows(prepared, suppressed)
        self._employers = self._company_batch()
        employers.apply(self._employers, in_time)
        rows = list(takewhile(lambda row: not employers.is_pending(row.prepared.line), rows))
        for row in rows:
            row.company_id = employers.number(row.prepared.line)
        # of suppressed people nothing is stored, so no stub of their employers either
        named = [row for row in rows if row.company_id is None and row.prepared.line not in suppressed]
        self._linker.link(self._session, [row.prepared.employer for row in named if row.prepared.employer])
        for row in named:
            row.company_id = self._linker.number(row.prepared.employer)
        # also of rows that a later commit applies: their stubs are written with this one
        self._named.update(row.company_id for row in rows if row.company_id is not None)
        self._load(rows)
        self._do_not_call.ask_of(row.prepared.fragments for row in rows)
        self._next = store.read_counter(self._session, "contact") + 1
        outcomes: list[RowResult] = []
        for row in rows:
            line = row.prepared.line
            outcomes.append(RowResult(line, suppressed=True) if line in suppressed else self._apply(row))
            if not in_time():
                break
        self._write()
        store.put_keys(self._session, Entity.CONTACT, self._refused_pages)
        if self._moves:
            self.signals = self._moves.write_signals(self._session, self._linker.unwritten_stubs())
        return [
            replace(outcome, employer=True) if outcome.line in employers.changed else outcome
            for outcome in outcomes
        ]

    def effects(self) -> list[Effects]:
        """Return what `apply` did, also to the employers."""
        own = effects_of(Entity.CONTACT, self._met, self._named, self._contacts.values())
        return [own, *(self._employers.effects() if self._employers else ())]

    def _company_batch(self) -> CompanyBatch:
        sources = {name: number for number, name in self._source_names.items()}
        source = self._source_names[self._source]
        common = self._session, self._digests, self._linker, sources, source, self._day
        return CompanyBatch(*common, of_contacts=True)

    def _write(self) -> None:
        batch = self._contacts.values()
        write_records(self._session, Entity.CONTACT, batch)
        write_rows_and_keys(self._session, Entity.CONTACT, batch, self._keys.all_keys, self._withheld)
        store.set_counter(self._session, "contact", self._next - 1)

    def _load(self, rows: Sequence[KeyedContactRow]) -> None:
        """Load every record that a row of the batch may match, in four statements."""
        keys = {key for row in rows for key in row.strong}
        keys.update(key for row in rows if row.name_only for key in self._name_keys(row))
        self._load_holders(keys)
        split = self._splits.load([row.prepared for row in rows])
        self._load_records(sorted(split - self._contacts.keys()))

    def _load_holders(self, keys: Collection[bytes]) -> None:
        """Load the records that hold these keys."""
        found = store.find_by_keys(self._session, Entity.CONTACT, keys)
        self._by_key |= found
        self._load_records(
            sorted({number for numbers in found.values() for number in numbers} - self._contacts.keys())
        )

    def _load_records(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        stored_rows = store.read_rows(self._session, Entity.CONTACT, ids)
        for number, (company_id, parts) in store.read_contact_parts(self._session, ids).items():
            contact = self._contacts[number] = ContactState(number)
            contact.company_id, contact.parts, contact.rows = company_id, parts, stored_rows[number]

    def _name_keys(self, row: KeyedContactRow) -> list[bytes]:
        return self._keys_at_employer(row, row.prepared.blocking_keys)

    def _keys_at_employer(self, row: KeyedContactRow, keys: Iterable[str]) -> list[bytes]:
        company = row.company_id
        return [] if company is None else [self._digests.contact_name(company, key) for key in keys]

    # --- resolve ---

    def _resolve(self, row: KeyedContactRow) -> tuple[ContactState | None, bool]:
        """Return the record of a row, and whether a key of the row stays with another one."""
        split = self._splits.number(row.prepared)
        if split in self._contacts:
            return self._contacts[split], self._withhold_keys(row, self._contacts[split])
        refused = False
        for index, key in enumerate(row.strong):
            numbers = self._by_key.get(key)
            if not numbers:
                continue
            holders = (self._contacts[number] for number in numbers)
            contact = next((one for one in holders if self._is_same_person(row, index, one)), None)
            if key == row.prepared.linkedin_digest:
                refused = contact is None
                contact = self._resolve_page(row, contact)
            if contact:
                return contact, self._withhold_keys(row, contact)
        return (self._by_name(row) if row.name_only else None), refused

    def _resolve_page(self, row: KeyedContactRow, holder: ContactState | None) -> ContactState | None:
        """Return the record of a row whose LinkedIn page is known: its holder, unless it refused the page to this name.

        The record created at the refusal has a key of page and name, so that the same row finds it again.
        """
        if holder and (holder.names() == row.names() or self._has_version(row, holder)):
            return holder
        key = self._page_name_key(row)
        if key not in self._by_key:
            self._by_key[key] = []
            self._load_holders([key])
        numbers = self._by_key[key]
        return self._contacts[numbers[0]] if numbers else holder

    def _page_name_key(self, row: KeyedContactRow) -> bytes:
        assert row.prepared.linkedin_digest is not None
        return self._digests.contact_page_name(row.prepared.linkedin_digest, full_name_key(*row.names()))

    def _withhold_keys(self, row: KeyedContactRow, winner: ContactState) -> bool:
        """Withhold every key of the row that another record of the same person holds; return whether there is any."""
        withheld = {
            (key, winner.number)
            for index, key in enumerate(row.strong)
            for number in self._by_key.get(key, ())
            if number != winner.number
            and (index < row.emails_from or self._is_same_person(row, index, self._contacts[number]))
        }
        self._withheld |= withheld
        return bool(withheld)

    def _is_same_person(self, row: KeyedContactRow, index: int, contact: ContactState) -> bool:
        """Return whether the holder of the row's key at `index` is the same person.

        Pages are mistyped, addresses are shared and inherited: names decide, unless the record has this version.
        """
        key, names, own = row.strong[index], contact.names(), row.names()
        if key == row.prepared.source_digest:
            return True
        if key == row.prepared.linkedin_digest:
            is_match = not names_contradict(own, names)
        elif index < row.roles_from:
            is_match = last_names_agree(own.last, names.last) and first_names_compatible(
                own.first, names.first
            )
        else:
            is_match = full_name_key(*own) == full_name_key(*names)
        return is_match or self._has_version(row, contact)

    def _has_version(self, row: KeyedContactRow, contact: ContactState) -> bool:
        """Return whether the record was merged from this version of the row."""
        slot = (self._source, row.prepared.source_id)
        return slot in contact.rows and has_version(contact.rows[slot], row.prepared.version)

    def _by_name(self, row: KeyedContactRow) -> ContactState | None:
        """Return the only record of the same name and employer, where neither side has a better key."""
        full_name = full_name_key(row.prepared.first_name, row.prepared.last_name)
        numbers = {number for key in self._name_keys(row) for number in self._by_key.get(key, ())}
        namesakes = [
            contact
            for number in sorted(numbers)
            if (contact := self._contacts[number]).company_id == row.company_id
            and full_name_key(*contact.names()) == full_name
        ]
        joinable = [contact for contact in namesakes if not self._has_better_key(contact, row)]
        return choose_by_name(
            (self._source, row.prepared.source_id), row.prepared.version, namesakes, joinable
        )

    def _has_better_key(self, contact: ContactState, row: KeyedContactRow) -> bool:
        record = contact.canonical()
        links = record.social_links
        if record.emails or (links and links.linkedin):
            return True
        return any(
            source == self._source
            and source_id
            and row.prepared.source_id
            and source_id != row.prepared.source_id
            for source, source_id in contact.rows
        )

    # --- apply ---

    def _apply(self, row: KeyedContactRow) -> RowResult:
        contact, conflict = self._resolve(row)
        line = row.prepared.line
        if contact is None:
            self._create(row, page_refused=conflict)
            return RowResult(line, created=True, conflict=conflict, record=self._next - 1)
        self._met.add(contact.number)
        join = contact.join_of(self._source, self._source_names, lambda: self._joining_key(row, contact))
        changed = self._add_row(contact, row.prepared, row.company_id)
        return RowResult(
            line, updated=changed, unchanged=not changed, conflict=conflict, record=contact.number, join=join
        )

    def _joining_key(self, row: KeyedContactRow, contact: ContactState) -> str:
        """Return the name of the strongest key that a row and its record share."""
        for index, key in enumerate(row.strong):
            if contact.number in self._by_key.get(key, ()):
                if index >= row.emails_from:
                    return "email"
                return "sourceId" if key == row.prepared.source_digest else "linkedinUrl"
        return "nameAndCompany"

    def _create(self, row: KeyedContactRow, *, page_refused: bool) -> None:
        prepared = row.prepared
        contact = self._contacts[self._next] = ContactState(self._next)
        self._next += 1
        contact.is_new = True
        slot = (self._source, prepared.source_id)
        contact.rows[slot] = self._row(prepared, row.company_id)
        contact.changed_rows.add(slot)
        contact.company_id = row.company_id
        contact.parts = self._do_not_call.marked(prepared.fragments)
        contact.changed = True
        contact.keys = set()
        names = self._keys_at_employer(row, (*prepared.blocking_keys, *prepared.spelling_keys))
        contact.new_keys = [*row.strong, *names, *prepared.mailbox_digests]
        if page_refused:
            self._refuse_page(row, contact)
        for key in contact.new_keys:
            self._by_key.setdefault(key, []).append(contact.number)

    def _refuse_page(self, row: KeyedContactRow, created: ContactState) -> None:
        """Withhold the LinkedIn page from a new record, and give it the key of page and name instead."""
        page, instead = row.prepared.linkedin_digest, self._page_name_key(row)
        assert page is not None
        self._withheld.add((page, created.number))
        self._refused_pages.add((instead, created.number))
        created.new_keys = [instead if key == page else key for key in created.new_keys or ()]

    def _add_row(self, contact: ContactState, row: PreparedContact, company_id: int | None) -> bool:
        """Add a row to its record and return whether the record changed."""
        slot = (self._source, row.source_id)
        old = contact.rows.get(slot)
        if old and old.version == row.version and not row.marks:
            return False
        new_row = self._row(row, company_id)
        if old and has_version(old, row.version):
            restatement = restate_row(old, new_row)
            if restatement is None:
                return False
            self._compute_keys(contact)
            return contact.restate(slot, restatement) and self._merge(contact)
        self._compute_keys(contact)
        before = self._moves and self._moves.prior_state(contact, slot)
        changed = contact.add_row(slot, new_row, _job) and self._merge(contact)
        if self._moves and before:
            (self._moves.add_step if changed else self._moves.add_repetition)(before, contact, slot)
        return changed

    def _row(self, row: PreparedContact, company_id: int | None) -> Row:
        day = row.day or self._day
        return Row(row.version, day, company_id, row.row, initial_history(day, row.marks, row.typed))

    def _compute_keys(self, contact: ContactState) -> None:
        """Compute the stored keys of a record before its rows change."""
        if contact.keys is None:
            contact.keys = self._keys.all_keys(contact)

    def _merge(self, contact: ContactState) -> bool:
        """Merge the rows of a record, and find it by all its keys from then on; return whether it changed."""
        changed = self._merge_rows(contact)
        for key in self._keys.all_keys(contact) - (contact.keys or set()):
            numbers = self._by_key.setdefault(key, [])
            if contact.number not in numbers and (key, contact.number) not in self._withheld:
                numbers.append(contact.number)
        return changed

    def _merge_rows(self, contact: ContactState) -> bool:
        before = contact.company_id, contact.parts
        contact.new_keys = None
        contact.record, contact.company_id = merge_contact_rows(contact.rows, self._source_names)
        self._do_not_call.mark(contact.record.phones)
        contact.parts = encode_contact(contact.record)
        changed = before != (contact.company_id, contact.parts)
        contact.changed |= changed
        return changed


def merge_contact_rows(rows: Rows, source_names: Mapping[int, str]) -> tuple[Contact, int | None]:
    """Merge the rows of a contact, all with bodies; return the record and its employer's number."""
    return merge_contacts(dated_contact_rows(rows, source_names))


def dated_contact_rows(rows: Rows, source_names: Mapping[int, str]) -> list[DatedContact]:
    """Return the rows of a contact, all with bodies, as they are merged."""
    return [_dated_row(row, source_names[source], source_id) for (source, source_id), row in rows.items()]


def _dated_row(row: Row, source: str, source_id: str) -> DatedContact:
    record, history = _decode(row.row or b"{}"), history_of(row)
    return DatedContact(
        row.day, source, source_id, record, row.company_id, history.past_jobs(), history.marks, history.typed
    )


def _job(row: Row) -> PastJob | None:
    """Return the current job of a row, if it has an employer."""
    if row.row is None or row.company_id is None:
        return None
    return with_company_id(current_job(_decode(row.row), row.company_id), row.company_id)
