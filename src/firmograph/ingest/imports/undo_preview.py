"""What an undo would do, counted without a change."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyroaring import BitMap

from firmograph.database.connection import Database, Session
from firmograph.ingest.imports import store
from firmograph.ingest.imports.slot_undo import undo_slots
from firmograph.ingest.imports.types import FormerRow, RecordRole, StoredImport
from firmograph.ingest.imports.undo_plan import plan_undo
from firmograph.ingest.merging.source_history import Rows
from firmograph.ingest.merging.store import number_sources, read_rows
from firmograph.kit.clock import Clock
from firmograph.privacy.declarations import PersonalData
from firmograph.security.record_ids import Entity

_PART: Final = 1_000
"""Records that are read at a time."""


@dataclass
class UndoPreview:
    """Counts of what an undo would do."""

    imports: list[int]
    """Newest first."""
    removed: Counter[Entity] = field(default_factory=Counter)
    """Records that no source would state any more; companies among them stay if contacts name them."""
    changed: int = 0
    """Records that would remain with other rows."""
    uses: Counter[str] = field(default_factory=Counter)
    """Uses of the removed records by accounts, by what they are: paid records, rows of tables, subscriptions."""
    accounts: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The accounts of each use."""


class UndoPreviews:
    """Counts of what undos would do."""

    def __init__(self, database: Database, clock: Clock, declarations: Iterable[PersonalData]) -> None:
        self._database = database
        self._clock = clock
        self._counters = {name: count for each in declarations for name, count in each.counters.items()}

    def preview(self, number: int, *, and_later: bool) -> UndoPreview:
        """Return what an undo would do. Raises Refused as the undo does."""
        with self._database.read() as session:
            planned = plan_undo(session, number, self._clock.seconds(), and_later=and_later)
            result = UndoPreview([each.id for each in planned])
            records = [store.select_records(session, each.id)[0] for each in planned]
            for entity in Entity:
                created = [each.get((entity, RecordRole.CREATED), BitMap()) for each in records]
                numbers = BitMap.union(
                    *created, *(each.get((entity, RecordRole.MET), BitMap()) for each in records)
                ).to_array()
                for start in range(0, len(numbers), _PART):
                    self._count(session, result, planned, created, entity, numbers[start : start + _PART])
        return result

    def _count(
        self,
        session: Session,
        result: UndoPreview,
        planned: Sequence[StoredImport],
        created: Sequence[BitMap],
        entity: Entity,
        part: Sequence[int],
    ) -> None:
        source = number_sources(session, planned[0].source)[planned[0].source]
        kept = store.select_former_rows(session, entity, part)
        emptied = []
        for number, rows in read_rows(session, entity, part).items():
            new = _undo_all(planned, source, rows, kept.get(number, []), [number in each for each in created])
            if rows and not new:
                emptied.append(number)
            result.changed += bool(new) and new != rows
        result.removed[entity] += len(emptied)
        for name, count in self._counters.items():
            uses = count(session, entity, emptied)
            result.uses[name] += uses.total
            result.accounts[name] |= uses.accounts


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
