"""Removed sources that an older backup still has (docs/reference/backup.md#what-a-restore-keeps)."""

from collections.abc import Callable, Sequence

from firmograph.database.connection import Database, Session
from firmograph.ingest.imports import removal_store
from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.privacy.removed_sources import RemovedSources


class RestoredSources(RemovedSources):
    """Removal of sources from restored copies."""

    def __init__(self, make_removal: Callable[[Database], SourceRemoval]) -> None:
        self._make_removal = make_removal

    def find_lacking(self, replaced: Session, copy: Session) -> Sequence[str]:
        removed = {each.name for each in removal_store.select_removals(replaced)}
        known = {each.name for each in removal_store.select_removals(copy) if not each.is_open}
        return sorted(removed - known)

    def remove(self, copy: Database, names: Sequence[str]) -> None:
        removal = self._make_removal(copy)
        for name in names:
            removal.remove_from_copy(name)
