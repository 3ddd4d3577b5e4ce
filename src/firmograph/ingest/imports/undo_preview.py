"""Effects of a planned undo, counted without a change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyroaring import BitMap

from firmograph.database.connection import Database, Session
from firmograph.directory.identity import Digests
from firmograph.ingest.imports import store
from firmograph.ingest.imports.effect_counts import EffectCounter, EffectCounts, RowPlan
from firmograph.ingest.imports.slot_undo import count_marks, undo_records
from firmograph.ingest.imports.types import FormerRow, RecordRole, StoredImport
from firmograph.ingest.imports.undo_plan import met_records, plan_undo
from firmograph.ingest.merging.source_history import Rows
from firmograph.ingest.merging.store import read_sources
from firmograph.kit.clock import Clock
from firmograph.privacy.declarations import PersonalData
from firmograph.security.record_ids import Entity
from firmograph.signals.withdrawal import count_signals_without_imports


@dataclass
class UndoPreview(EffectCounts):
    """Counts of the effects of an undo; of several imports, each record once."""

    imports: list[int] = field(default_factory=list)
    """Newest first."""
    marks: int = 0
    """Do-not-call marks of versions that would go."""


class UndoPreviews:
    """Counts of the effects of planned undos."""

    def __init__(
        self, database: Database, clock: Clock, digests: Digests, declarations: Iterable[PersonalData]
    ) -> None:
        self._database = database
        self._clock = clock
        self._digests = digests
        self._counter = EffectCounter(digests, declarations)

    def preview(self, number: int, *, and_later: bool) -> UndoPreview:
        """Return the effects that an undo would have. Raises Refused as the undo does."""
        with self._database.read() as session:
            planned = plan_undo(session, number, self._clock.seconds(), and_later=and_later)
            numbers = [each.id for each in planned]
            plan = _Undos(session, self._digests, planned)
            result = UndoPreview(imports=numbers, signals=count_signals_without_imports(session, numbers))
            self._counter.count(session, plan, result)
            result.marks = plan.marks
        return result


class _Undos(RowPlan):
    """Undos of imports of one source, one after the other."""

    def __init__(self, session: Session, digests: Digests, planned: Sequence[StoredImport]) -> None:
        self._digests = digests
        self._planned = planned
        self._sources = read_sources(session)
        self._sets = [store.select_records(session, each.id)[0] for each in planned]
        met = [met_records(session, each.id) for each in planned]
        self.records = {entity: BitMap.union(*(each[entity] for each in met)) for entity in Entity}
        named = (each.get((Entity.COMPANY, RecordRole.NAMED), BitMap()) for each in self._sets)
        self.named = self.records[Entity.COMPANY].union(*named)
        self.marks = 0

    def remaining(self, session: Session, entity: Entity, stored: Mapping[int, Rows]) -> dict[int, Rows]:
        kept: Mapping[int, Sequence[FormerRow]] = store.select_former_rows(session, entity, [*stored])
        rows = dict(stored)
        for one, sets in zip(self._planned, self._sets, strict=True):
            created = sets.get((entity, RecordRole.CREATED), BitMap())
            undos = undo_records(session, self._digests, one, self._sources, entity, rows, kept, created)
            self.marks += sum(count_marks(rows[number], undo.rows) for number, undo in undos.items())
            rows = {
                number: {slot: row for slot, row in {**rows[number], **undo.rows}.items() if row}
                for number, undo in undos.items()
            }
            kept = {
                number: _without(kept.get(number, ()), one.id, undo.relinked)
                for number, undo in undos.items()
            }
        return rows


def _without(kept: Sequence[FormerRow], number: int, relinked: Iterable[FormerRow]) -> Sequence[FormerRow]:
    """Return the former rows of a record after the undo of an import."""
    changed = {(each.import_id, each.slot): each for each in relinked}
    return [changed.get((each.import_id, each.slot), each) for each in kept if each.import_id != number]
