"""Effects of a planned undo, counted without a change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pyroaring import BitMap

from firmograph.database.connection import Database, Session
from firmograph.ingest.imports import store
from firmograph.ingest.imports.effect_counts import PART_RECORDS, EffectCounts, UseCounters
from firmograph.ingest.imports.slot_undo import undo_slots
from firmograph.ingest.imports.types import FormerRow, RecordRole, StoredImport
from firmograph.ingest.imports.undo_plan import plan_undo
from firmograph.ingest.merging.source_history import Rows
from firmograph.ingest.merging.store import read_rows, read_sources
from firmograph.kit.clock import Clock
from firmograph.privacy.declarations import PersonalData
from firmograph.security.record_ids import Entity


@dataclass
class UndoPreview(EffectCounts):
    """Counts of the effects of an undo."""

    imports: list[int] = field(default_factory=list)
    """Newest first."""


class UndoPreviews:
    """Counts of the effects of planned undos."""

    def __init__(self, database: Database, clock: Clock, declarations: Iterable[PersonalData]) -> None:
        self._database = database
        self._clock = clock
        self._use_counters = UseCounters(declarations)

    def preview(self, number: int, *, and_later: bool) -> UndoPreview:
        """Return the effects that an undo would have. Raises Refused as the undo does."""
        with self._database.read() as session:
            planned = plan_undo(session, number, self._clock.seconds(), and_later=and_later)
            result = UndoPreview(imports=[each.id for each in planned])
            source = read_sources(session)[planned[0].source]
            records = [store.select_records(session, each.id)[0] for each in planned]
            for entity in Entity:
                created = [each.get((entity, RecordRole.CREATED), BitMap()) for each in records]
                numbers = BitMap.union(
                    *created, *(each.get((entity, RecordRole.MET), BitMap()) for each in records)
                ).to_array()
                for start in range(0, len(numbers), PART_RECORDS):
                    part = numbers[start : start + PART_RECORDS]
                    self._count(session, result, planned, source, created, entity, part)
        return result

    def _count(
        self,
        session: Session,
        result: UndoPreview,
        planned: Sequence[StoredImport],
        source: int,
        created: Sequence[BitMap],
        entity: Entity,
        part: Sequence[int],
    ) -> None:
        kept = store.select_former_rows(session, entity, part)
        emptied = []
        for number, rows in read_rows(session, entity, part).items():
            new = _undo_all(planned, source, rows, kept.get(number, []), [number in each for each in created])
            if rows and not new:
                emptied.append(number)
            result.changed += bool(new) and new != rows
        self._use_counters.add_removed(session, result, entity, emptied)


def _undo_all(
    planned: Iterable[StoredImport],
    source: int,
    rows: Rows,
    kept: Sequence[FormerRow],
    created: Iterable[bool],
) -> Rows:
    """Return the rows of a record after the undo of imports, one after the other."""
    for one, is_new in zip(planned, created, strict=True):
        undo = undo_slots(one.id, source, rows, kept, created=is_new)
        rows = {slot: row for slot, row in {**rows, **undo.rows}.items() if row}
        relinked = {(each.import_id, each.slot): each for each in undo.relinked}
        kept = [relinked.get((each.import_id, each.slot), each) for each in kept if each.import_id != one.id]
    return rows
