"""Parquet as rows of cells, a record batch at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from firmograph.kit.errors import Refused

_BATCH_ROWS = 2000


class ParquetTable:
    """Iterates over rows. Dates, times and decimals come as text, nested values as lists and dicts."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        self._path = path
        self._error = ArrowException
        try:
            self._file = ParquetFile(file)
        except (ArrowException, OSError) as error:
            raise Refused(f"{path} is damaged: it starts like Parquet but cannot be read") from error
        self.columns: list[str] = list(self._file.schema_arrow.names)

    def __iter__(self) -> Iterator[list[object]]:
        row = 0
        try:
            for batch in self._file.iter_batches(_BATCH_ROWS, use_threads=False):
                columns = [_plain(column) for column in batch.columns]
                row += batch.num_rows
                # a table without columns still has rows
                yield from map(list, zip(*columns, strict=True))
        except (self._error, OSError) as error:
            raise Refused(f"{self._path} is damaged behind row {row}") from error


def _plain(column: Any) -> list[object]:
    from pyarrow import types

    values = column.to_pylist()
    if types.is_string(column.type) or types.is_large_string(column.type):
        return list(values)
    if types.is_binary(column.type) or types.is_large_binary(column.type):
        return [value if value is None else value.decode(errors="replace") for value in values]
    return list(msgspec.to_builtins(values))
