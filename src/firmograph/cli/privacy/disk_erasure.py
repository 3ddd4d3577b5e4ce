"""End of an erasure: index and database files of this machine without the people."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from firmograph.cli.progress import count_progress
from firmograph.indexing.checkpoints import Checkpoints, StopRequested
from firmograph.installation import Installation
from firmograph.lookalikes.index.index_kind import SIMILARITY
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH

WAIT_SECONDS: Final = 60.0
"""Time in which other processes may end what keeps bytes; the work of this one is not limited."""


def erase_from_disk(installation: Installation) -> list[str]:
    """Renew the indexes of this machine, then empty the log of an embedded database or vacuum a server's tables.

    Returns what still keeps bytes, each with the reason; nothing if all is erased. The indexes come first, as they read
    the database for as long as they are built.
    """
    until = time.monotonic() + WAIT_SECONDS
    keeping = [*_renew_indexes(installation, lambda: time.monotonic() >= until)]
    database = installation.database
    if database.embedded:
        while not database.clear_remains():
            if time.monotonic() >= until:
                keeping.append(
                    f"{database.path} and {database.path}-wal: another process, such as a backup or the build of an"
                    " index, reads an earlier state of the database"
                )
                break
    else:
        left = database.vacuum(_personal_tables(installation), max(0.0, until - time.monotonic()))
        if left:
            keeping.append(f"The database {database.name}: {left} of its sessions read an earlier state")
    return keeping


def _renew_indexes(installation: Installation, is_over: Callable[[], bool]) -> Iterator[str]:
    """Renew the indexes that have a file; yield those that still hold the people, with the reason."""
    for each in _checkpoints(installation):
        if not each.path.exists():
            continue
        try:
            with count_progress(f"{each.kind.name.capitalize()} index") as report:
                each.renew(is_stopping=is_over, report=report)
        except StopRequested:
            yield f"{each.path}: another process writes it"
        except OSError as error:
            yield f"{each.path}: it cannot be written: {error.strerror}"


def _checkpoints(installation: Installation) -> list[Checkpoints[Any]]:
    database, folder = installation.database, installation.settings.search_folder
    return [Checkpoints(kind, database, folder) for kind in (MEMORY_SEARCH, SIMILARITY)]


def _personal_tables(installation: Installation) -> list[str]:
    return [table.table.name for each in installation.personal_data for table in each.tables if table.erased]
