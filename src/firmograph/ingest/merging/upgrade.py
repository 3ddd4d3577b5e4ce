"""Records stored by an earlier release, written again by the rules of this one.

Each record is merged again from its stored rows, companies first, and what differs is written with its place in the
change sequence. How far this is stands in the database and moves in the same commit: a run that was killed is
continued by the next one, and processes that run it at the same time share the work.
"""

import time
from collections.abc import Callable

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import load_suffixes
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.commits import Commits, in_time
from firmograph.ingest.merging import store, upgrade_store
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.upgrade_batches import CompanyUpgrade, ContactUpgrade
from firmograph.ingest.merging.upgrade_store import ORDER, Place
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity


class Upgrade:
    """Brings the records of one database under the rules of this release, in commits as short as those of imports."""

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
    ) -> None:
        self._database = database
        self._digests = Digests(keyring)
        self._linker = Linker(self._digests)
        self._commits = Commits(database, on_wait)

    def run(self, report: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Write every record again that differs; `report` is called with record numbers done, and of how many."""
        with self._database.read() as session:
            start = upgrade_store.place(session)
            last = {entity: upgrade_store.last_number(session, entity) for entity in ORDER}
        if start is None:
            return
        load_suffixes()
        total = _distance(start, last)
        reached: Place | None = start
        while reached is not None:
            reached = self._commits.insist(self._commit)
            report(total - _distance(reached, last), total)

    def _commit(self) -> Place | None:
        """Do the next records; the place that is reached, None at the end."""
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                here = upgrade_store.place(session)
                if here is None:
                    return None
                most = self._commits.size
                numbers = upgrade_store.numbers_after(session, here, most)
                done = self._apply(session, here.entity, numbers) if numbers else 0
                is_last = done == len(numbers) < most
                reached = _next(here.entity) if is_last else Place(here.entity, numbers[done - 1])
                upgrade_store.put_place(session, reached)
        except BaseException:
            self._linker.abandon()
            raise
        if done:
            self._commits.pace(done, time.monotonic() - began)
        return reached

    def _apply(self, session: Session, entity: Entity, numbers: list[int]) -> int:
        common = session, self._digests, self._linker, store.numbered_sources(session, STUB_SOURCE)
        self._linker.begin(session)
        batch = (CompanyUpgrade if entity is Entity.COMPANY else ContactUpgrade)(*common, STUB_SOURCE, "")
        done = batch.again(numbers, in_time(self._commits.lock_seconds / 2))
        self._linker.end(session)
        return done


def _next(entity: Entity) -> Place | None:
    later = ORDER[ORDER.index(entity) + 1 :]
    return Place(later[0], 0) if later else None


def _distance(reached: Place | None, last: dict[Entity, int]) -> int:
    """How many record numbers lie between a place and the end."""
    if reached is None:
        return 0
    later = sum(last[entity] for entity in ORDER[ORDER.index(reached.entity) + 1 :])
    return max(last[reached.entity] - reached.number, 0) + later
