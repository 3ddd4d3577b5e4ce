"""Services of imports."""

from typing import Final

from firmograph.ingest.merging.split import RecordSplitter
from firmograph.installation import Installation, Services


def _splitter(installation: Installation) -> RecordSplitter:
    return RecordSplitter(installation.database, installation.digests, installation.record_ids)


SERVICES: Final[Services] = {RecordSplitter: _splitter}
