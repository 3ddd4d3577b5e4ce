"""Rows that an operator moved to a record of their own: an undo finds them there."""

from pyroaring import BitMap

from firmograph.database.connection import Session
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.imports import store
from firmograph.ingest.imports.types import RECORD_KINDS, FormerRow, RecordRole
from firmograph.ingest.merging.split import MovedRows
from firmograph.ingest.merging.store import number_sources


def follow_rows(session: Session, moved: MovedRows) -> None:
    """Let the imports that met the old record know the new one, in the transaction of a split."""
    store.move_former_rows(session, moved.entity, moved.old, moved.new, moved.slots)
    names = {number: name for name, number in number_sources(session, STUB_SOURCE).items()}
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
