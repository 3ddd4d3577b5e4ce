"""Rule by which a restored copy keeps people out of its tables.

Rows of erased people go with their cells. SQL cannot take one signal out of a cell: cells of companies that may show a
signal about an erased or newly suppressed person are emptied as a whole, as if they had not been run; the next run of
scope `missing` fills them again.

Open runs of the copy end, and their cells are as before: what they charged later is in the replaced database only.
"""

from typing import Final

from firmograph.privacy.restore_rules import FoundTable, PerEngine, RestoreRule
from firmograph.record_tables.cells.chunk import CHUNK
from firmograph.record_tables.cells.counter_store import NEVER
from firmograph.record_tables.types import RunState
from firmograph.security.record_ids import Entity
from firmograph.signals.types import NAMING_TYPES, NUMBER_OF

_CONTACT, _COMPANY = int(Entity.CONTACT), int(Entity.COMPANY)
_OPEN, _STOPPED = int(RunState.OPEN), int(RunState.STOPPED)
_LETTERS: Final = {"not_run": "n", "success": "s", "no_data": "d", "failed": "f"}

_NAMING_TYPES = " UNION ALL ".join(
    f"SELECT {NUMBER_OF[type]} AS number, '%{type},%' AS pattern" for type in NAMING_TYPES
)
"""Types of signals that may name people, with the pattern of the identities of their columns."""

_place = f"CAST(r.position % {CHUNK} AS integer)"
_FOUND = (
    FoundTable(
        "new_lost_rows",
        f"SELECT r.table_id, r.record_id, r.position / {CHUNK} AS chunk, {_place} AS place"
        " FROM record_table_rows r JOIN new_erased e ON e.number = r.record_id"
        f" JOIN record_tables t ON t.id = r.table_id AND t.entity = {_CONTACT}",
    ),
    FoundTable(
        "new_lost_cells",
        # those that stay are emptied, but their rows are not lost
        "SELECT c.id AS column_id, l.chunk, l.place, coalesce(substr(k.statuses, l.place + 1, 1), 'n') AS status,"
        " 0 AS stays FROM new_lost_rows l JOIN record_table_columns c ON c.table_id = l.table_id"
        " LEFT JOIN record_table_cells k ON k.column_id = c.id AND k.chunk = l.chunk"
        f" UNION SELECT c.id, k.chunk, {_place}, substr(k.statuses, {_place} + 1, 1), 1"
        f" FROM new_unsaid u JOIN signals s ON s.id = u.id AND s.entity = {_COMPANY}"
        f" JOIN ({_NAMING_TYPES}) n ON n.number = s.type"
        " JOIN record_table_rows r ON r.record_id = s.entity_id"
        f" JOIN record_tables t ON t.id = r.table_id AND t.entity = {_COMPANY}"
        " JOIN record_table_columns c ON c.table_id = t.id AND c.kind = 'signal'"
        " AND c.identity || ',' LIKE n.pattern"
        f" JOIN record_table_cells k ON k.column_id = c.id AND k.chunk = r.position / {CHUNK}"
        f" WHERE substr(k.statuses, {_place} + 1, 1) IN ('s', 'f')",
    ),
)

_left = ", ".join(
    f"{name} = {name} + (SELECT coalesce(sum(r.left_{name}), 0) FROM record_table_runs r"
    " WHERE r.table_id = record_table_columns.table_id AND r.column_id = record_table_columns.id"
    f" AND r.state = {_OPEN})"
    for name in _LETTERS
)
_END_RUNS = (
    f"UPDATE record_table_columns SET processing = 0, {_left} WHERE processing <> 0",
    "UPDATE record_tables SET open_runs = 0 WHERE open_runs <> 0",
    # fences far above every one issued by the replaced database
    f"UPDATE record_table_runs SET state = {_STOPPED}, ended_at = due_at, due_at = {NEVER}, lease_until = 0,"
    f" fence = fence + 1000000, {', '.join(f'left_{name} = 0' for name in _LETTERS)} WHERE state = {_OPEN}",
    "DELETE FROM record_table_run_parts",
)

_cells_lost = "SELECT count(*) FROM new_lost_cells l WHERE l.column_id = record_table_columns.id"
_counters = ", ".join(
    f"{name} = {name} - ({_cells_lost} AND l.status = '{letter}')"
    + (f" + ({_cells_lost} AND l.stays = 1)" if name == "not_run" else "")
    for name, letter in _LETTERS.items()
)
_rows_lost = "(SELECT count(*) FROM new_lost_rows l WHERE l.table_id = record_tables.id)"
_COUNTERS = (
    "CREATE INDEX new_lost_places ON new_lost_cells (column_id, chunk, place)",
    f"UPDATE record_table_columns SET {_counters} WHERE id IN (SELECT column_id FROM new_lost_cells)",
    f"UPDATE record_tables SET entity_count = entity_count - {_rows_lost}, removals = removals + {_rows_lost}"
    " WHERE id IN (SELECT table_id FROM new_lost_rows)",
)

