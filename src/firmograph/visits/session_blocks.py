"""Sessions of sites in blocks of days, read once and kept while no session of the site changes."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.database.connection import AccountSession
from firmograph.kit.byte_cache import ByteCache
from firmograph.visits.columns import read_columns

BLOCK_DAYS: Final = 32


class SessionBlock(NamedTuple):
    """Sessions of a site, those of the columns that the query needs, ordered by day."""

    day: NDArray[np.int32]
    owner: NDArray[np.int32]
    visitor: NDArray[np.uint64]
    seconds: NDArray[np.int32]
    intent: NDArray[np.int16]
    country: NDArray[np.int16]

    def between(self, first_day: int, last_day: int) -> "SessionBlock":
        """Return those of some days, both inclusive, without a copy."""
        start, end = np.searchsorted(self.day, (first_day, last_day + 1))
        return SessionBlock(*(column[start:end] for column in self))


Revision = tuple[str, int]
"""Identity of the database, and revision of the site; it differs for different sessions."""


class KeptBlock(NamedTuple):
    """Block with its distinct owners."""

    revision: Revision
    sessions: SessionBlock
    owners: NDArray[np.int32]
    """Number of each owner, once."""

    @property
    def bytes(self) -> int:
        return self.owners.nbytes + sum(column.nbytes for column in self.sessions)


class SessionBlocks:
    """Blocks of the sites of all accounts, within a bound of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._cache: ByteCache[KeptBlock] = ByteCache(most_bytes)

    def read(
        self, session: AccountSession, site_id: int, revision: Revision, first_day: int, last_day: int
    ) -> Iterator[KeptBlock]:
        """Yield the sessions of an account's site on some days, both inclusive, and all owners of their blocks."""
        for number in range(first_day // BLOCK_DAYS, last_day // BLOCK_DAYS + 1):
            block = self._block(session, site_id, revision, number)
            yield block._replace(sessions=block.sessions.between(first_day, last_day))

    def _block(self, session: AccountSession, site_id: int, revision: Revision, number: int) -> KeptBlock:
        key = (session.account_id, site_id, number)
        block = self._cache.get(key)
        if block is None or block.revision != revision:
            first = number * BLOCK_DAYS
            found = read_columns(session, [site_id], first, first + BLOCK_DAYS - 1)
            sessions = SessionBlock(
                found.day,
                found.owner,
                found.visitor.view(np.uint64),
                found.seconds,
                found.intent,
                found.country,
            )
            block = KeptBlock(revision, sessions, np.unique(found.owner[found.owner > 0]))
            self._cache.put(key, block, block.bytes)
        return block
