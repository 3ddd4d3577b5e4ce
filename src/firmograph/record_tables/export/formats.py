"""Formats of exported files."""

from collections.abc import Iterable
from enum import StrEnum
from typing import BinaryIO

from firmograph.record_tables.export.layout import ExportLayout, ExportRow


class ExportFormat(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


def write_rows(
    out: BinaryIO, format: ExportFormat, layout: ExportLayout, rows: Iterable[ExportRow], *, raw: bool
) -> None:
    """Write rows as they come; `raw` is for CSV. The file need not be seekable."""
    if format is ExportFormat.PARQUET:
        from firmograph.record_tables.export.parquet_file import write_parquet

        write_parquet(out, layout, rows)
        return
    from firmograph.record_tables.export.text_files import write_csv, write_json_lines

    if format is ExportFormat.CSV:
        write_csv(out, layout, rows, raw=raw)
    else:
        write_json_lines(out, layout, rows)
