"""Parquet as rows of cells, a record batch at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from firmograph.ingest.reading.parquet_cells import column_values
from firmograph.kit.errors import Refused

_BATCH_ROWS = 2000


class ParquetTable:
    """Iterates over rows. Dates, times and decimals come as text, nested values as lists and dicts."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        self._path = path
        # a damaged name of a column is no text
        self._damages = ArrowException, OSError, UnicodeDecodeError
        try:
            self._file = ParquetFile(file)
            self.columns: list[str] = list(self._file.schema_arrow.names)
        except self._damages as error:
            raise Refused(f"{path} is damaged: it starts like Parquet but cannot be read") from error

    def __iter__(self) -> Iterator[list[object]]:
        row = 0
        try:
            for batch in self._file.iter_batches(_BATCH_ROWS, use_threads=False):
                columns = [column_values(column) for column in batch.columns]
                row += batch.num_rows
                # a table without columns still has rows
                yield from map(list, zip(*columns, strict=True))
        except self._damages as error:
            raise Refused(f"{self._path} is damaged behind row {row}") from error
