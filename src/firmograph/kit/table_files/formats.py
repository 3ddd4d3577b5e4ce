"""Formats of exported files."""

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import BinaryIO, Final

from firmograph.kit.errors import Refused
from firmograph.kit.table_files.columns import FileColumn, FileRow


class FileFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    EXCEL = "xlsx"


TEXT_FORMATS: Final = frozenset((FileFormat.CSV, FileFormat.JSONL))
EXCEL_ROWS: Final = 1_048_575
"""Rows of a sheet below its header."""


def most_rows(format: FileFormat) -> float:
    """Return the number of rows that a file of the format holds."""
    return EXCEL_ROWS if format is FileFormat.EXCEL else math.inf


def check_row_count(format: FileFormat, count: int) -> None:
    """Raise Refused for more rows than a file of the format holds."""
    if count > most_rows(format):
        raise Refused(
            f"Excel holds {EXCEL_ROWS:,} rows below the header, and these are {count:,}; choose CSV, JSON Lines or"
            " Parquet, or narrow them down"
        )


def write_rows(
    out: BinaryIO,
    format: FileFormat,
    columns: Sequence[FileColumn],
    rows: Iterable[FileRow],
    *,
    raw: bool = False,
) -> None:
    """Write rows as they come; `raw` leaves texts that look like formulas as they are.

    The file need not be seekable, but Excel needs one with a name, as its temporary files lie in the same folder.
    Raises Refused where more rows come than the format holds.
    """
    if format is FileFormat.PARQUET:
        from firmograph.kit.table_files.parquet_file import write_parquet

        write_parquet(out, columns, rows)
    elif format is FileFormat.EXCEL:
        from firmograph.kit.table_files.excel_file import write_excel

        write_excel(out, columns, _bounded(rows), raw=raw)
    else:
        from firmograph.kit.table_files.text_files import write_csv, write_json_lines

        if format is FileFormat.CSV:
            write_csv(out, columns, rows, raw=raw)
        else:
            write_json_lines(out, columns, rows)


def _bounded(rows: Iterable[FileRow]) -> Iterator[FileRow]:
    for number, row in enumerate(rows, start=1):
        check_row_count(FileFormat.EXCEL, number)
        yield row
