"""Services of the export of records."""

from typing import Final

from firmograph.installation import Installation, Services
from firmograph.record_export.service import RecordExport


def _export(installation: Installation) -> RecordExport:
    return RecordExport(installation.database, installation.record_ids)


SERVICES: Final[Services] = {RecordExport: _export}
