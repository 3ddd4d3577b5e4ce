"""Search index in memory as an index kind: how it is built, saved and loaded."""

from typing import Final

from firmograph.indexing.all_records import AllRecords
from firmograph.indexing.change_batches import ChangeBatch
from firmograph.indexing.checkpoint_file import CheckpointReader, CheckpointWriter
from firmograph.indexing.index_kind import IndexKind
from firmograph.prospecting.engines.memory.build import Builder
from firmograph.prospecting.engines.memory.checkpoint import load_engine, save_engine
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.indexing.entry_changes import (
    EntryChanges,
    company_entries,
    contact_entries,
    entry_changes,
    warm_up,
)


class _MemorySearch(IndexKind[MemoryEngine]):
    """Kind of the engine in memory."""

    name = "search"
    changes = EntryChanges
    format = "firmograph search 6"
    """Change it with the content of checkpoints and of entries (`analysis.py`, `*_entry.py`, signals)."""

    def prepare(self, batch: ChangeBatch) -> EntryChanges:
        return entry_changes(batch)

    def build(self, records: AllRecords) -> MemoryEngine:
        builder = Builder()
        for companies in records.companies():
            for entry in company_entries(companies):
                builder.add_company(entry)
        for contacts in records.contacts():
            for entry in contact_entries(contacts):
                builder.add_contact(entry)
        return builder.finish(records.sequence)

    def save(self, index: MemoryEngine, file: CheckpointWriter) -> None:
        save_engine(index, file)

    def load(self, file: CheckpointReader) -> MemoryEngine:
        return load_engine(file)

    def dead_share(self, index: MemoryEngine) -> float:
        return index.dead_share

    def warm_up(self) -> None:
        warm_up()


MEMORY_SEARCH: Final = _MemorySearch()
