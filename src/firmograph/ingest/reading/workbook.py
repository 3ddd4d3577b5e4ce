"""Excel workbooks and the choice among their sheets."""

import re
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.stylesheet import apply_stylesheet

from firmograph.ingest.reading.header_names import is_known
from firmograph.ingest.reading.sheet_rows import DAMAGE_ERRORS, Sheet, SheetTable
from firmograph.ingest.reading.table_rows import ColumnCheck
from firmograph.kit.errors import Refused

_MAX_IN_MEMORY = 256 << 20
"""Unpacked bytes of all parts but the sheets, because openpyxl keeps the shared texts in memory."""
_SHEET_FILE = re.compile(r"xl/worksheets/sheet\d+\.xml\Z")


class _SheetEntry(NamedTuple):
    part: str
    """Name of its file in the workbook."""
    is_visible: bool


class Workbook:
    """An open workbook."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._path = path
        # openpyxl warns of parts it does not keep, such as lists of permitted values
        warnings.filterwarnings("ignore", module=r"openpyxl\.")
        try:
            self._check_size(file)
            # openpyxl's own load function reads whole sheets to find their size
            self._reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
            self._reader.read_manifest()
            self._reader.read_strings()
            self._reader.read_workbook()
            apply_stylesheet(self._reader.archive, self._reader.wb)
            self._sheets: dict[str, _SheetEntry] = {
                one.name: _SheetEntry(rel.target, one.state in (None, "visible"))
                for one, rel in self._reader.parser.find_sheets()
                if rel.target in self._reader.valid_files and "chartsheet" not in rel.Type
            }
        except DAMAGE_ERRORS as error:
            raise Refused(f"{path} is damaged: it is like an Excel workbook but cannot be read") from error
        if not self._sheets:
            raise Refused(f"{path} has no sheet with cells")

    def _check_size(self, file: IO[bytes]) -> None:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
        if any(part.flag_bits & 1 for part in parts):
            raise Refused(f"{self._path} is protected by a password; save it without one")
        in_memory = [part for part in parts if not _SHEET_FILE.match(part.filename)]
        if sum(part.file_size for part in in_memory) > _MAX_IN_MEMORY:
            raise Refused(f"{self._path} is too large to be read as a workbook; save it as CSV")

    def table(self, sheet: str) -> SheetTable:
        """Return the header and the rows of a sheet."""
        if sheet not in self._sheets:
            raise Refused(f"{self._path} has no sheet {sheet!r}; it has: {', '.join(self._sheets)}")
        return Sheet(self._reader, self._sheets[sheet].part, self._path).table()

    def choose_sheet(self, fits: ColumnCheck | None) -> str:
        """Return the first visible sheet whose columns fit, else whose columns are known, else that has any."""
        visible = [name for name, entry in self._sheets.items() if entry.is_visible] or list(self._sheets)
        if len(visible) == 1:
            return visible[0]
        columns = {name: self.table(name).columns for name in visible}
        for check in (fits, _has_known_names, any):
            chosen = next((name for name in visible if check and check(columns[name])), None)
            if chosen is not None:
                return chosen
        return visible[0]

    def other_sheets(self, sheet: str) -> list[str]:
        """Return the names of the sheets that are not read; hidden ones are marked."""
        return [
            name if entry.is_visible else f"{name} (hidden)"
            for name, entry in self._sheets.items()
            if name != sheet
        ]


def _has_known_names(columns: Sequence[str]) -> bool:
    return any(map(is_known, columns))
