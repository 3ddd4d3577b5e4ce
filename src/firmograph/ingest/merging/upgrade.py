"""Upgrade of records stored by an earlier release to the rules of this one.

Each record is merged again from its stored rows, companies first, and written to the database and the change sequence
if it differs. The position of the upgrade is stored in the same commit: the next run continues one that was killed,
and concurrent runs share the work.
"""

import time
from collections.abc import Callable

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import load_suffixes
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.commits import Commits, time_limit
from firmograph.ingest.merging import store, upgrade_store
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.upgrade_batches import CompanyUpgrade, ContactUpgrade
from firmograph.ingest.merging.upgrade_store import ORDER, UpgradePosition
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity


class Upgrade:
    """Upgrade of one database's records, in commits as short as an import's."""

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
        """Upgrade every record; `report` gets the record numbers done and their total after each commit."""
        with self._database.read() as session:
            start = upgrade_store.read_upgrade_position(session)
            last = {entity: upgrade_store.last_number(session, entity) for entity in ORDER}
        if start is None:
            return
        load_suffixes()
        total = _distance(start, last)
        reached: UpgradePosition | None = start
        while reached is not None:
            reached = self._commits.run_with_retry(self._commit)
            report(total - _distance(reached, last), total)

    def _commit(self) -> UpgradePosition | None:
        """Upgrade the next records and return the new position, None at the end."""
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                start = upgrade_store.read_upgrade_position(session)
                if start is None:
                    return None
                most = self._commits.size
                numbers = upgrade_store.numbers_after(session, start, most)
                done = self._apply(session, start.entity, numbers) if numbers else 0
                is_last = done == len(numbers) < most
                reached = _next(start.entity) if is_last else UpgradePosition(start.entity, numbers[done - 1])
                upgrade_store.write_upgrade_position(session, reached)
        except BaseException:
            self._linker.abandon()
            raise
        if done:
            self._commits.pace(done, time.monotonic() - began)
        return reached

    def _apply(self, session: Session, entity: Entity, numbers: list[int]) -> int:
        common = session, self._digests, self._linker, store.number_sources(session, STUB_SOURCE)
        self._linker.begin(session)
        batch = (CompanyUpgrade if entity is Entity.COMPANY else ContactUpgrade)(*common, STUB_SOURCE, "")
        done = batch.upgrade(numbers, time_limit(self._commits.lock_seconds / 2))
        self._linker.end(session)
        return done


def _next(entity: Entity) -> UpgradePosition | None:
    later = ORDER[ORDER.index(entity) + 1 :]
    return UpgradePosition(later[0], 0) if later else None


def _distance(reached: UpgradePosition | None, last: dict[Entity, int]) -> int:
    """Return how many record numbers lie between a position and the end."""
    if reached is None:
        return 0
    later = sum(last[entity] for entity in ORDER[ORDER.index(reached.entity) + 1 :])
    return max(last[reached.entity] - reached.number, 0) + later
