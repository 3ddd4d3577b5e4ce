"""Sessions of sites in blocks of days, read once and kept while no session of the site changes."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.database.connection import AccountSession
from firmograph.kit.byte_cache import ByteCache
from firmograph.visits.columns import read_columns

BLOCK_DAYS: Final = 32


class SessionBlock(NamedTuple):
    """Sessions of a site, those of the columns that the query needs; of a block ordered by day."""

    day: NDArray[np.int32]
    owner: NDArray[np.int32]
    visitor: NDArray[np.uint64]
    seconds: NDArray[np.int32]
    intent: NDArray[np.int16]
    country: NDArray[np.int16]

    def between(self, first_day: int, last_day: int) -> "SessionBlock":
        """Return those of some days, both inclusive, without a copy."""
        start, end = self.day.searchsorted(np.array((first_day, last_day + 1), np.int32))
        return SessionBlock(
            self.day[start:end],
            self.owner[start:end],
            self.visitor[start:end],
            self.seconds[start:end],
            self.intent[start:end],
            self.country[start:end],
        )


NO_SESSIONS: Final = SessionBlock(
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
    np.zeros(0, np.uint64),
    np.zeros(0, np.int32),
    np.zeros(0, np.int16),
    np.zeros(0, np.int16),
)
Revision = tuple[str, int]
"""Identity of the database, and revision of the site; it differs for different sessions."""


def join(blocks: Iterable[SessionBlock]) -> SessionBlock:
    """Return the sessions of all blocks, block after block."""
    return SessionBlock(*map(np.concatenate, zip(NO_SESSIONS, *blocks, strict=True)))


class SessionBlocks:
    """Blocks of the sites of all accounts, within a bound of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._cache: ByteCache[tuple[Revision, SessionBlock]] = ByteCache(most_bytes)

    def read(
        self, session: AccountSession, site_id: int, revision: Revision, first_day: int, last_day: int
    ) -> Iterator[SessionBlock]:
        """Yield the sessions of an account's site on some days, both inclusive."""
        for number in range(first_day // BLOCK_DAYS, last_day // BLOCK_DAYS + 1):
            yield self._block(session, site_id, revision, number).between(first_day, last_day)

    def _block(self, session: AccountSession, site_id: int, revision: Revision, number: int) -> SessionBlock:
        key = (session.account_id, site_id, number)
        kept = self._cache.get(key)
        if kept and kept[0] == revision:
            return kept[1]
        first = number * BLOCK_DAYS
        found = read_columns(session, [site_id], first, first + BLOCK_DAYS - 1)
        block = SessionBlock(
            found.day,
            found.owner,
            found.visitor.view(np.uint64),
            found.seconds,
            found.intent,
            found.country,
        )
        self._cache.put(key, (revision, block), sum(column.nbytes for column in block))
        return block
