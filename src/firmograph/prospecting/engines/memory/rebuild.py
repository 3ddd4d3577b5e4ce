"""Rebuild of the index from the records."""

from collections.abc import Callable, Iterable

from firmograph.database.connection import Database
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.build import Builder
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.change_batches import all_companies, all_contacts, record_counts

ReportProgress = Callable[[int, int], None]
"""Called with the number of records done and their total."""


def rebuild(database: Database, report: ReportProgress) -> MemoryEngine:
    """Return an index at the position where the sequence ended before reading began.

    Later changes may be in it already; following the sequence from that position adds the others. Exceptions of
    `report` are passed on, so that it can end the rebuild.
    """
    head, total = store.head(database.session()), record_counts(database)
    builder = Builder()
    with gc_disabled():
        _add(all_companies(database), builder.add_company, lambda number: report(number, total.all))
        _add(
            all_contacts(database),
            builder.add_contact,
            lambda number: report(min(total.companies + number, total.all), total.all),
        )
        report(total.all, total.all)
        return builder.finish(head)


def _add(
    chunks: Iterable[list[Entry]], add: Callable[[Entry], None], report_number: Callable[[int], None]
) -> None:
    for entries in chunks:
        for entry in entries:
            add(entry)
        if entries:
            report_number(entries[-1].number)
