"""The undo of an import in the slots of records."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from pyroaring import BitMap

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.directory.records import Contact
from firmograph.ingest.imports import store
from firmograph.ingest.imports.types import FormerRow, StoredImport
from firmograph.ingest.merging.source_history import Row, Rows, RowSlot, history_of
from firmograph.ingest.merging.store import read_rows
from firmograph.ingest.merging.suppressed_rows import suppressed_records
from firmograph.security.record_ids import Entity

_decode = msgspec.json.Decoder(Contact).decode


class SlotUndo(NamedTuple):
    """What an undo changes in a record."""

    rows: Mapping[RowSlot, Row | None]
    """New rows by slot, None for those that go."""
    relinked: Sequence[FormerRow]
    """Former rows of other imports that came from this one, replaced by those before it."""


def undo_slots(number: int, source: int, rows: Rows, kept: Sequence[FormerRow], *, created: bool) -> SlotUndo:
    """Return the undo of an import in a record.

    The imports that changed a slot form a chain, each with the row before it. The one that is taken back is cut out:
    the next one gets its former row, and so does the slot itself if there is none.

    Args:
        number: the import.
        source: number of its source.
        rows: the record's rows.
        kept: former rows of the record of all imports, in the order in which they were replaced.
        created: whether the import created the record, so that its source had no rows there.
    """
    former: dict[RowSlot, Row | None] = {each.slot: each.row for each in kept if each.import_id == number}
    starts = {each.slot: index for index, each in enumerate(kept) if each.import_id == number}
    if created:
        own = {slot for slot in (*rows, *(each.slot for each in kept)) if slot[0] == source}
        former |= dict.fromkeys(own)
        starts |= dict.fromkeys(own, -1)
    changed: dict[RowSlot, Row | None] = {}
    relinked = []
    for slot, row in former.items():
        later = (each for each in kept[starts[slot] + 1 :] if each.slot == slot and each.import_id != number)
        following = next(later, None)
        if following is None:
            changed[slot] = row
        else:
            relinked.append(following._replace(row=row))
    return SlotUndo({slot: row for slot, row in changed.items() if rows.get(slot) != row}, relinked)


def undo_records(
    session: Session,
    digests: Digests,
    undone: StoredImport,
    sources: Mapping[str, int],
    entity: Entity,
    stored: Mapping[int, Rows],
    kept: Mapping[int, Sequence[FormerRow]],
    created: BitMap,
) -> dict[int, SlotUndo]:
    """Return the undo of an import in records with these rows and former rows.

    A former row of a person who was suppressed since does not come back.
    """
    source = sources[undone.source]
    undos = {
        number: undo_slots(undone.id, source, rows, kept.get(number, ()), created=number in created)
        for number, rows in stored.items()
    }
    if entity is Entity.COMPANY:
        return undos
    for number, slot in _suppressed_slots(session, digests, sources, undos):
        rows = {**undos[number].rows, slot: None}
        if slot not in stored[number]:
            del rows[slot]
        undos[number] = undos[number]._replace(rows=rows)
    return undos


def count_marks(rows: Rows, changes: Mapping[RowSlot, Row | None]) -> int:
    """Return how many do-not-call marks go with the versions that a record's rows lose."""
    return sum(len(_marked(rows.get(slot)) - _marked(row)) for slot, row in changes.items())


class PartPlan(NamedTuple):
    """What the undo of an import does to some records."""

    rows: dict[int, Mapping[RowSlot, Row | None]]
    """New rows of those that remain, by record and slot."""
    emptied: set[int]
    """Records that no row states any more."""
    relinked: list[FormerRow]
    """Former rows of other imports that change."""
    marks: int
    """Do-not-call marks of versions that go."""


def plan_part(
    session: Session,
    digests: Digests,
    undone: StoredImport,
    sources: Mapping[str, int],
    entity: Entity,
    part: Sequence[int],
    created: BitMap,
) -> PartPlan:
    """Return the plan of an undo for some of the import's records; those that do not exist any more are left out."""
    plan, marks = PartPlan({}, set(), [], 0), 0
    stored = {number: rows for number, rows in read_rows(session, entity, part).items() if rows}
    kept = store.select_former_rows(session, entity, part)
    for number, undo in undo_records(
        session, digests, undone, sources, entity, stored, kept, created
    ).items():
        rows = stored[number]
        plan.relinked.extend(undo.relinked)
        marks += count_marks(rows, undo.rows)
        if not any({**rows, **undo.rows}.values()):
            plan.emptied.add(number)
        elif undo.rows:
            plan.rows[number] = undo.rows
    return plan._replace(marks=marks)


def _suppressed_slots(
    session: Session, digests: Digests, sources: Mapping[str, int], undos: Mapping[int, SlotUndo]
) -> set[tuple[int, RowSlot]]:
    """Return the slots whose former rows are of people who were suppressed since, by record."""
    found: set[tuple[int, RowSlot]] = set()
    put_back = [
        (number, slot, row) for number, undo in undos.items() for slot, row in undo.rows.items() if row
    ]
    for name, source in sources.items():
        own = [each for each in put_back if each[1][0] == source]
        records = [(slot[1], _decode(row.row or b"{}")) for _, slot, row in own]
        suppressed = suppressed_records(session, digests, name, records) if own else ()
        found.update((number, slot) for number, slot, _ in (own[index] for index in suppressed))
    return found


def _marked(row: Row | None) -> set[str]:
    """Return the numbers that a row and its history mark as do-not-call."""
    marks = history_of(row).marks if row else {}
    return {number for number, mark in marks.items() if mark.do_not_call}
