"""Reading far behind the head of the change sequence in a process of its own, which takes half of the work.

A bulk load is followed as fast as its changes can be applied: the other process reads the next slice and makes its
entries while this one applies the last.
"""

from collections.abc import Callable
from multiprocessing.connection import Connection

import msgspec

from firmograph.database.connection import Database
from firmograph.prospecting.engines.memory.build_process import working
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.port import Changes
from firmograph.prospecting.indexing.change_batches import slice_after

FAR = 5_000
"""Changes that are worth starting a process for."""
_LOOK_SECONDS = 0.1


class _Read(msgspec.Struct, array_like=True):
    changes: Changes
    ahead: set[int]
    """Companies that were read along: needed only where the index does not hold them."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Read).decode


def catch_up_far(
    engine: MemoryEngine,
    database: Database,
    *,
    apply: Callable[[Changes], None],
    stopping: Callable[[], bool],
) -> None:
    """Apply slices until there is no more; also ends, for another to go on, when the other process fails."""
    with working(_read, database.url, engine.applied) as receiving:
        while not stopping():
            if not receiving.poll(_LOOK_SECONDS):
                continue
            try:
                read = _decode(receiving.recv_bytes())
            except EOFError:
                return
            apply(_needed(read, engine))


def _needed(read: _Read, engine: MemoryEngine) -> Changes:
    held = {number for number in read.ahead if engine.companies.documents.find(number) is not None}
    if held:
        read.changes.companies = [entry for entry in read.changes.companies if entry.number not in held]
    return read.changes


def _read(url: str, sequence: int, sending: Connection) -> None:
    """The other process: read until there is no more."""
    database = Database(url)
    sent: set[int] = set()
    try:
        while True:
            ahead: set[int] = set()

            def is_sent(number: int, ahead: set[int] = ahead) -> bool:
                if number in sent:
                    return True
                ahead.add(number)
                return False

            changes = slice_after(database, sequence, is_sent)
            if changes.sequence == sequence:
                return
            sequence = changes.sequence
            sent.update(entry.number for entry in changes.companies)
            sending.send_bytes(_encode(_Read(changes, ahead)))
    except BrokenPipeError:
        return
    finally:
        database.close()
