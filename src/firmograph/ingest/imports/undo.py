"""Undo of imports: slot by slot, in commits as short as those of imports.

A record is then the merge of the rows that remain; without any it is deleted as by suppression, but without hashes. The
position is stored in each commit, so the same command continues an undo that was killed.
"""

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

import msgspec
from pyroaring import BitMap

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import load_suffixes
from firmograph.ingest.commits import Commits, run_in_time
from firmograph.ingest.imports import store
from firmograph.ingest.imports.runs import find_import
from firmograph.ingest.imports.sighting_store import delete_sighting
from firmograph.ingest.imports.slot_undo import plan_part
from firmograph.ingest.imports.types import AddedCounts, RecordRole, StoredImport
from firmograph.ingest.imports.undo_batches import CompanyRestore, ContactRestore
from firmograph.ingest.imports.undo_plan import plan_undo
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.company_mentions import CompanyMentions
from firmograph.ingest.merging.record_deletion import DeletedCompanies, RecordDeletion
from firmograph.ingest.merging.store import number_sources, read_counter
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.operator_audit.service import OperatorAudit
from firmograph.security.record_ids import Entity
from firmograph.webhooks.withdrawal import withdraw_import

Phase = Literal["contacts", "companies", "stubs"]
_PHASES: Sequence[Phase] = ("contacts", "companies", "stubs")


class UndoCounts(AddedCounts):
    """Counts of an undo."""

    contacts_removed: int = 0
    companies_removed: int = 0
    """Companies that nothing states or names any more."""
    changed: int = 0
    """Records that remain, with other rows than before."""
    signals: int = 0
    marks: int = 0
    """Do-not-call marks of versions that went."""


class UndoProgress(msgspec.Struct):
    """Position of an undo, and its counts so far."""

    phase: Phase = "contacts"
    number: int = 0
    """The last record of the phase that is done."""
    last_company: int = 0
    """The last number of a company when it began; stubs that it makes itself are not counted."""
    counts: UndoCounts = msgspec.field(default_factory=UndoCounts)


class UndoneImport(NamedTuple):
    """An import that was taken back."""

    id: int
    counts: UndoCounts


