"""Sources and imports taken back again in copies restored from older backups, and lists carried over to them.

See docs/reference/backup.md#what-a-restore-keeps.
"""

from collections.abc import Callable

from firmograph.database.connection import Database, Session
from firmograph.ingest.deletion_lists.service import DeletionLists
from firmograph.ingest.do_not_call.remarking import Remarking
from firmograph.ingest.imports import removal_store, store
from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.ingest.imports.types import StoredImport
from firmograph.ingest.imports.undo import ImportUndo
from firmograph.privacy.deletion_lists.listed_hashes import carry_hashes
from firmograph.privacy.digest_spool import DigestSpool
from firmograph.privacy.do_not_call.registry import carry_numbers
from firmograph.privacy.taken_back import LeftToTakeBack, TakenBack


class RestoredCopies(TakenBack):
    """What is taken back in restored copies."""

    def __init__(
        self,
        make_removal: Callable[[Database], SourceRemoval],
        make_undo: Callable[[Database], ImportUndo],
        make_remarking: Callable[[Database], Remarking],
        make_lists: Callable[[Database], DeletionLists],
    ) -> None:
        self._make_removal = make_removal
        self._make_undo = make_undo
        self._make_remarking = make_remarking
        self._make_lists = make_lists

    def find_left(self, replaced: Session, copy: Session) -> LeftToTakeBack:
        removals = removal_store.select_removals(copy)
        known = {each.name for each in removals if not each.is_open}
        sources = {each.name for each in removal_store.select_removals(replaced)} - known
        # one of these takes the imports of its source with it
        others = sources | {each.name for each in removals if each.is_open}
        undone = {_identity(each) for each in store.select_imports(replaced) if _was_taken_back(each)}
        imports = [
            each.id
            for each in store.select_imports(copy)
            if each.kept
            and each.state != "undone"
            and each.source not in others
            and _identity(each) in undone
        ]
        return LeftToTakeBack(sorted(sources), imports)

    def take_back(self, copy: Database, left: LeftToTakeBack) -> None:
        removal, undo = self._make_removal(copy), self._make_undo(copy)
        for name in left.sources:
            removal.remove_from_copy(name)
        for number in left.imports:
            undo.undo_in_copy(number)

    def carry_lists(self, replaced: Session, copy: Database) -> int:
        numbers = carry_numbers(replaced, copy)
        if numbers:
            self._make_remarking(copy).run(lifts=False)
        with DigestSpool() as carried:
            for digest in carry_hashes(replaced, copy):
                carried.add(digest)
            if carried.count:
                # as imports do, however many people share an identifier
                self._make_lists(copy).keep_out(carried, shared=True, notify=False)
            return numbers + carried.count


def _was_taken_back(one: StoredImport) -> bool:
    """Return whether an undo of the import has begun; the removal of its source is none."""
    return one.state in ("undoing", "undone") and one.undo is not None


def _identity(one: StoredImport) -> tuple[int, str, str, float]:
    # after a restore a number may be given again
    return one.id, one.source, one.sha256, one.started_at
