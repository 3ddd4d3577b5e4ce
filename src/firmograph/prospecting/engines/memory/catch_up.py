"""Catch-up: applies the change sequence to an engine, from its position to a goal or the end.

Far behind the head, as after a bulk load, a second process takes half of the work: it reads the next batch and builds
its entries while this one applies the last batch.
"""

from collections.abc import Callable
from multiprocessing.connection import Connection

import msgspec

from firmograph.database.connection import Database
from firmograph.prospecting.engines.memory.build_process import worker_process
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.port import Changes
from firmograph.prospecting.indexing.change_batches import next_batch

BULK_THRESHOLD = 5_000
"""Changes from which a second process is worth its start."""
_POLL_SECONDS = 0.1


def catch_up(
    engine: MemoryEngine,
    database: Database,
    goal: int,
    *,
    apply: Callable[[Changes], None] | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
    on_applied: Callable[[], None] = lambda: None,
) -> None:
    """Apply batches until the engine has reached a position or there are no more changes.

    An engine in service is given an `apply` of its own, because requests change it too.
    """
    apply = apply or engine.apply

    def holds_company(number: int) -> bool:
        return engine.companies.documents.find(number) is not None

    while engine.applied < goal and not is_stopping():
        changes = next_batch(database, engine.applied, holds_company)
        if changes.sequence == engine.applied:
            return
        apply(changes)
        on_applied()


class _Batch(msgspec.Struct, array_like=True):
    changes: Changes
    employers: set[int]
    """Companies included for their contacts; needed only if the index lacks them."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Batch).decode


def bulk_catch_up(
    engine: MemoryEngine,
    database: Database,
    *,
    apply: Callable[[Changes], None],
    is_stopping: Callable[[], bool],
) -> None:
    """Apply batches until there are no more changes, or until the other process fails."""
    with worker_process(_read_batches, database.url, engine.applied) as receiving:
        while not is_stopping():
            if not receiving.poll(_POLL_SECONDS):
                continue
            try:
                batch = _decode(receiving.recv_bytes())
            except EOFError:
                return
            apply(_without_known_employers(batch, engine))


def _without_known_employers(batch: _Batch, engine: MemoryEngine) -> Changes:
    known = {number for number in batch.employers if engine.companies.documents.find(number) is not None}
    if known:
        batch.changes.companies = [entry for entry in batch.changes.companies if entry.number not in known]
    return batch.changes


def _read_batches(url: str, sequence: int, sending: Connection) -> None:
    """Read and send batches until there are no more changes. Runs in the worker process."""
    database = Database(url)
    sent: set[int] = set()
    try:
        while True:
            employers: set[int] = set()

            def is_sent(number: int, employers: set[int] = employers) -> bool:
                if number in sent:
                    return True
                employers.add(number)
                return False

            changes = next_batch(database, sequence, is_sent)
            if changes.sequence == sequence:
                return
            sequence = changes.sequence
            sent.update(entry.number for entry in changes.companies)
            sending.send_bytes(_encode(_Batch(changes, employers)))
    except BrokenPipeError:
        return
    finally:
        database.close()
