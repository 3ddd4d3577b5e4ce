"""Services of `directory` and `privacy`."""

from typing import Final

from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, Services
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.held_values import HeldValues
from firmograph.privacy.people_lookup import PeopleLookup
from firmograph.privacy.person_reports import HeldRecords, PersonReports
from firmograph.privacy.person_search import PersonSearch
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
    return PeopleLookup(
        installation.database,
        installation.get(Suppression),
        installation.get(RecordLookup),
        installation.get(HeldValues),
    )


def _person_search(installation: Installation) -> PersonSearch:
    return PersonSearch(
        installation.database,
        installation.get(Suppression),
        installation.get(RecordLookup),
        installation.get(HeldValues),
    )


def _held_values(installation: Installation) -> HeldValues:
    # imported late, as look-ups need none of it
    from firmograph.waterfall.asks.value_review import ValueReview

    return ValueReview(installation.digests)


def _held_records(installation: Installation) -> HeldRecords:
    # imported late, as suppressions and look-ups need none of it
    from firmograph.record_export.origins import RecordOrigins

    return installation.get(RecordOrigins)


def _person_reports(installation: Installation) -> PersonReports:
    from firmograph.accounts.service import Accounts

    return PersonReports(
        installation.database,
        installation.clock,
        installation.personal_data,
        installation.get(HeldRecords),
        lambda: {account.id: account.name for account in installation.get(Accounts).all()},
    )


def _taken_back(installation: Installation) -> TakenBack:
    # imported late, as look-ups need none of it
    from firmograph.ingest.imports.restored_copies import RestoredCopies
    from firmograph.ingest.wiring import make_deletion_lists, make_remarking, make_removal, make_undo

    return RestoredCopies(
        lambda copy: make_removal(installation, copy),
        lambda copy: make_undo(installation, copy),
        lambda copy: make_remarking(installation, copy),
        lambda copy: make_deletion_lists(installation, copy),
    )


SERVICES: Final[Services] = {
    RecordLookup: _record_lookup,
    Suppression: _suppression,
    PeopleLookup: _people_lookup,
    TakenBack: _taken_back,
    PersonSearch: _person_search,
    HeldRecords: _held_records,
    HeldValues: _held_values,
    PersonReports: _person_reports,
}