class ImportUndo:
    """Operator action: takes imports back."""

    def __init__(self, database: Database, clock: Clock, digests: Digests, deletion: RecordDeletion) -> None:
        self._database = database
        self._clock = clock
        self._digests = digests
        self._deletion = deletion

    def undo(
        self,
        number: int,
        *,
        and_later: bool,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[UndoneImport]:
        """Take an import back, and with `and_later` those that met its records since; return them.

        Raises Refused, changing nothing, if it cannot be taken back. `on_progress` receives the records of the present
        import that are done, and all of them.
        """
        commits = Commits(self._database, on_wait)
        planned = commits.run_with_retry(lambda: self._begin(number, and_later=and_later))
        return self._run(planned, commits, on_progress)

    def undo_in_copy(self, number: int) -> None:
        """Take an import back, with later ones that met its records, in a database that nobody else uses."""
        with self._database.write(RECORDS) as session:
            if find_import(session, number).state == "undone":
                return
            # no import is running there
            planned = plan_undo(session, number, math.inf, and_later=True)
            for each in planned:
                self._mark(session, each)
        self._run(planned, Commits(self._database), lambda done, total: None)

    def _run(
        self,
        planned: Sequence[StoredImport],
        commits: Commits,
        on_progress: Callable[[int, int], None],
    ) -> list[UndoneImport]:
        load_suffixes()
        batches = [
            UndoRun(self._database, self._clock, self._digests, self._deletion, commits, each.id)
            for each in planned
        ]
        return [
            UndoneImport(each.id, run.run(on_progress)) for each, run in zip(planned, batches, strict=True)
        ]

    def _begin(self, number: int, *, and_later: bool) -> list[StoredImport]:
        """Mark the imports as being taken back, all at once, so that none of their source begins between them."""
        with self._database.write(RECORDS) as session:
            now = self._clock.seconds()
            planned = plan_undo(session, number, now, and_later=and_later)
            for each in planned:
                if each.state != "undoing":
                    OperatorAudit().record(session, now, "import undo", subject=f"import {each.id}")
                self._mark(session, each)
            return planned

    def _mark(self, session: Session, one: StoredImport) -> None:
        """Mark an import as being taken back, and forget which contacts it saw and lacked."""
        delete_sighting(session, one.id)
        began = UndoProgress(last_company=read_counter(session, "company"))
        undo = one.undo or msgspec.json.encode(began).decode()
        store.update_import(session, one._replace(state="undoing", undo=undo))


class UndoRun:
    """Undo of one import that is marked as being taken back."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        digests: Digests,
        deletion: RecordDeletion,
        commits: Commits,
        number: int,
    ) -> None:
        self._database = database
        self._clock = clock
        self._digests = digests
        self._deletion = deletion
        self._linker = Linker(digests)
        self._commits = commits
        self._number = number
        self._created: Mapping[Entity, BitMap] = {}
        self._stated = BitMap()
        """Companies that its rows were of."""
        self._last_company = 0
        self._mentions: CompanyMentions | None = None

    def run(self, on_progress: Callable[[int, int], None]) -> UndoCounts:
        """Go through all phases; return the counts, also of a part that was killed."""
        while self._commits.run_with_retry(self._withdraw_signals):
            pass
        progress = self._read_progress()
        for phase in _PHASES[_PHASES.index(progress.phase) :]:
            numbers = self._begin_phase(phase)
            done = bisect_right(numbers, progress.number) if phase == progress.phase else 0
            while done < len(numbers):
                part = numbers[done : done + self._commits.size]
                done += self._commits.run_with_retry(partial(self._commit, phase, part))
                on_progress(done, len(numbers))
        return self._commits.run_with_retry(self._finish)

    def _withdraw_signals(self) -> bool:
        """Delete signals that the import alone detected; return whether there may be more."""
        most = self._commits.size
        with self._database.write(RECORDS) as session:
            began = time.monotonic()
            withdrawn = withdraw_import(session, self._number, most)
            self._add_progress(session, UndoCounts(signals=len(withdrawn.deleted)))
        self._commits.pace(most, time.monotonic() - began)
        return withdrawn.read == most

    def _add_progress(
        self, session: Session, counts: UndoCounts, reached: tuple[Phase, int] | None = None
    ) -> None:
        """Store the counts of a commit, and the record that it reached."""
        undone = find_import(session, self._number)
        progress = _progress(undone)
        progress.counts.add(counts)
        if reached:
            progress.phase, progress.number = reached
        store.update_import(session, undone._replace(undo=msgspec.json.encode(progress).decode()))

    def _read_progress(self) -> UndoProgress:
        with self._database.read() as session:
            return _progress(find_import(session, self._number))

    def _begin_phase(self, phase: Phase) -> Sequence[int]:
        """Return the records of a phase in ascending order, and read what its commits need."""
        with self._database.read() as session:
            records, _ = store.select_records(session, self._number)
            self._created = {entity: records.get((entity, RecordRole.CREATED), BitMap()) for entity in Entity}
            self._last_company = _progress(find_import(session, self._number)).last_company
            if phase == "contacts":
                return self._met(records, Entity.CONTACT).to_array()
            numbers = self._stated = self._met(records, Entity.COMPANY)
            if phase == "stubs":
                numbers = numbers | records.get((Entity.COMPANY, RecordRole.NAMED), BitMap())
            if numbers:
                self._mentions = CompanyMentions(session, numbers.to_array())
            return numbers.to_array()

    def _met(self, records: store.RecordSets, entity: Entity) -> BitMap:
        return records.get((entity, RecordRole.MET), BitMap()) | self._created[entity]

    def _commit(self, phase: Phase, part: Sequence[int]) -> int:
        """Take back the import's changes of records, in their order, until the time is up; return how many are done."""
        if self._mentions:
            with self._database.read() as session:
                self._mentions.follow(session)
        counts = UndoCounts()
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                undone = find_import(session, self._number)
                # records that an import met cost little where it changed nothing, and much where it did
                done = run_in_time(
                    part,
                    self._commits.lock_seconds / 2,
                    lambda few: counts.add(self._undo_part(session, undone, phase, few)),
                )
                self._add_progress(session, counts, (phase, part[done - 1]))
        except BaseException:
            self._linker.abandon()
            raise
        self._commits.pace(done, time.monotonic() - began)
        return done

    def _undo_part(
        self, session: Session, undone: StoredImport, phase: Phase, part: Sequence[int]
    ) -> UndoCounts:
        if phase == "stubs":
            result, removed = self._delete_companies(session, part, self._deletion.delete_unnamed_stubs)
            assert self._mentions is not None
            self._deletion.restate_mentions(session, self._mentions, part)
            # those that lost their last row, and were named for a time, count as changed
            return UndoCounts(companies_removed=removed, changed=-len(self._stated & BitMap(result.deleted)))
        entity = Entity.CONTACT if phase == "contacts" else Entity.COMPANY
        sources = number_sources(session, undone.source)
        plan = plan_part(session, self._digests, undone, sources, entity, part, self._created[entity])
        self._linker.begin(session)
        kind = ContactRestore if entity is Entity.CONTACT else CompanyRestore
        batch = kind(session, self._digests, self._linker, sources, undone.source, "")
        changed = batch.restore(plan.rows)
        self._linker.end(session)
        store.drop_former_rows(session, entity, self._number, part)
        store.put_former_rows(session, plan.relinked)
        counts = UndoCounts(changed=changed, marks=plan.marks)
        if plan.emptied and entity is Entity.CONTACT:
            self._deletion.delete_contacts(session, plan.emptied, self._clock.seconds())
            counts.contacts_removed = len(plan.emptied)
        elif plan.emptied:
            result, counts.companies_removed = self._delete_companies(
                session, plan.emptied, self._deletion.delete_companies
            )
            counts.changed += len(result.stubs)
        return counts

    def _delete_companies(
        self,
        session: Session,
        numbers: Collection[int],
        delete: Callable[[Session, CompanyMentions, Collection[int], float], DeletedCompanies],
    ) -> tuple[DeletedCompanies, int]:
        """Return the result, and how many of the deleted companies are older than the undo."""
        assert self._mentions is not None
        result = delete(session, self._mentions, numbers, self._clock.seconds())
        # those that only these named are looked at by the last phase
        store.add_records(session, self._number, {(Entity.COMPANY, RecordRole.NAMED): result.named})
        return result, sum(number <= self._last_company for number in result.deleted)

    def _finish(self) -> UndoCounts:
        with self._database.write(RECORDS) as session:
            undone = find_import(session, self._number)
            store.drop_records(session, self._number)
            store.update_import(session, undone._replace(state="undone", kept=0))
            return _progress(undone).counts


def _progress(undone: StoredImport) -> UndoProgress:
    return msgspec.json.decode(undone.undo, type=UndoProgress) if undone.undo else UndoProgress()
