"""Personal data of imports: files of rejected rows, and temporary files."""

from typing import Final

from firmograph.privacy.declarations import FileData, PersonalData

PERSONAL_DATA: Final = PersonalData(
    "ingest",
    files=(
        FileData(
            "ingest.rejects",
            "line number, reason and source id of rejected rows, of suppressed people the line number alone",
            "stays next to the imported file, which holds more; the operator removes both",
        ),
        FileData(
            "ingest.rejected_rows",
            "rejected rows with all their values, only where the operator asks for the file",
            "stays where the operator has put it, as the imported file does",
        ),
        FileData("ingest.mapping_file", "names of columns and fields, written for the operator to edit"),
        FileData(
            "ingest.reading.compression",
            "an unpacked copy of an imported file",
            "has no name: it ends with the import, also when that is killed",
        ),
        FileData(
            "ingest.records.file_versions",
            "rows of an import that wait for an older version of their person",
            "have no name: they end with the import, also when that is killed",
        ),
    ),
)
