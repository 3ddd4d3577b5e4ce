"""Provider that is a file of people on this machine, in the forms that imports take."""

import asyncio
import threading
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from firmograph.kit.errors import Refused
from firmograph.waterfall.providers.file_shapes import MAX_SECONDS, FileTable
from firmograph.waterfall.providers.person_index import IndexStopped, IndexTooLarge, PersonIndex
from firmograph.waterfall.providers.provider import NO_VALUE, ProviderTraits, found_values
from firmograph.waterfall.providers.types import DataPoint, Found, Miss, Person, Trouble

log = structlog.get_logger("firmograph.waterfall")

_Version = tuple[int, int, int]
"""Inode, size and time of the last change."""
_BEING_READ: Final = Trouble("file is being read", 5.0, counts=False)
_UNREADABLE: Final = Trouble("file cannot be read")
_TOO_LARGE: Final = Trouble("file has too many people")


class _Reading(NamedTuple):
    """Result of reading a version of the file."""

    version: _Version
    result: PersonIndex | Trouble


class FileProvider(ProviderTraits):
    """People of the file as it is now: a changed one is read again at the next ask."""

    def __init__(self, name: str, table: FileTable, place: str, seconds: float = MAX_SECONDS) -> None:
        """Create a provider whose asks wait for the file for some seconds. Raises Refused if there is no such file."""
        super().__init__(name, table)
        self._path = Path(table.file)
        if not self._path.is_file():
            raise Refused(f"{place}.file: {table.file} is no file that exists")
        self._seconds = seconds
        self._current: _Reading | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = threading.Event()

    def can_ask(self, person: Person, data_point: DataPoint) -> bool:
        named = person.first_name and person.last_name and (person.company or person.domain)
        return bool(person.email or person.linkedin_url or named)

    async def ask(self, person: Person, data_point: DataPoint, key: str) -> Found | Miss | Trouble:
        index = await self._index()
        if isinstance(index, Trouble):
            return index
        rows = index.find(person, data_point)
        if rows is None:
            return Miss("several people of that name")
        if not rows:
            return NO_VALUE
        values = [value for row in rows for value in row.values(data_point)]
        return found_values(data_point, values, rows[0].first_name, rows[0].last_name)

    async def close(self) -> None:
        self._stopped.set()
        if self._task is not None:
            await self._task

    async def _index(self) -> PersonIndex | Trouble:
        """Return the index of the file as it is now, or the reason why there is none yet."""
        version = self._version()
        if version is None:
            return _UNREADABLE
        if self._current is None or self._current.version != version:
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._read(version))
            await asyncio.wait([self._task], timeout=self._seconds)
        current = self._current
        return current.result if current and current.version == version else _BEING_READ

    async def _read(self, version: _Version) -> None:
        result = await asyncio.to_thread(self._build)
        # rows of a file that changed on the way may be halves of two versions
        if self._version() == version:
            self._current = _Reading(version, result)

    def _build(self) -> PersonIndex | Trouble:
        try:
            index = PersonIndex(self._path, self._stopped.is_set)
        except IndexStopped:
            return _BEING_READ
        except IndexTooLarge:
            result = _TOO_LARGE
        except (Refused, OSError, MemoryError):
            # the message may hold cells of the file
            result = _UNREADABLE
        except Exception as error:
            log.error("the file of a provider failed", provider=self.name, error=type(error).__name__)
            return _UNREADABLE
        else:
            log.info(
                "the file of a provider was read",
                provider=self.name,
                people=index.people,
                rejected=index.rejected,
            )
            return index
        log.warning("the file of a provider has no use", provider=self.name, reason=result.reason)
        return result

    def _version(self) -> _Version | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
