"""Runs of imports: begun, continued, ended, listed; each keeps former rows in its commits, for an undo."""

import hashlib
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
from pyroaring import BitMap

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.record_store import source_names
from firmograph.ingest.commits import Commits
from firmograph.ingest.imports import removal_store, store
from firmograph.ingest.imports.sighting_store import Sighting, put_sighting
from firmograph.ingest.imports.sightings import sight_contacts
from firmograph.ingest.imports.types import RECORD_KINDS, FormerRow, ImportState, RecordRole, StoredImport
from firmograph.ingest.merging.record_state import Effects
from firmograph.ingest.merging.split import MovedRows
from firmograph.ingest.merging.store import last_change, number_sources
from firmograph.ingest.summary import Summary
from firmograph.kit.clock import Clock, day_number
from firmograph.kit.errors import Busy, Refused, Unavailable
from firmograph.operator_audit.service import system_user
from firmograph.security.record_ids import Entity

ALIVE_SECONDS: Final = 60.0
"""Time without a commit after which a running import counts as interrupted."""

_COUNTS: Final = ("read", "created", "updated", "unchanged", "rejected", "suppressed", "conflicts", "signals")
_ADDED_COUNTS: Final = ("created", "updated", "signals")
"""Counts that add up over the parts of an interrupted import."""


def _digest_files(paths: Sequence[str]) -> str:
    """Return the SHA-256 of a file, in hex; of several files that of their digests."""
    digests = []
    for path in paths:
        with Path(path).open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256"))
    if len(digests) == 1:
        return digests[0].hexdigest()
    return hashlib.sha256(b"".join(each.digest() for each in digests)).hexdigest()


class AlreadyTaken(Refused):
    """Refusal of an undo or a removal that has ended, perhaps without the files being cleared after it."""


