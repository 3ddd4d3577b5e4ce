"""Run of a removal of a source, in commits as short as those of imports.

The rows that are left are the position of a removal, so another run goes on after one that was killed. Only the
companies that it touched are stored, for their names elsewhere.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from pyroaring import BitMap

from firmograph.database.connection import EVERY_ACCOUNT, RECORDS, SUBSCRIPTIONS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.commits import Commits, run_in_time
from firmograph.ingest.imports import removal_store, store
from firmograph.ingest.imports.removal_store import StoredRemoval
from firmograph.ingest.imports.sighting_store import delete_sighting
from firmograph.ingest.imports.source_names import FoundSource
from firmograph.ingest.imports.types import AddedCounts, RecordRole
from firmograph.ingest.imports.undo_batches import CompanyRestore, ContactRestore
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.company_mentions import CompanyMentions
from firmograph.ingest.merging.record_deletion import DeletedCompanies, RecordDeletion
from firmograph.ingest.merging.source_history import RowSlot, past_employers
from firmograph.ingest.merging.store import (
    iterate_rows_of_source,
    number_sources,
    read_contact_employers,
    read_relations,
    read_rows,
    renew_indexes,
)
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.security.record_ids import Entity
from firmograph.signals import withdrawal as facts
from firmograph.signals.job_moves.renaming import rename_companies
from firmograph.signals.types import CONTACT_TYPES, NAME_OF
from firmograph.table_rows import CellRevision
from firmograph.webhooks import withdrawal as deliveries


class RemovalCounts(AddedCounts):
    """Counts of a removal."""

    contacts_removed: int = 0
    companies_removed: int = 0
    """Companies that nothing states or names any more."""
    changed: int = 0
    """Records that remain, with other values than before or with a row less."""
    signals: int = 0
    """Signals that no other source states, without those of removed records."""
    cells: int = 0
    """Cells that show nothing any more, or were filled again."""


class RemovalProgress(msgspec.Struct):
    """Counts of a removal so far."""

    counts: RemovalCounts = msgspec.field(default_factory=RemovalCounts)
    last_company: int = 0
    """The last number of a company when it began; stubs that it makes itself are not counted."""


class AffectedRecords(NamedTuple):
    """Records with rows of a source, or former ones."""

    records: dict[Entity, BitMap]
    companies: BitMap
    """Companies with rows of it."""
    named: BitMap
    """Companies that its rows name, or named: they go if they are stubs that nobody else names."""


def find_affected(session: Session, source: FoundSource) -> AffectedRecords:
    """Return the records that a source stated. Reads the rows of all records."""
    affected = AffectedRecords({entity: BitMap() for entity in Entity}, BitMap(), BitMap())
    for number in source.numbers:
        for entity, records in affected.records.items():
            for row in iterate_rows_of_source(session, entity, number):
                records.add(row.record)
                if row.employer is not None:
                    affected.named.add(row.employer)
                if row.history and entity is Entity.CONTACT:
                    affected.named.update(past_employers(row.history))
    affected.companies.update(affected.records[Entity.COMPANY])
    for number in source.numbers:
        for entity, records in affected.records.items():
            records |= removal_store.records_with_former_rows(session, entity, number)
    affected.named.update(named for named, _ in read_relations(session, affected.companies.to_array()))
    for each in store.select_imports(session, source.name):
        # also those that rows named which newer ones replaced
        sets, _ = store.select_records(session, each.id)
        affected.named.update(sets.get((Entity.COMPANY, RecordRole.NAMED), ()))
    return affected


class RemovalRun:
    """Removal of one source that is marked as being removed."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        digests: Digests,
        deletion: RecordDeletion,
        cells: CellRevision,
        commits: Commits,
        source: FoundSource,
    ) -> None:
        self._database = database
        self._clock = clock
        self._digests = digests
        self._deletion = deletion
        self._cells = cells
        self._linker = Linker(digests)
        self._commits = commits
        self._source = source
        self._mentions: CompanyMentions | None = None

    def run(self, on_progress: Callable[[int, int], None]) -> RemovalCounts:
        """Go through all that the source has; return the counts."""
        self._repeat(self._withdraw_signals)
        self._delete_facts()
        while any((affected := self._find_affected()).records.values()):
            total, done = sum(map(len, affected.records.values())), 0
            for entity in (Entity.CONTACT, Entity.COMPANY):
                numbers = affected.records[entity].to_array()
                if entity is Entity.COMPANY:
                    self._read_mentions(numbers)
                for part in self._each_part(numbers, partial(self._take_rows, entity)):
                    done += part
                    on_progress(done, total)
        companies, named = self._read_companies()
        self._read_mentions(named)
        for _ in self._each_part(named, self._delete_stubs):
            pass
        self._rename_in_moves(companies)
        self._revise_employees(companies)
        for each in self._imports():
            self._forget_import(each)
        return self._commits.run_with_retry(self._finish)

    # --- signals and facts ---

    def _repeat(self, batch: Callable[[Session, int], int]) -> None:
        """Run a batch, each in a commit, until it finds nothing any more."""
        while self._commits.run_with_retry(partial(self._commit, batch)):
            pass

    def _commit(self, batch: Callable[[Session, int], int]) -> int:
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                done = batch(session, self._commits.size)
        except BaseException:
            self._linker.abandon()
            raise
        if done:
            self._commits.pace(done, time.monotonic() - began)
        return done

    def _withdraw_signals(self, session: Session, most: int) -> int:
        done = deliveries.withdraw_source(session, self._source.number, most)
        types: dict[Entity, dict[int, set[str]]] = {entity: {} for entity in Entity}
        for each in done.deleted:
            types[Entity(each.entity)].setdefault(each.number, set()).add(NAME_OF[each.type])
        cells = sum(
            self._cells.forget_signals(session, entity, of_records, self._clock.seconds())
            for entity, of_records in types.items()
            if of_records
        )
        self._count(session, RemovalCounts(signals=len(done.deleted), cells=cells))
        return done.read

    def _delete_facts(self) -> None:
        """Delete the facts of the source, company by company."""
        after, companies = 0, [0]

        def delete_next(session: Session, most: int) -> int:
            companies[:] = facts.delete_facts(session, self._source.number, after, most)
            return len(companies)

        while self._commits.run_with_retry(partial(self._commit, delete_next)):
            after = companies[-1]
        self._commits.run_with_retry(self._delete_feeds)

    def _delete_feeds(self) -> None:
        with self._database.write(RECORDS) as session:
            facts.delete_feeds(session, self._source.number)

    # --- rows ---

    def _find_affected(self) -> AffectedRecords:
        """Return what the source still states, and note its companies."""
        with self._database.read() as session:
            affected = find_affected(session, self._source)
        self._commits.run_with_retry(partial(self._note_companies, affected))
        return affected

    def _note_companies(self, affected: AffectedRecords) -> None:
        with self._database.write(RECORDS) as session:
            self._add_companies(session, affected.companies, affected.named)

    def _add_companies(self, session: Session, companies: BitMap, named: BitMap) -> None:
        """Add companies that the source stated, and those that it named."""
        if companies or named:
            removal = self._removal(session)
            removal_store.put_removal(
                session,
                removal._replace(
                    companies=_united(removal.companies, companies), named=_united(removal.named, named)
                ),
            )

    def _each_part(
        self, numbers: Sequence[int], batch: Callable[[Session, Sequence[int]], None]
    ) -> Iterator[int]:
        """Run a batch for parts of records, in commits that end when the time is up; yield the size of each."""
        done = 0
        while done < len(numbers):
            part = numbers[done : done + self._commits.size]
            if self._mentions:
                with self._database.read() as session:
                    self._mentions.follow(session)
            size = self._commits.run_with_retry(partial(self._commit, partial(self._run_part, batch, part)))
            done += size
            yield size

    def _run_part(
        self,
        batch: Callable[[Session, Sequence[int]], None],
        part: Sequence[int],
        session: Session,
        most: int,
    ) -> int:
        # records that only lose a row cost more than those that go
        return run_in_time(part, self._commits.lock_seconds / 2, partial(batch, session))

    def _read_mentions(self, companies: Collection[int]) -> None:
        with self._database.read() as session:
            self._mentions = CompanyMentions(session, companies) if companies else None

    def _take_rows(self, entity: Entity, session: Session, part: Sequence[int]) -> None:
        """Take the rows of the source from records, and delete those that have no others."""
        now, numbers = self._clock.seconds(), self._source.numbers
        kept: dict[int, Mapping[RowSlot, None]] = {}
        emptied: set[int] = set()
        for number, rows in read_rows(session, entity, part).items():
            gone = {slot: None for slot in rows if slot[0] in numbers}
            if gone and len(gone) == len(rows):
                emptied.add(number)
            elif gone:
                kept[number] = gone
        counts = RemovalCounts(changed=self._restore(session, entity, kept))
        for number in numbers:
            removal_store.drop_former_rows(session, entity, part, number)
        if emptied and entity is Entity.CONTACT:
            self._deletion.delete_contacts(session, emptied, now)
            counts.contacts_removed = len(emptied)
        elif emptied:
            result, counts.companies_removed = self._delete_companies(
                session, emptied, self._deletion.delete_companies
            )
            counts.changed += len(result.stubs)
        if kept:
            session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
            counts.cells = self._cells.revise(session, entity, kept, now)
            deliveries.recompose_of_records(session, entity, kept)
        self._count(session, counts)

    def _restore(self, session: Session, entity: Entity, rows: Mapping[int, Mapping[RowSlot, None]]) -> int:
        if not rows:
            return 0
        self._linker.begin(session)
        kind = ContactRestore if entity is Entity.CONTACT else CompanyRestore
        sources = number_sources(session, STUB_SOURCE)
        changed = kind(session, self._digests, self._linker, sources, STUB_SOURCE, "").restore(rows)
        self._linker.end(session)
        return changed

    def _delete_stubs(self, session: Session, part: Sequence[int]) -> None:
        result, removed = self._delete_companies(session, part, self._deletion.delete_unnamed_stubs)
        # those that were stubs of other companies for a time count as changed
        stated = len(_decode_numbers(self._removal(session).companies) & BitMap(result.deleted))
        self._count(session, RemovalCounts(companies_removed=removed, changed=-stated))

    def _delete_companies(
        self,
        session: Session,
        numbers: Collection[int],
        delete: Callable[[Session, CompanyMentions, Collection[int], float], DeletedCompanies],
    ) -> tuple[DeletedCompanies, int]:
        """Return the result, and how many of the deleted companies are older than the removal."""
        assert self._mentions is not None
        result = delete(session, self._mentions, numbers, self._clock.seconds())
        self._add_companies(session, BitMap(), BitMap(result.named))
        last = decode_progress(self._removal(session)).last_company
        return result, sum(number <= last for number in result.deleted)

    # --- what names the companies ---

    def _read_companies(self) -> tuple[frozenset[int], Sequence[int]]:
        """Return the companies that the source stated or named, and those that it named, in ascending order."""
        with self._database.read() as session:
            removal = self._removal(session)
        named = _decode_numbers(removal.named)
        return frozenset(_decode_numbers(removal.companies) | named), named.to_array()

    def _rename_in_moves(self, companies: Collection[int]) -> None:
        after: int | None = 0
        while after is not None and companies:
            after = self._commits.run_with_retry(partial(self._rename_page, companies, after))

    def _rename_page(self, companies: Collection[int], after: int) -> int | None:
        with self._database.write(RECORDS) as session:
            began, most = time.monotonic(), self._commits.size
            renamed = rename_companies(session, companies, after, most)
            if renamed.moves:
                deliveries.recompose_deliveries(session, renamed.moves)
                contacts = dict.fromkeys(renamed.moves.values(), CONTACT_TYPES)
                cells = self._cells.forget_signals(session, Entity.CONTACT, contacts, self._clock.seconds())
                self._count(session, RemovalCounts(cells=cells))
        self._commits.pace(most, time.monotonic() - began)
        return renamed.last

    def _revise_employees(self, companies: Collection[int]) -> None:
        """Revise the cells of contacts in tables that show values of their employers."""
        after: int | None = 0
        while after is not None and companies:
            after = self._commits.run_with_retry(partial(self._revise_page, companies, after))

    def _revise_page(self, companies: Collection[int], after: int) -> int | None:
        with self._database.write(RECORDS) as session:
            began, most = time.monotonic(), self._commits.size
            numbers = self._cells.next_records(session, Entity.CONTACT, after, most)
            employers = read_contact_employers(session, numbers)
            employees = [number for number, employer in employers.items() if employer in companies]
            if employees:
                session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
                cells = self._cells.revise(session, Entity.CONTACT, employees, self._clock.seconds())
                self._count(session, RemovalCounts(cells=cells))
        self._commits.pace(most, time.monotonic() - began)
        return numbers[-1] if numbers else None

    # --- imports ---

    def _imports(self) -> list[int]:
        with self._database.read() as session:
            return [each.id for each in store.select_imports(session, self._source.name)]

    def _forget_import(self, number: int) -> None:
        """Mark an import as taken back, and delete the rows of other sources that it keeps."""
        self._repeat(lambda session, most: store.forget_some(session, number, most))
        self._commits.run_with_retry(partial(self._mark_undone, number))

    def _mark_undone(self, number: int) -> None:
        with self._database.write(RECORDS) as session:
            delete_sighting(session, number)
            found = store.select_import(session, number)
            if found and found.state != "undone":
                store.drop_records(session, number)
                store.update_import(session, found._replace(state="undone", kept=0))

    # --- state ---

    def _removal(self, session: Session) -> StoredRemoval:
        found = removal_store.select_removal(session, self._source.number)
        if found is None:
            raise Refused(f"The removal of {self._source.name!r} has been ended by another command")
        return found

    def _count(self, session: Session, counts: RemovalCounts) -> None:
        progress = decode_progress(self._removal(session))
        progress.counts.add(counts)
        removal_store.set_counts(session, self._source.number, msgspec.json.encode(progress).decode())

    def _finish(self) -> RemovalCounts:
        with self._database.write(RECORDS) as session:
            removal = self._removal(session)
            # without a removed record, checkpoints would be renewed with what changed records held before
            renew_indexes(session)
            now = self._clock.seconds()
            removal_store.put_removal(
                session, removal._replace(state="removed", ended_at=now, companies=None, named=None)
            )
            return decode_progress(removal).counts


def decode_progress(removal: StoredRemoval) -> RemovalProgress:
    return msgspec.json.decode(removal.counts, type=RemovalProgress)


def _decode_numbers(stored: bytes | None) -> BitMap:
    return BitMap.deserialize(stored) if stored else BitMap()


def _united(stored: bytes | None, numbers: BitMap) -> bytes:
    return (_decode_numbers(stored) | numbers).serialize()
