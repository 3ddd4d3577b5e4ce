"""Services of `directory` and `privacy`."""

from typing import Final

from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, Services
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.suppression import Suppression


def _record_lookup(installation: Installation) -> RecordLookup:
    settings = installation.settings
    return RecordLookup(
        installation.record_ids, installation.digests, settings.match_threshold, settings.match_margin
    )


def _suppression(installation: Installation) -> Suppression:
    return Suppression(
        installation.database,
        installation.keyring,
        installation.clock,
        installation.personal_data,
        OperatorAudit().record,
    )


SERVICES: Final[Services] = {RecordLookup: _record_lookup, Suppression: _suppression}