# arrays and objects are put together from the texts of their members, which therefore stay as they are

_lost_cell = (
    "EXISTS (SELECT 1 FROM new_lost_cells l WHERE l.column_id = record_table_cells.column_id"
    " AND l.chunk = record_table_cells.chunk AND l.place = {place})"
)
_lost_row = (
    "EXISTS (SELECT 1 FROM new_lost_rows l WHERE l.table_id = record_table_chunks.table_id"
    " AND l.chunk = record_table_chunks.chunk AND l.place = {place})"
)
_affected_cells = "WHERE (column_id, chunk) IN (SELECT column_id, chunk FROM new_lost_cells)"
_affected_rows = "WHERE (table_id, chunk) IN (SELECT table_id, chunk FROM new_lost_rows)"


def _sqlite_array(column: str, lost: str) -> str:
    """Return the array of a column with null at the lost places."""
    return (
        f"CAST('[' || coalesce((SELECT group_concat(CASE WHEN {lost.format(place='e.key')} THEN 'null'"
        f" ELSE CAST({column} AS TEXT) -> e.key END, ',') FROM json_each(CAST({column} AS TEXT)) e), '') || ']'"
        " AS BLOB)"
    )


def _postgresql_array(column: str, lost: str) -> str:
    return (
        f"convert_to('[' || coalesce((SELECT string_agg(CASE WHEN {lost.format(place='e.number - 1')} THEN 'null'"
        " ELSE CAST(e.member AS text) END, ',' ORDER BY e.number) FROM"
        f" json_array_elements(CAST(convert_from({column}, 'UTF8') AS json)) WITH ORDINALITY e (member, number)), '')"
        " || ']', 'UTF8')"
    )


_places = f"[{','.join(map(str, range(CHUNK)))}]"
_CELLS = PerEngine(
    sqlite="UPDATE record_table_cells SET"
    f" statuses = (SELECT group_concat(CASE WHEN {_lost_cell.format(place='p.value')} THEN 'n'"
    f" ELSE substr(statuses, p.value + 1, 1) END, '') FROM json_each('{_places}') p),"
    " notes = (SELECT CAST('{' || group_concat('\"' || e.key || '\":' || e.value, ',') || '}' AS BLOB)"
    " FROM json_each(CAST(notes AS TEXT)) e"
    f" WHERE NOT {_lost_cell.format(place='CAST(e.key AS INTEGER)')}),"
    f" contents = {_sqlite_array('contents', _lost_cell)} {_affected_cells}",
    postgresql="UPDATE record_table_cells SET"
    f" statuses = (SELECT string_agg(CASE WHEN {_lost_cell.format(place='p.place')} THEN 'n'"
    " ELSE substr(statuses, p.place + 1, 1) END, '' ORDER BY p.place)"
    f" FROM generate_series(0, {CHUNK - 1}) p (place)),"
    " notes = (SELECT convert_to('{' || string_agg('\"' || e.key || '\":' || CAST(e.value AS text), ',') || '}',"
    " 'UTF8') FROM json_each(CAST(convert_from(notes, 'UTF8') AS json)) e"
    f" WHERE NOT {_lost_cell.format(place='CAST(e.key AS bigint)')}),"
    f" contents = {_postgresql_array('contents', _lost_cell)} {_affected_cells}",
)
_count = (
    "count = count - (SELECT count(*) FROM new_lost_rows l WHERE l.table_id = record_table_chunks.table_id"
    " AND l.chunk = record_table_chunks.chunk)"
)
_CHUNKS = PerEngine(
    sqlite=f"UPDATE record_table_chunks SET {_count},"
    f" numbers = {_sqlite_array('numbers', _lost_row)} {_affected_rows}",
    postgresql=f"UPDATE record_table_chunks SET {_count},"
    f" numbers = {_postgresql_array('numbers', _lost_row)} {_affected_rows}",
)

RESTORE: Final = RestoreRule(
    found=_FOUND,
    changes=(
        *_END_RUNS,
        *_COUNTERS,
        _CELLS,
        _CHUNKS,
        "DELETE FROM record_table_rows WHERE (record_id, table_id) IN (SELECT record_id, table_id FROM new_lost_rows)",
        # a chunk without rows has no cells
        f"DELETE FROM record_table_cells {_affected_cells} AND EXISTS"
        " (SELECT 1 FROM record_table_columns c JOIN record_table_chunks h ON h.table_id = c.table_id"
        " WHERE c.id = record_table_cells.column_id AND h.chunk = record_table_cells.chunk AND h.count = 0)",
        "DELETE FROM record_table_chunks WHERE count = 0",
    ),
)
