"""Excel workbooks of one sheet, written row by row."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec
from xlsxwriter import Workbook
from xlsxwriter.exceptions import FileCreateError

from firmograph.kit.formula_guard import guard_formula
from firmograph.kit.table_files.columns import CellValue, FileColumn, FileRow, value_text

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_WHOLE: Final = 2**53
"""Numbers up to here are whole in a cell."""


def write_excel(out: BinaryIO, columns: Sequence[FileColumn], rows: Iterable[FileRow], *, raw: bool) -> None:
    """Write a workbook to a named file; temporary files lie in its folder, and their owner alone reads them.

    Texts are texts whatever they begin with. Unless `raw`, those that look like formulas have Excel's mark for a text,
    so that they also stay texts when a cell is edited.
    """
    options = {
        "constant_memory": True,
        "tmpdir": str(Path(out.name).parent),
        # the sheet may be larger than 4 GiB before it is packed
        "use_zip64": True,
    }
    book = Workbook(out, options)
    sheet = book.add_worksheet()
    marked = None if raw else book.add_format({"quote_prefix": True})
    for position, column in enumerate(columns):
        _write_text(sheet, 0, position, column.heading, marked)
    sheet.freeze_panes(1, 0)
    for number, row in enumerate(rows, start=1):
        for position, value in enumerate(row):
            if value is not None:
                _write_value(sheet, number, position, value, marked)
    try:
        book.close()
    except FileCreateError as error:
        reason = error.args[0]
        raise reason if isinstance(reason, OSError) else error from None


def _write_value(
    sheet: "Worksheet", row: int, column: int, value: CellValue, marked: "Format | None"
) -> None:
    if isinstance(value, msgspec.Raw):
        decoded = msgspec.json.decode(value)
        value = decoded if isinstance(decoded, bool | int | float) else value
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) <= _WHOLE:
        sheet.write_number(row, column, value)
    elif text := value_text(value):
        _write_text(sheet, row, column, text, marked)


def _write_text(sheet: "Worksheet", row: int, column: int, text: str, marked: "Format | None") -> None:
    is_formula = marked is not None and guard_formula(text) != text
    sheet.write_string(row, column, text, marked if is_formula else None)
