"""Catch-up: applies the change sequence to indexes, from their position to a goal or the end.

Far behind the head, as after a bulk load, a second process takes half of the work: it reads the next batch and prepares
it for each index while this one applies the last batch.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import msgspec

from firmograph.database.connection import Database
from firmograph.indexing.change_batches import ChangeBatch, next_batch
from firmograph.indexing.index_kind import ChangeFormat, Index
from firmograph.kit.worker_process import worker_process

BULK_THRESHOLD = 5_000
"""Changes from which a second process is worth its start."""
_POLL_SECONDS = 0.1


class PreparedBatch(NamedTuple):
    """Batch in the forms of several indexes."""

    start: int
    """Position that these indexes have reached."""
    sequence: int
    """Position that they reach with it."""
    changes: dict[str, Any]
    """Prepared changes by the name of the index."""

    def add(self, form: ChangeFormat, batch: ChangeBatch) -> None:
        """Add the form of one more index."""
        self.changes[form.name] = form.prepare(batch)


def catch_up(
    form: ChangeFormat,
    index: Index,
    database: Database,
    goal: int,
    *,
    on_applied: Callable[[], None] = lambda: None,
) -> None:
    """Apply batches to an index of its own until it has reached a position or there are no more changes."""
    while index.applied < goal:
        batch = next_batch(database, index.applied, index.missing_companies)
        if batch.sequence == index.applied:
            return
        index.apply(form.prepare(batch))
        on_applied()


_encode = msgspec.msgpack.Encoder().encode
_decode_message = msgspec.msgpack.Decoder(tuple[int, int, dict[str, msgspec.Raw]]).decode


@contextmanager
def read_ahead(
    database: Database, sequence: int, until: int | None, forms: Sequence[ChangeFormat]
) -> Iterator[Iterator[PreparedBatch | None]]:
    """Yield the batches that another process reads from a position on, each decoded once for all indexes.

    They end with the changes, at `until`, or when the process dies. None stands for a while without a batch.
    """
    name = "+".join(form.name for form in forms)
    with worker_process(_read_batches, database.url, sequence, until, list(forms), name=name) as receiving:
        yield _received(receiving, {form.name: msgspec.msgpack.Decoder(form.changes) for form in forms})


def _received(
    receiving: Connection, decoders: dict[str, msgspec.msgpack.Decoder[Any]]
) -> Iterator[PreparedBatch | None]:
    while True:
        if not receiving.poll(_POLL_SECONDS):
            yield None
            continue
        try:
            start, sequence, changes = _decode_message(receiving.recv_bytes())
        except EOFError:
            return
        yield PreparedBatch(
            start, sequence, {name: decoders[name].decode(one) for name, one in changes.items()}
        )


def _read_batches(
    url: str, sequence: int, until: int | None, forms: Sequence[ChangeFormat], sending: Connection
) -> None:
    """Read, prepare and send batches until there are no more changes. Runs in the worker process."""
    database = Database(url)
    sent: set[int] = set()

    def not_sent(numbers: Collection[int]) -> set[int]:
        return set(numbers) - sent

    try:
        while (batch := next_batch(database, sequence, not_sent, until=until)).sequence > sequence:
            sent.update(company.number for company in (*batch.companies, *batch.employers))
            changes = {form.name: form.prepare(batch) for form in forms}
            sending.send_bytes(_encode((sequence, batch.sequence, changes)))
            sequence = batch.sequence
    except BrokenPipeError:
        return
    finally:
        database.close()