class ImportRun:
    """An import in progress."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        stored: StoredImport,
        source: int,
        *,
        complete: bool = False,
    ) -> None:
        """Take the number of the source, and whether the files are all of it."""
        self._database = database
        self._clock = clock
        self._stored = stored
        self._source = source
        self._complete = complete
        self._created: dict[Entity, BitMap] = defaultdict(BitMap)
        self._before = msgspec.json.decode(stored.counts, type=dict[str, int])

    @property
    def number(self) -> int:
        return self._stored.id

    def continue_from(self, session: Session) -> None:
        """Read the records that an interrupted part of this import created."""
        sets, _ = store.select_records(session, self.number)
        for (entity, role), numbers in sets.items():
            if role is RecordRole.CREATED:
                self._created[entity] |= numbers

    def keep_alive(self, session: Session) -> None:
        """Extend the lease in a commit, when a third of it has passed.

        Raises Refused if the import, or another one of its source, has been taken back since its lease ended.
        """
        now = self._clock.seconds()
        if self._stored.alive_until - now > ALIVE_SECONDS * 2 / 3:
            return
        check_source_is_free(session, self._stored.source)
        stored = store.select_import(session, self.number)
        if stored is None or stored.state == "undone":
            raise Refused(f"Import {self.number} was taken back while it was running; run it again")
        self._stored = stored._replace(state="running", ended_at=None, alive_until=now + ALIVE_SECONDS)
        store.update_import(session, self._stored)

    def keep(self, session: Session, effects: Iterable[Effects], opted_out: Iterable[int] = ()) -> None:
        """Keep the effects of a commit and the contacts that it marks as opted out, in its transaction."""
        sets: dict[tuple[Entity, RecordRole], set[int]] = defaultdict(set)
        former = []
        place = last_change(session)
        for each in effects:
            sets[each.entity, RecordRole.MET] |= each.met
            sets[each.entity, RecordRole.CREATED] |= each.created
            sets[Entity.COMPANY, RecordRole.NAMED] |= each.named
            created = self._created[each.entity]
            former += [
                FormerRow(each.entity, record, slot, row, self.number, place)
                for record, slot, row in each.changes
                # of a record that this import created there was no row of its source
                if not (slot[0] == self._source and record in created)
            ]
        sets[Entity.CONTACT, RecordRole.OPTED_OUT] |= set(opted_out)
        store.add_records(session, self.number, sets)
        store.add_former_rows(session, former)

    def note_created(self, effects: Iterable[Effects]) -> None:
        """Note the records that a finished commit created."""
        for each in effects:
            self._created[each.entity].update(each.created)

    @contextmanager
    def ended_with(self, summary: Summary) -> Iterator[None]:
        """Record the end of the import: done, or interrupted by an exception."""
        summary.import_id = self.number
        try:
            yield
        except BaseException:
            # without the database it counts as interrupted when its lease ends
            with suppress(Busy, Unavailable):
                self._end("interrupted", summary)
            raise
        with self._database.read() as session:
            records, last = store.select_records(session, self.number)
            sighting = self._sighting(session, records, summary)
        Commits(self._database).run_with_retry(lambda: self._end("done", summary, records, last, sighting))

    def _sighting(self, session: Session, records: store.RecordSets, summary: Summary) -> Sighting | None:
        """Return what the import says about the contacts of its source, and note whether it counts as complete."""
        if self._stored.kind != Entity.CONTACT.plural:
            return None
        # a rejected row may be of any contact
        complete = self._complete and not summary.rejected
        if self._complete:
            summary.complete = complete
        roles = (RecordRole.MET, RecordRole.CREATED)
        seen = BitMap.union(*(records.get((Entity.CONTACT, role), BitMap()) for role in roles))
        day = day_number(self._clock.seconds())
        return sight_contacts(session, self.number, self._source, day, seen, complete=complete)

    def _end(
        self,
        state: ImportState,
        summary: Summary,
        records: store.RecordSets | None = None,
        last: int = 0,
        sighting: Sighting | None = None,
    ) -> None:
        """Store state, counts and sighting, and the parts of its records up to the last one as one part."""
        counts: dict[str, int] = {name: getattr(summary, name) for name in _COUNTS if hasattr(summary, name)}
        counts |= {name: counts[name] + self._before.get(name, 0) for name in _ADDED_COUNTS if name in counts}
        now = self._clock.seconds()
        with self._database.write(RECORDS) as session:
            stored = store.select_import(session, self.number)
            if stored is None or stored.state in ("undoing", "undone"):
                return
            if records is not None:
                store.replace_records(session, self.number, records, last)
            if sighting is not None:
                put_sighting(session, sighting)
            text = msgspec.json.encode(counts).decode()
            store.update_import(
                session, stored._replace(state=state, ended_at=now, alive_until=now, counts=text)
            )
            unread = {column: values.count for column, values in summary.values.unread.items()}
            store.put_unread(session, self.number, unread)


class ImportRuns:
    """Imports of one database, oldest first."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def begin(
        self,
        kind: str,
        source: str,
        paths: Sequence[str],
        mapping: str | None = None,
        *,
        complete: bool = False,
    ) -> ImportRun:
        """Begin an import, or continue the interrupted one of the same files and source.

        A second one of the same files at the same time is part of the first one. It lifts an earlier removal of the
        source. Raises Refused while an import of the source is being taken back, or the source removed.

        Args:
            kind: kind of the rows.
            source: name of the source.
            paths: files.
            mapping: columns that the operator mapped, as JSON.
            complete: whether the files are all of the source.
        """
        file = ", ".join(Path(path).name for path in paths)
        digest, now = _digest_files(paths), self._clock.seconds()
        with self._database.write(RECORDS) as session:
            check_source_is_free(session, source)
            number = number_sources(session, source)[source]
            removal_store.delete_removal(session, number)
            new = StoredImport(
                id=0,
                kind=kind,
                source=source,
                file=file,
                sha256=digest,
                mapping=mapping,
                actor=system_user(),
                started_at=now,
                ended_at=None,
                state="running",
                alive_until=now + ALIVE_SECONDS,
                counts="{}",
                undo=None,
                kept=1,
            )
            stored = _find_unfinished(session, new)
            if stored is None:
                stored = new._replace(id=store.insert_import(session, new))
                return ImportRun(self._database, self._clock, stored, number, complete=complete)
            stored = stored._replace(state="running", ended_at=None, alive_until=new.alive_until)
            store.update_import(session, stored)
            run = ImportRun(self._database, self._clock, stored, number, complete=complete)
            run.continue_from(session)
            return run

    def all(self) -> list[StoredImport]:
        with self._database.read() as session:
            return store.select_imports(session)

    def find(self, number: int) -> StoredImport:
        """Return an import. Raises Refused for an unknown number."""
        with self._database.read() as session:
            return find_import(session, number)


