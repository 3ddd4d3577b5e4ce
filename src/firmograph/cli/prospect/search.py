"""Search over the database and its index without a server."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import msgspec

from firmograph.cli.logs import set_up_logs
from firmograph.cli.progress import count_progress
from firmograph.cli.prospect.output import Row
from firmograph.database.connection import Database
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.store import LookupContact
from firmograph.kit.errors import Refused
from firmograph.prospecting.engines.memory.catch_up import catch_up
from firmograph.prospecting.engines.memory.checkpoints import Checkpoints
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.filters.record_lookup import RecordLookup
from firmograph.prospecting.filters.signal import requested_signals
from firmograph.prospecting.indexing.store import head as head_of
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings
from firmograph.signals.activity_store import active_types

PROGRESS_THRESHOLD: Final = 5_000
"""Number of rows, or changes to catch up with, above which a progress bar is shown."""
_NUMBERS: Final = 50_000
"""Records per search; each search starts again at the first one."""
_RECORDS: Final = 1_000
"""Records per database query."""


def open_index(database: Database, settings: Settings) -> MemoryEngine:
    """Return the current index: the checkpoint and later changes.

    A missing, unusable or outdated checkpoint is renewed first, as `firmograph index` does.
    """
    # the progress bar replaces the log of a build
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    checkpoints = Checkpoints(database, settings.search_folder)
    engine, head = checkpoints.load(), head_of(database.session())
    if engine is not None and head - engine.applied <= PROGRESS_THRESHOLD:
        catch_up(engine, database, head)
        return engine
    try:
        with count_progress("Search index") as report:
            return checkpoints.renew(report=report).engine
    except OSError as error:
        raise Refused(
            f"The search index cannot be written to {checkpoints.path}: {error.strerror}"
        ) from error


class Search:
    """Query for any number of rows, on an index of its own that does not change."""

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        engine: MemoryEngine,
        query_of: Callable[[Resolver], Query],
    ) -> None:
        self._database = database
        self._engine = engine
        self._tokens = RecordIds(keyring)
        with database.read() as session:
            self.query = query_of(RecordLookup(session, engine, self._tokens, Digests(keyring)))
        self.total = engine.search(replace(self.query, offset=0, size=1)).total

    def rows(self, start: int, end: int) -> Iterator[Row]:
        """Yield the rows of a range in order, without deleted records."""
        for page in _split(start, end, _NUMBERS):
            numbers = self._engine.search(replace(self.query, offset=page.start, size=len(page))).numbers
            for batch in _split(0, len(numbers), _RECORDS):
                yield from self._previews(numbers[batch.start : batch.stop])

    def _previews(self, numbers: list[int]) -> list[Row]:
        with self._database.read() as session:
            if self.query.entity is Entity.CONTACT:
                people = store.contacts_by_number(session, numbers)
                rows = {number: self._contact(people[number]) for number in numbers if number in people}
            else:
                companies = store.companies_by_number(session, numbers)
                rows = {
                    number: self._row(number, companies[number].preview)
                    for number in numbers
                    if number in companies
                }
            active = active_types(session, self.query.entity, rows, requested_signals(self.query))
        for number, types in active.items():
            rows[number]["signalTypes"] = types
        return list(rows.values())

    def _contact(self, contact: LookupContact) -> Row:
        row = self._row(contact.number, contact.preview)
        if contact.company_id is not None and contact.company_summary is not None:
            token = self._tokens.seal(Entity.COMPANY, contact.company_id)
            row["company"] = {"id": token} | msgspec.json.decode(b"{%s}" % contact.company_summary)
        return row

    def _row(self, number: int, preview: bytes) -> Row:
        fields: Row = msgspec.json.decode(preview)
        return {"id": self._tokens.seal(self.query.entity, number)} | fields


def _split(start: int, end: int, size: int) -> Iterator[range]:
    """Yield consecutive ranges of at most `size` numbers."""
    return (range(at, min(at + size, end)) for at in range(start, end, size))
