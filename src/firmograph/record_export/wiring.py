"""Services of the export of records."""

from typing import Final

from firmograph.ingest.merging.split import RecordSplitter
from firmograph.installation import Installation, Services
from firmograph.record_export.origins import RecordOrigins
from firmograph.record_export.service import RecordExport


def _export(installation: Installation) -> RecordExport:
    return RecordExport(installation.database, installation.record_ids)


def _origins(installation: Installation) -> RecordOrigins:
    return RecordOrigins(
        installation.get(RecordSplitter), installation.get(RecordExport), installation.record_ids
    )


SERVICES: Final[Services] = {RecordExport: _export, RecordOrigins: _origins}