def _find_unfinished(session: Session, new: StoredImport) -> StoredImport | None:
    """Return the last import of the same files that has not ended."""
    same = [
        each
        for each in store.select_imports(session, new.source)
        if (each.kind, each.sha256) == (new.kind, new.sha256)
    ]
    return same[-1] if same and same[-1].kept and same[-1].state in ("running", "interrupted") else None


def follow_rows(session: Session, moved: MovedRows) -> None:
    """Let the imports that met a record know the one that rows of it were moved to, so that an undo finds them."""
    store.move_former_rows(session, moved.entity, moved.old, moved.new, moved.slots)
    names = source_names(session)
    slots = {names[source]: [slot for slot in moved.slots if slot[0] == source] for source, _ in moved.slots}
    for each in store.select_imports(session):
        if each.kind not in RECORD_KINDS or not each.kept or each.source not in slots:
            continue
        records, _ = store.select_records(session, each.id)
        created = records.get((moved.entity, RecordRole.CREATED), BitMap())
        if moved.old in created:
            # its source had no rows there before
            former = [FormerRow(moved.entity, moved.new, slot, None, each.id) for slot in slots[each.source]]
            store.put_former_rows(session, former)
        if moved.old in created or moved.old in records.get((moved.entity, RecordRole.MET), ()):
            store.add_records(session, each.id, {(moved.entity, RecordRole.MET): {moved.new}})


def forget_old(session: Session, now: float, days: int, most: int) -> int:
    """Delete some former rows of imports that ended more than `days` ago; return the amount, 0 if none is left."""
    old = store.select_old(session, now - days * 86_400)
    if old is None:
        return 0
    gone = store.forget_some(session, old.id, most)
    if gone < most:
        records, last = store.select_records(session, old.id)
        marks = (Entity.CONTACT, RecordRole.OPTED_OUT)
        store.replace_records(session, old.id, {marks: records.get(marks, BitMap())}, last)
        store.update_import(session, old._replace(kept=0))
    return max(gone, 1)


def find_import(session: Session, number: int) -> StoredImport:
    """Return an import. Raises Refused for an unknown number."""
    found = store.select_import(session, number)
    if found is None:
        raise Refused(f"There is no import {number}; `firmograph import list` shows all")
    return found


def check_source_is_free(session: Session, source: str) -> None:
    """Raise Refused while an import of a source is being taken back, or the source is being removed."""
    check_source_stays(session, source)
    for each in store.select_imports(session, source):
        if each.state == "undoing":
            raise Refused(
                f"Import {each.id} of the source {source!r} is being taken back; finish that first:"
                f" firmograph import undo {each.id}"
            )


def check_source_stays(session: Session, source: str) -> None:
    """Raise Refused while a source is being removed."""
    if any(each.name == source and each.is_open for each in removal_store.select_removals(session)):
        raise Refused(
            f"The source {source!r} is being removed; finish that first: firmograph source remove"
            f" {shlex.quote(source)}"
        )
