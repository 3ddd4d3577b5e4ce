"""One batch of contacts: resolve each row to a record, merge, and write, in the caller's transaction."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from firmograph.database.connection import Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.contact_json import encode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.matching import first_names_compatible, last_names_agree, names_contradict
from firmograph.directory.names import full_name_key
from firmograph.directory.records import Contact
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.employers import Employers
from firmograph.ingest.merging.existing import write_records, write_rows_and_keys
from firmograph.ingest.merging.existing_contacts import ContactKeys, HeldContact, Names
from firmograph.ingest.merging.job_moves import JobMoves
from firmograph.ingest.merging.merge import DatedContact, job_of, marks_of, merge_contacts, numbered
from firmograph.ingest.merging.source_history import (
    NO_REMAINS,
    Remains,
    Row,
    Rows,
    by_name,
    first_history,
    history_of,
    is_known,
    restated,
)
from firmograph.ingest.merging.split_rows import SplitContactRows
from firmograph.ingest.records.prepared_rows import PreparedContact
from firmograph.ingest.summary import Outcome
from firmograph.security.record_ids import Entity

_decode = msgspec.json.Decoder(Contact).decode
_encode = msgspec.json.Encoder().encode


class _Incoming:
    """A prepared row with its keys, strongest first, and the record of its employer."""

    __slots__ = ("company_id", "emails_from", "only_named", "prepared", "roles_from", "strong")

    def __init__(self, prepared: PreparedContact) -> None:
        self.prepared = prepared
        self.company_id: int | None = None
        keys = [key for key in (prepared.source_digest, prepared.linkedin_digest) if key is not None]
        self.emails_from = len(keys)
        """The place of the first e-mail among the keys."""
        self.strong = keys + prepared.email_digests + prepared.role_digests
        self.roles_from = len(self.strong) - len(prepared.role_digests)
        """The place of the first role mailbox."""
        self.only_named = prepared.linkedin_digest is None and len(self.strong) == self.emails_from

    def names(self) -> Names:
        return Names(self.prepared.first_name, self.prepared.last_name)


class ContactBatch:
    """Applies prepared rows of one source to the records, in their order in the file."""

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
        """How many `apply` has detected that were not held before."""
        self._held: dict[int, HeldContact] = {}
        self._by_key: dict[bytes, list[int]] = {}
        self._kept_elsewhere: set[store.Key] = set()
        self._splits = SplitContactRows(session, digests, source)
        self._refused_pages: set[store.Key] = set()
        """The keys by which rows come back to the records that they made when their LinkedIn page was refused."""

    def apply(
        self, prepared: Sequence[PreparedContact], in_time: Callable[[], bool] = lambda: True
    ) -> list[Outcome]:
        """The outcomes of the first rows, at least one: of all as long as it is in time.

        Everything is written, or, on an exception, left to the rollback.
        """
        rows = [_Incoming(row) for row in prepared]
        blocked = self._blocked(rows)
        employers = Employers(prepared, blocked)
        employers.apply(self._companies(), in_time)
        rows = list(takewhile(lambda row: not employers.is_left(row.prepared.line), rows))
        for row in rows:
            row.company_id = employers.number(row.prepared.line)
        named = [row for row in rows if row.company_id is None]
        self._linker.link(self._session, [row.prepared.employer for row in named if row.prepared.employer])
        for row in named:
            row.company_id = self._linker.number(row.prepared.employer)
        self._load(rows)
        self._next = store.counter(self._session, "contact") + 1
        outcomes: list[Outcome] = []
        for row in rows:
            line = row.prepared.line
            outcomes.append(Outcome(line, suppressed=True) if line in blocked else self._apply(row))
            if not in_time():
                break
        self._write()
        store.put_keys(self._session, Entity.CONTACT, self._refused_pages)
        if self._moves:
            self.signals = self._moves.put(self._session, self._linker.not_written())
        return [
            replace(outcome, employer=True) if outcome.line in employers.changed else outcome
            for outcome in outcomes
        ]

    def _companies(self) -> CompanyBatch:
        sources = {name: number for number, name in self._source_names.items()}
        source = self._source_names[self._source]
        common = self._session, self._digests, self._linker, sources, source, self._day
        return CompanyBatch(*common, of_contacts=True)

    def _write(self) -> None:
        batch = self._held.values()
        write_records(self._session, Entity.CONTACT, batch)
        write_rows_and_keys(self._session, Entity.CONTACT, batch, self._keys.of, self._kept_elsewhere)
        store.set_counter(self._session, "contact", self._next - 1)

    def _blocked(self, rows: Sequence["_Incoming"]) -> set[int]:
        """The lines that suppression keeps out."""
        if not store.any_suppression(self._session):
            return set()
        strong = {key for row in rows for key in row.strong}
        weak = {key for row in rows if not row.strong for key in self._weak(row)}
        hit = store.suppressed(self._session, strong, strong=True)
        hit |= store.suppressed(self._session, weak, strong=False)
        return {row.prepared.line for row in rows if not hit.isdisjoint(row.strong or self._weak(row))}

    def _weak(self, row: "_Incoming") -> list[bytes]:
        employer = row.prepared.employer
        names = (*company_keys(employer.name), employer.domain) if employer else ()
        full_name = full_name_key(row.prepared.first_name, row.prepared.last_name)
        return [self._digests.contact_name_company(full_name, name) for name in names if name]

    def _load(self, rows: Sequence["_Incoming"]) -> None:
        """Fetch every record that a row of the batch may meet, in four statements."""
        keys = {key for row in rows for key in row.strong}
        keys.update(key for row in rows if row.only_named for key in self._name_keys(row))
        self._fetch(keys)
        split = self._splits.load([row.prepared for row in rows])
        self._load_records(sorted(split - self._held.keys()))

    def _fetch(self, keys: Collection[bytes]) -> None:
        """Make the holders of these keys known."""
        found = store.find(self._session, Entity.CONTACT, keys)
        self._by_key |= found
        self._load_records(
            sorted({number for numbers in found.values() for number in numbers} - self._held.keys())
        )

    def _load_records(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        held_rows = store.rows_of(self._session, Entity.CONTACT, ids)
        for number, (company_id, fragments) in store.contact_fragments_of(self._session, ids).items():
            held = self._held[number] = HeldContact(number)
            held.company_id, held.fragments, held.rows = company_id, fragments, held_rows[number]

    def _name_keys(self, row: "_Incoming") -> list[bytes]:
        if row.company_id is None:
            return []
        return [self._digests.contact_name(row.company_id, block) for block in row.prepared.blocks]

    # --- resolve ---

    def _resolve(self, row: _Incoming) -> tuple[HeldContact | None, bool]:
        """The record that a row means, and whether a key of the row stays with another one."""
        split = self._splits.number(row.prepared)
        if split in self._held:
            return self._held[split], self._note_conflicts(row, self._held[split])
        refused = False
        for place, key in enumerate(row.strong):
            numbers = self._by_key.get(key)
            if not numbers:
                continue
            holders = (self._held[number] for number in numbers)
            held = next((one for one in holders if self._meets(row, place, one)), None)
            if key == row.prepared.linkedin_digest:
                refused = held is None
                held = self._of_page_and_name(row, held)
            if held:
                return held, self._note_conflicts(row, held)
        return (self._by_name(row) if row.only_named else None), refused

    def _of_page_and_name(self, row: _Incoming, holder: HeldContact | None) -> HeldContact | None:
        """Where a row belongs whose LinkedIn page is held: with its holder, unless the page was refused to this name.

        The record that was made then has a key of page and name, so that the same row finds it again.
        """
        if holder and (holder.names() == row.names() or self._came_before(row, holder)):
            return holder
        key = self._page_and_name(row)
        if key not in self._by_key:
            self._by_key[key] = []
            self._fetch([key])
        numbers = self._by_key[key]
        return self._held[numbers[0]] if numbers else holder

    def _page_and_name(self, row: _Incoming) -> bytes:
        assert row.prepared.linkedin_digest is not None
        return self._digests.contact_page_name(row.prepared.linkedin_digest, full_name_key(*row.names()))

    def _note_conflicts(self, row: _Incoming, winner: HeldContact) -> bool:
        """Leave with its holder every key of the row that another record of the same person holds."""
        kept = {
            (key, winner.number)
            for place, key in enumerate(row.strong)
            for number in self._by_key.get(key, ())
            if number != winner.number
            and (place < row.emails_from or self._meets(row, place, self._held[number]))
        }
        self._kept_elsewhere |= kept
        return bool(kept)

    def _meets(self, row: _Incoming, place: int, held: HeldContact) -> bool:
        """Whether the holder of a key of the row, the one at `place`, is the person of the row.

        Pages are mistyped, addresses are shared and inherited: names decide, unless this very row came before.
        """
        key, names, own = row.strong[place], held.names(), row.names()
        if key == row.prepared.source_digest:
            return True
        if key == row.prepared.linkedin_digest:
            fits = not names_contradict(own, names)
        elif place < row.roles_from:
            fits = last_names_agree(own.last, names.last) and first_names_compatible(own.first, names.first)
        else:
            fits = full_name_key(*own) == full_name_key(*names)
        return fits or self._came_before(row, held)

    def _came_before(self, row: _Incoming, held: HeldContact) -> bool:
        """Whether the record was merged from this version of the row."""
        at = (self._source, row.prepared.source_id)
        return at in held.rows and is_known(held.rows[at], row.prepared.versions())

    def _by_name(self, row: _Incoming) -> HeldContact | None:
        """The one record of the same name and employer, where neither side has a better key."""
        full_name = full_name_key(row.prepared.first_name, row.prepared.last_name)
        numbers = {number for key in self._name_keys(row) for number in self._by_key.get(key, ())}
        named = [
            held
            for number in sorted(numbers)
            if (held := self._held[number]).company_id == row.company_id
            and full_name_key(*held.names()) == full_name
        ]
        like = [held for held in named if not self._better_keyed(held, row)]
        return by_name((self._source, row.prepared.source_id), row.prepared.versions(), named, like)

    def _better_keyed(self, held: HeldContact, row: _Incoming) -> bool:
        record = held.merged()
        links = record.social_links
        if record.emails or (links and links.linkedin):
            return True
        return any(
            source == self._source
            and source_id
            and row.prepared.source_id
            and source_id != row.prepared.source_id
            for source, source_id in held.rows
        )

    # --- apply ---

    def _apply(self, row: _Incoming) -> Outcome:
        held, conflict = self._resolve(row)
        line = row.prepared.line
        if held is None:
            self._create(row, page_refused=conflict)
            return Outcome(line, created=True, conflict=conflict)
        changed = self._place(held, row.prepared, row.company_id)
        return Outcome(line, updated=changed, unchanged=not changed, conflict=conflict)

    def _create(self, row: _Incoming, *, page_refused: bool) -> None:
        prepared = row.prepared
        held = self._held[self._next] = HeldContact(self._next)
        self._next += 1
        held.made = True
        at = (self._source, prepared.source_id)
        held.rows[at] = self._row(prepared, row.company_id)
        held.touched.add(at)
        held.company_id, held.fragments = row.company_id, prepared.fragments
        held.changed = True
        held.keys = set()
        held.new_keys = [*row.strong, *self._name_keys(row)]
        if page_refused:
            self._refuse_page(row, held)
        for key in held.new_keys:
            self._by_key.setdefault(key, []).append(held.number)

    def _refuse_page(self, row: _Incoming, made: HeldContact) -> None:
        """Leave the LinkedIn page with its holder; the new record has it with its name alone."""
        page, instead = row.prepared.linkedin_digest, self._page_and_name(row)
        assert page is not None
        self._kept_elsewhere.add((page, made.number))
        self._refused_pages.add((instead, made.number))
        made.new_keys = [instead if key == page else key for key in made.new_keys or ()]

    def _place(self, held: HeldContact, row: PreparedContact, company_id: int | None) -> bool:
        """Put a row among the rows of its record; whether the record is another one now."""
        at = (self._source, row.source_id)
        old = held.rows.get(at)
        if old and old.version == row.version and not row.marks:
            return False
        incoming = self._row(row, company_id)
        if old and is_known(old, row.versions()):
            again = restated(old, incoming, row.versions())
            if again is None:
                return False
            self._note_keys(held)
            return held.restate(at, again) and self._merge(held)
        self._note_keys(held)
        before = self._moves and self._moves.before(held, at)
        changed = held.place(at, incoming, _remains_of) and self._merge(held)
        if changed and self._moves and before:
            self._moves.note(before, held, at)
        return changed

    def _row(self, row: PreparedContact, company_id: int | None) -> Row:
        day = row.day or self._day
        return Row(row.version, day, company_id, row.row, first_history(day, row.marks, row.typed))

    def _note_keys(self, held: HeldContact) -> None:
        """Note the keys that a record holds before its rows change."""
        if held.keys is None:
            held.keys = self._keys.of(held)

    def _merge(self, held: HeldContact) -> bool:
        before = held.company_id, held.fragments
        held.new_keys = None
        held.record, held.company_id = merged_contact(held.rows, self._source_names)
        held.fragments = encode_contact(held.record)
        changed = before != (held.company_id, held.fragments)
        held.changed |= changed
        for key in self._keys.of(held) - (held.keys or set()):
            numbers = self._by_key.setdefault(key, [])
            if held.number not in numbers and (key, held.number) not in self._kept_elsewhere:
                numbers.append(held.number)
        return changed


def merged_contact(rows: Rows, source_names: Mapping[int, str]) -> tuple[Contact, int | None]:
    """The record of a contact whose rows all have bodies, and the number of its employer's record."""
    return merge_contacts(
        [_dated(row, source_names[source], source_id) for (source, source_id), row in rows.items()]
    )


def _dated(row: Row, source: str, source_id: str) -> DatedContact:
    record, history = _decode(row.row or b"{}"), history_of(row)
    return DatedContact(
        row.day, source, source_id, record, row.company_id, history.past_jobs(), history.marks, history.typed
    )


def _remains_of(row: Row) -> Remains:
    """The job that a row shows, if it names an employer, and the numbers that it has as do-not-call."""
    if row.row is None:
        return NO_REMAINS
    record = _decode(row.row)
    job = None if row.company_id is None else numbered(job_of(record, row.company_id), row.company_id)
    return Remains(job, marks_of(record, row.day))
