"""Processes that write the checkpoint of a database, many of them at a time."""

import hashlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmograph.database.connection import Database
from firmograph.indexing import checkpoint_file
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.indexing.index_kind import IndexKind
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from forked_workers import PROCESSES
from index_fixtures import search_checkpoints


def exit_codes(target: Callable[..., None], *each: tuple[object, ...]) -> list[int | None]:
    """Run a process for each of these arguments at the same time and return their exit codes."""
    started = [PROCESSES.Process(target=target, args=arguments) for arguments in each]
    for process in started:
        process.start()
    for process in started:
        process.join()
    return [process.exitcode for process in started]


def renew(url: str, report: Path) -> None:
    """Write to the file `report` whether the index was rebuilt."""
    report.write_text(str(search_checkpoints(Database(url)).renew().rebuilt))


def write_and_die(url: str, moment: str, kind: IndexKind[Any] = MEMORY_SEARCH) -> None:
    """Write the checkpoint of an index and be killed before block `moment`, or at the named step."""
    if moment.isdigit():
        checkpoint_file.hashlib = _Counting(int(moment))
    elif moment == "before it is flushed":
        checkpoint_file.os.fsync = lambda handle: _die()
    elif moment == "before it is renamed":
        checkpoint_file.Path.replace = lambda draft, path: _die()
    Checkpoints(kind, Database(url)).renew(force_rebuild=True)
    _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Counting:
    """A replacement of `hashlib` that counts blocks."""

    def __init__(self, blocks: int) -> None:
        self._left = blocks

    def blake2b(self, **size: int) -> "_Counting":
        self._made = hashlib.blake2b(**size)
        return self

    def update(self, block: bytes) -> None:
        self._left -= 1
        if not self._left:
            _die()
        self._made.update(block)

    def digest(self) -> bytes:
        return self._made.digest()
