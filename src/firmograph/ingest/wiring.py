"""Services of imports."""

from typing import Final

from firmograph.database.connection import Database
from firmograph.ingest.deletion_lists.service import DeletionLists
from firmograph.ingest.do_not_call.remarking import Remarking
from firmograph.ingest.do_not_call.service import DoNotCall
from firmograph.ingest.imports.opt_out_marks import OptOutMarks
from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.ingest.imports.runs import ImportRuns, follow_rows
from firmograph.ingest.imports.sources import Sources
from firmograph.ingest.imports.undo import ImportUndo
from firmograph.ingest.imports.undo_preview import UndoPreviews
from firmograph.ingest.merging.record_deletion import RecordDeletion
from firmograph.ingest.merging.split import RecordSplitter
from firmograph.ingest.quality.service import QualityReports
from firmograph.ingest.retention import Retention
from firmograph.installation import Installation, Services
from firmograph.privacy.erasing import Erasers
from firmograph.privacy.held_values import HeldValues
from firmograph.privacy.suppression import Suppression
from firmograph.table_rows import CellRevision


def _splitter(installation: Installation) -> RecordSplitter:
    return RecordSplitter(
        installation.database, installation.digests, installation.record_ids, installation.clock, follow_rows
    )


def _deletion(installation: Installation) -> RecordDeletion:
    return RecordDeletion(installation.digests, Erasers(installation.personal_data))


def _runs(installation: Installation) -> ImportRuns:
    return ImportRuns(installation.database, installation.clock)


def _marks(installation: Installation) -> OptOutMarks:
    return OptOutMarks(installation.database, installation.record_ids)


def _undo(installation: Installation) -> ImportUndo:
    return make_undo(installation, installation.database)


def make_undo(installation: Installation, database: Database) -> ImportUndo:
    """Return the undo of imports in the installation's database or a copy of it."""
    deletion = installation.get(RecordDeletion)
    return ImportUndo(database, installation.clock, installation.digests, deletion)


def _previews(installation: Installation) -> UndoPreviews:
    return UndoPreviews(
        installation.database, installation.clock, installation.digests, installation.personal_data
    )


def _quality(installation: Installation) -> QualityReports:
    return QualityReports(installation.database, installation.clock)


def _sources(installation: Installation) -> Sources:
    return Sources(
        installation.database, installation.clock, installation.digests, installation.personal_data
    )


def _removal(installation: Installation) -> SourceRemoval:
    return make_removal(installation, installation.database)


def make_removal(installation: Installation, database: Database) -> SourceRemoval:
    """Return the removal of sources from the installation's database or a copy of it."""
    return SourceRemoval(
        database,
        installation.clock,
        installation.digests,
        installation.get(RecordDeletion),
        installation.get(CellRevision),
    )


def _do_not_call(installation: Installation) -> DoNotCall:
    remarking = make_remarking(installation, installation.database)
    return DoNotCall(installation.database, installation.digests, installation.clock, remarking)


def _deletion_lists(installation: Installation) -> DeletionLists:
    return DeletionLists(
        installation.database,
        installation.digests,
        installation.clock,
        installation.get(Suppression),
        installation.get(HeldValues),
    )


def make_deletion_lists(installation: Installation, copy: Database) -> DeletionLists:
    """Return the deletion lists of a restored copy, in which nothing is audited."""
    suppression = Suppression(copy, installation.keyring, installation.clock, installation.personal_data)
    values = installation.get(HeldValues)
    return DeletionLists(copy, installation.digests, installation.clock, suppression, values)


def _retention(installation: Installation) -> Retention:
    days = installation.settings.retention_contact_days
    return Retention(installation.database, installation.clock, installation.get(RecordDeletion), days)


def make_remarking(installation: Installation, database: Database) -> Remarking:
    """Return the marking of contacts in the installation's database or a copy of it."""
    return Remarking(
        database,
        installation.digests,
        installation.clock,
        installation.get(CellRevision),
        installation.get(HeldValues),
    )


SERVICES: Final[Services] = {
    RecordSplitter: _splitter,
    RecordDeletion: _deletion,
    ImportRuns: _runs,
    OptOutMarks: _marks,
    ImportUndo: _undo,
    UndoPreviews: _previews,
    QualityReports: _quality,
    Sources: _sources,
    SourceRemoval: _removal,
    DoNotCall: _do_not_call,
    DeletionLists: _deletion_lists,
    Retention: _retention,
}
