"""Personal data of record tables: record numbers of people, and cells with data of them."""

from collections.abc import Collection
from typing import Final

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.privacy.declarations import (
    Impersonal,
    PersonalData,
    RecordUses,
    Replacement,
    TableData,
    rows_by_number,
)
from firmograph.record_tables.deletion import erasure_store
from firmograph.record_tables.deletion.erasure import erase_events, find_cells, find_numbers, remove_rows
from firmograph.record_tables.runs import preservation_store
from firmograph.record_tables.tables import (
    record_table_cells,
    record_table_chunks,
    record_table_columns,
    record_table_rows,
    record_table_run_parts,
    record_table_runs,
    record_tables,
)
from firmograph.security.record_ids import Entity

_CODE, _OWN_WORDS = Impersonal.CODE, Impersonal.OWN_WORDS
_of_contacts = record_table_rows.c.table_id.in_(
    sa.select(record_tables.c.id).where(record_tables.c.entity == int(Entity.CONTACT))
)


def end_runs(replacement: Replacement) -> None:
    """End the open runs of a copy, with their cells as before: what they charged later is in the replaced database."""
    preservation_store.end_runs(replacement.copy)


def count_rows(session: Session, entity: Entity, numbers: Collection[int]) -> RecordUses:
    """Count the rows of records in tables."""
    rows = erasure_store.select_rows(session, int(entity), numbers)
    return RecordUses(len(rows), frozenset(row.account_id for row in rows))


_TABLES = (
    TableData(record_tables, impersonal={"name": _OWN_WORDS, "name_key": _OWN_WORDS, "surface": _CODE}),
    TableData(
        record_table_columns,
        impersonal=dict.fromkeys(("kind", "key", "identity", "name", "settings"), _CODE),
    ),
    TableData(
        record_table_rows,
        erased=("record_id",),
        removed=("record_id",),
        find=rows_by_number(record_table_rows.c.record_id, _of_contacts),
        place="tables",
    ),
    TableData(
        record_table_chunks, erased=("numbers",), removed=("numbers",), find=find_numbers, place="tables"
    ),
    TableData(
        record_table_cells,
        erased=("notes", "contents"),
        impersonal={"statuses": _CODE},
        find=find_cells,
        place="tables",
    ),
    TableData(
        record_table_runs, impersonal=dict.fromkeys(("scope", "request_id", "quantities", "actor"), _CODE)
    ),
    TableData(record_table_run_parts, impersonal={"taken": _CODE}),
)

PERSONAL_DATA: Final = PersonalData(
    "record_tables",
    uses=("records", "signals"),
    tables=_TABLES,
    removers=(remove_rows,),
    erasers=(erase_events,),
    preservers=(end_runs,),
    counters={"tableRows": count_rows},
)
