"""Services of imports."""

from typing import Final

from firmograph.ingest.merging.record_deletion import RecordDeletion
from firmograph.ingest.merging.split import RecordSplitter
from firmograph.installation import Installation, Services
from firmograph.privacy.erasing import Erasers


def _splitter(installation: Installation) -> RecordSplitter:
    return RecordSplitter(installation.database, installation.digests, installation.record_ids)


def _deletion(installation: Installation) -> RecordDeletion:
    return RecordDeletion(installation.digests, Erasers(installation.personal_data))


SERVICES: Final[Services] = {RecordSplitter: _splitter, RecordDeletion: _deletion}
