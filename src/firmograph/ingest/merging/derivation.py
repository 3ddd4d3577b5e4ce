"""Derivation of all records again from their rows, after a rule of merging, encoding or identity keys changed.

The rules have a version (`database/schema.py`), and so do the records. Each record is merged again from its stored
rows, companies first, and written to the database and the change sequence if it differs. Keys that the rules give now
are added; keys that they no longer give stay, as one more way to find the record. Nobody is joined or split. The
position is stored in the same commit: the next run continues one that was killed, and concurrent runs share the work.
"""

import time
from collections.abc import Callable

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import load_suffixes
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.commits import Commits, time_limit
from firmograph.ingest.merging import derivation_store, store
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.derivation_batches import CompanyDerivation, ContactDerivation
from firmograph.ingest.merging.derivation_store import ORDER, DerivationPosition
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity


class Derivation:
    """Derivation of one database's records, in commits as short as an import's."""

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
        """Derive every record whose rules are outdated.

        `report` gets the record numbers done and their total after each commit.
        """
        with self._database.read() as session:
            start = derivation_store.read_position(session)
            last = {entity: derivation_store.last_number(session, entity) for entity in ORDER}
        if start is None:
            return
        load_suffixes()
        total = _distance(start, last)
        reached: DerivationPosition | None = start
        while reached is not None:
            reached = self._commits.run_with_retry(self._commit)
            report(total - _distance(reached, last), total)

    def _commit(self) -> DerivationPosition | None:
        """Derive the next records and return the new position, None at the end."""
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                start = derivation_store.read_position(session)
                if start is None:
                    return None
                most = self._commits.size
                numbers = derivation_store.numbers_after(session, start, most)
                done = self._apply(session, start.entity, numbers) if numbers else 0
                is_last = done == len(numbers) < most
                reached = (
                    _next(start.entity) if is_last else DerivationPosition(start.entity, numbers[done - 1])
                )
                derivation_store.write_position(session, reached)
        except BaseException:
            self._linker.abandon()
            raise
        if done:
            self._commits.pace(done, time.monotonic() - began)
        return reached

    def _apply(self, session: Session, entity: Entity, numbers: list[int]) -> int:
        common = session, self._digests, self._linker, store.number_sources(session, STUB_SOURCE)
        self._linker.begin(session)
        batch = (CompanyDerivation if entity is Entity.COMPANY else ContactDerivation)(
            *common, STUB_SOURCE, ""
        )
        done = batch.derive(numbers, time_limit(self._commits.lock_seconds / 2))
        self._linker.end(session)
        return done


def _next(entity: Entity) -> DerivationPosition | None:
    later = ORDER[ORDER.index(entity) + 1 :]
    return DerivationPosition(later[0], 0) if later else None


def _distance(reached: DerivationPosition | None, last: dict[Entity, int]) -> int:
    """Return how many record numbers lie between a position and the end."""
    if reached is None:
        return 0
    later = sum(last[entity] for entity in ORDER[ORDER.index(reached.entity) + 1 :])
    return max(last[reached.entity] - reached.number, 0) + later
