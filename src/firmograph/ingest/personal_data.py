"""Personal data of imports: rows kept for an undo, files of rejected rows, and temporary files."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from firmograph.database.connection import Session
from firmograph.ingest.imports import store
from firmograph.ingest.imports.tables import (
    import_former_rows,
    import_records,
    import_sightings,
    imports,
    source_removals,
)
from firmograph.ingest.quality.tables import quality_reports
from firmograph.privacy.declarations import Deletion, FileData, Impersonal, People, PersonalData, TableData
from firmograph.security.record_ids import Entity

_CODE: Final = Impersonal.CODE


def find_former_rows(session: Session, people: People) -> Iterable[Mapping[str, Any]]:
    """Return the rows of people that imports replaced."""
    return store.export_former_rows(session, Entity.CONTACT, sorted(people.records))


def remove_former_rows(deletion: Deletion) -> None:
    """Delete the former rows of the records, so that no undo brings them back."""
    store.forget_records(deletion.session, deletion.entity, sorted(deletion.numbers))


PERSONAL_DATA: Final = PersonalData(
    "ingest",
    tables=(
        TableData(
            imports,
            impersonal={
                **dict.fromkeys(("source", "file", "mapping", "actor", "unread"), Impersonal.OWN_WORDS),
                **dict.fromkeys(("kind", "sha256", "state", "counts", "undo"), _CODE),
            },
        ),
        TableData(quality_reports, impersonal={"figures": _CODE}),
        TableData(
            source_removals,
            impersonal={
                "name": Impersonal.OWN_WORDS,
                "state": _CODE,
                **dict.fromkeys(("companies", "named"), Impersonal.REFERENCE),
                "counts": _CODE,
            },
        ),
        TableData(import_sightings, impersonal={"numbers": Impersonal.REFERENCE}),
        TableData(import_records, impersonal={"numbers": Impersonal.REFERENCE}),
        TableData(
            import_former_rows,
            erased=("record_id", "source_id", "row", "history"),
            removed=("record_id",),
            kept={"employer_id": "an undo links the row again if its employer is gone"},
            impersonal={"version": _CODE, "day": _CODE},
            find=find_former_rows,
            place="former rows of sources",
        ),
    ),
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
    record_removers=(remove_former_rows,),
)
