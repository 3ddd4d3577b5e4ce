"""Parquet, written by row groups of bounded size.

An `object` column is JSON text of the logical type JSON: its values have no common structure that a file, which begins
with its schema, could name.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import msgspec

from firmograph.kit.table_files.columns import CellValue, FileColumn, FileRow

if TYPE_CHECKING:
    import pyarrow

MOST_ROWS: Final = 2_000
"""Rows of a row group."""
MOST_BYTES: Final = 1 << 24
"""Size of its texts and JSON from which a row group ends."""

_decode = msgspec.json.decode


def write_parquet(out: BinaryIO, columns: Sequence[FileColumn], rows: Iterable[FileRow]) -> None:
    """Write a table. The file need not be seekable."""
    import pyarrow
    from pyarrow import parquet

    types = {
        "string": pyarrow.string(),
        "number": pyarrow.float64(),
        "integer": pyarrow.int64(),
        "boolean": pyarrow.bool_(),
        "list": pyarrow.list_(pyarrow.string()),
        "object": pyarrow.json_(),
    }
    schema = pyarrow.schema([pyarrow.field(column.heading, types[column.type]) for column in columns])
    sink = pyarrow.PythonFile(_Sink(out), mode="w")
    with parquet.ParquetWriter(sink, schema) as writer:
        for group in _groups(rows):
            writer.write_table(_table(group, columns, schema))


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


def _groups(rows: Iterable[FileRow]) -> Iterator[list[FileRow]]:
    group: list[FileRow] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(map(_size, row))
        if len(group) >= MOST_ROWS or size >= MOST_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _size(value: CellValue) -> int:
    if value is None or isinstance(value, bool | int | float):
        return 0
    if isinstance(value, str):
        return len(value)
    return len(bytes(value)) if isinstance(value, msgspec.Raw) else sum(map(len, value))


def _table(
    group: Sequence[FileRow], columns: Sequence[FileColumn], schema: "pyarrow.Schema"
) -> "pyarrow.Table":
    import pyarrow

    arrays = [
        pyarrow.array([_stored(column, value) for value in values], field.type)
        for column, values, field in zip(columns, zip(*group, strict=True), schema, strict=True)
    ]
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def _stored(column: FileColumn, value: CellValue) -> Any:
    if not isinstance(value, msgspec.Raw):
        return value
    if column.type == "object":
        return bytes(value).decode()
    decoded = _decode(value)
    # a catalog may say `string` of what a source holds as a number
    is_fitting = column.type != "string" or isinstance(decoded, str)
    return decoded if is_fitting else bytes(value).decode()
