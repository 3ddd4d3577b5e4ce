"""Rendering of rows as JSON, column by column."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import msgspec

from firmograph.record_tables.cells.chunk import CellChunk
from firmograph.record_tables.types import CellStatus, TableColumn

_encode = msgspec.json.Encoder().encode
_CAPITAL: Final = re.compile(r"(?=[A-Z])")
_ENDS: Final[Mapping[CellStatus, bytes]] = {
    status: b',"status":"%b"}' % status.encode() for status in get_args(CellStatus)
}


class ColumnRenderer:
    """Rendering of the cells of one column; everything but value, status and note is rendered once."""

    def __init__(self, column: TableColumn, column_id: str, value_type: str) -> None:
        members = {
            "id": column_id,
            "name": machine_name(column),
            "type": value_type,
            "sourceType": column.kind,
        }
        self._start = b'%b,"value":' % _encode(members)[:-1]

    def render(self, cells: CellChunk | None, taken: int, indices: Sequence[int]) -> list[bytes]:
        """Return the cells at some positions of a chunk.

        `cells` is None where nothing was run; `taken` are the positions that open runs have yet to fill.
        """
        start = self._start
        if cells is None:
            return [
                b"%bnull%b" % (start, _ENDS["processing" if taken >> index & 1 else "not_run"])
                for index in indices
            ]
        values, statuses = cells.contents(), cells.statuses()
        if not taken and not cells.has_notes:
            return [b"%b%b%b" % (start, values[index], _ENDS[statuses[index]]) for index in indices]
        rendered = []
        for index in indices:
            status: CellStatus = "processing" if taken >> index & 1 else statuses[index]
            end, note = _ENDS[status], shown_note(status, cells.note(index))
            if note:
                end = b"%b,%b" % (end[:-1], _encode(note)[1:])
            rendered.append(b"%b%b%b" % (start, values[index], end))
        return rendered


def machine_name(column: TableColumn) -> str:
    """Return the key of a column, or its kind, in snake case."""
    return _CAPITAL.sub("_", column.key or column.kind).lower()


def shown_note(status: CellStatus, note: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the further members of a cell; the error of an earlier run is none of one that is processing."""
    return note if status != "processing" else {name: note[name] for name in note if name != "error"}
