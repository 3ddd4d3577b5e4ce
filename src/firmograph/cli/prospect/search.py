"""One search over the database and its index, without a server, and the previews that it finds."""

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

LONG: Final = 5_000
"""More rows, or changes to catch up with, take long enough for a progress bar."""
_NUMBERS: Final = 50_000
"""Records found at a time: each time the engine begins again at the first one."""
_RECORDS: Final = 1_000
"""Records read at a time."""


def open_index(database: Database, settings: Settings) -> MemoryEngine:
    """The index as of now: the checkpoint and what changed since.

    A checkpoint that is missing, cannot be used or is far behind is renewed first, as `firmograph index` does.
    """
    # that a checkpoint has to be made is told by the bar
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    checkpoints = Checkpoints(database, settings.search_folder)
    engine, head = checkpoints.load(), head_of(database.session())
    if engine is not None and head - engine.applied <= LONG:
        catch_up(engine, database, head)
        return engine
    try:
        with count_progress("Search index") as told:
            return checkpoints.renew(report=told).engine
    except OSError as error:
        raise Refused(
            f"The search index cannot be written to {checkpoints.path}: {error.strerror}"
        ) from error


class Search:
    """One query, for as many rows as are wanted. Nobody else has this index, so it does not change meanwhile."""

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
        """In order, without those deleted since."""
        for some in _steps(start, end, _NUMBERS):
            numbers = self._engine.search(replace(self.query, offset=some.start, size=len(some))).numbers
            for few in _steps(0, len(numbers), _RECORDS):
                yield from self._previews(numbers[few.start : few.stop])

    def _previews(self, numbers: list[int]) -> list[Row]:
        with self._database.read() as session:
            if self.query.entity is Entity.CONTACT:
                people = store.contacts_by_number(session, numbers)
                rows = {number: self._contact(people[number]) for number in numbers if number in people}
            else:
                held = store.companies_by_number(session, numbers)
                rows = {
                    number: self._row(number, held[number].preview) for number in numbers if number in held
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
        held: Row = msgspec.json.decode(preview)
        return {"id": self._tokens.seal(self.query.entity, number)} | held


def _steps(start: int, end: int, most: int) -> Iterator[range]:
    """A stretch in pieces of at most so many."""
    return (range(at, min(at + most, end)) for at in range(start, end, most))
