"""Parquet, written by row groups of bounded size.

A `string` column is text, a `number` column is a double. An `object` column is JSON text of the logical type JSON: its
values have no common structure that a file, which begins with its schema, could name.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import msgspec

from firmograph.record_tables.export.layout import ID, ExportField, ExportLayout, ExportRow

if TYPE_CHECKING:
    import pyarrow

MOST_ROWS: Final = 2_000
"""Rows of a row group."""
MOST_BYTES: Final = 1 << 24
"""Size of its values, as JSON, from which a row group ends."""

_decode = msgspec.json.decode


def write_parquet(out: BinaryIO, layout: ExportLayout, rows: Iterable[ExportRow]) -> None:
    """Write a table. The file need not be seekable."""
    import pyarrow
    from pyarrow import parquet

    types = {"string": pyarrow.string(), "number": pyarrow.float64(), "object": pyarrow.json_()}
    schema = pyarrow.schema(
        [
            pyarrow.field(ID, pyarrow.string(), nullable=False),
            *(pyarrow.field(field.heading, types[field.type]) for field in layout.fields),
        ]
    )
    sink = pyarrow.PythonFile(_Sink(out), mode="w")
    with parquet.ParquetWriter(sink, schema) as writer:
        for group in _groups(rows):
            writer.write_table(_table(group, layout, schema))


class _Sink:
    """Output that counts its bytes, as pipes do not know their position."""

    closed = False

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._position = 0

    def write(self, content: bytes) -> int:
        self._out.write(content)
        self._position += len(content)
        return len(content)

    def tell(self) -> int:
        return self._position

    def flush(self) -> None:
        self._out.flush()


def _groups(rows: Iterable[ExportRow]) -> Iterator[list[ExportRow]]:
    group: list[ExportRow] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(cell.value) for cell in row.cells if cell.value)
        if len(group) >= MOST_ROWS or size >= MOST_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _table(group: list[ExportRow], layout: ExportLayout, schema: "pyarrow.Schema") -> "pyarrow.Table":
    import pyarrow

    values: list[list[Any]] = [[row.id for row in group]]
    values += ([_value(field, row) for row in group] for field in layout.fields)
    arrays = [pyarrow.array(each, field.type) for each, field in zip(values, schema, strict=True)]
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def _value(field: ExportField, row: ExportRow) -> str | float | None:
    cell = row.cells[field.column]
    if field.is_status:
        return cell.status
    if cell.value is None:
        return None
    if field.type == "object":
        return cell.value.decode()
    value = _decode(cell.value)
    # a catalog may say `string` of what a source holds as a number
    is_text = field.type == "number" or isinstance(value, str)
    return value if is_text else cell.value.decode()
