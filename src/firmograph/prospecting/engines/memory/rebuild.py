"""The index made anew from the records."""

from collections.abc import Callable, Iterable

from firmograph.database.connection import Database
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.build import Builder
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.change_batches import all_companies, all_contacts, sizes

Told = Callable[[int, int], None]
"""Called with how many records are done, and of how many."""


def rebuild(database: Database, told: Told) -> MemoryEngine:
    """An index that stands at the place where the sequence ended before reading began.

    What changes meanwhile may be in it already; following from that place brings the rest. Raises whatever `told`
    raises, so that it can be ended on the way.
    """
    head, total = store.head(database.session()), sizes(database)
    builder = Builder()
    with gc_disabled():
        _add(all_companies(database), builder.add_company, lambda number: told(number, total.all))
        _add(
            all_contacts(database),
            builder.add_contact,
            lambda number: told(min(total.companies + number, total.all), total.all),
        )
        told(total.all, total.all)
        return builder.finish(head)


def _add(some: Iterable[list[Entry]], add: Callable[[Entry], None], reached: Callable[[int], None]) -> None:
    for entries in some:
        for entry in entries:
            add(entry)
        if entries:
            reached(entries[-1].number)
