"""Services of `directory` and `privacy`."""

from typing import Final

from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, Services
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.people_lookup import PeopleLookup
from firmograph.privacy.suppression import Suppression
from firmograph.privacy.taken_back import TakenBack


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


def _people_lookup(installation: Installation) -> PeopleLookup:
    return PeopleLookup(installation.database, installation.get(Suppression), installation.get(RecordLookup))


def _taken_back(installation: Installation) -> TakenBack:
    # imported late, as look-ups need none of it
    from firmograph.ingest.imports.restored_copies import RestoredCopies
    from firmograph.ingest.wiring import make_removal, make_undo

    return RestoredCopies(
        lambda copy: make_removal(installation, copy), lambda copy: make_undo(installation, copy)
    )


SERVICES: Final[Services] = {
    RecordLookup: _record_lookup,
    Suppression: _suppression,
    PeopleLookup: _people_lookup,
    TakenBack: _taken_back,
}
