"""Personal data of record tables: record numbers of people, and cells with data of them."""

from typing import Final

from firmograph.privacy.declarations import Impersonal, PersonalData, TableData
from firmograph.record_tables.tables import (
    record_table_cells,
    record_table_chunks,
    record_table_columns,
    record_table_rows,
    record_table_run_parts,
    record_table_runs,
    record_tables,
)

_CODE, _OWN_WORDS, _REFERENCE = Impersonal.CODE, Impersonal.OWN_WORDS, Impersonal.REFERENCE

_TABLES = (
    TableData(record_tables, impersonal={"name": _OWN_WORDS, "name_key": _OWN_WORDS, "surface": _CODE}),
    TableData(
        record_table_columns,
        impersonal=dict.fromkeys(("kind", "key", "identity", "name", "settings"), _CODE),
    ),
    TableData(record_table_rows),
    TableData(record_table_chunks, impersonal={"numbers": _REFERENCE}),
    # data of people: erasure and finder follow
    TableData(record_table_cells, impersonal={"statuses": _CODE, "notes": _CODE, "contents": _CODE}),
    TableData(record_table_runs, impersonal=dict.fromkeys(("scope", "request_id", "quantities"), _CODE)),
    TableData(record_table_run_parts, impersonal={"taken": _CODE}),
)

PERSONAL_DATA: Final = PersonalData("record_tables", uses=("records",), tables=_TABLES)
