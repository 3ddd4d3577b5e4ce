"""Membership of digests in a list of millions: sorted prefixes in memory, 24 bytes a digest."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from firmograph.privacy.digest_spool import DigestSpool

_SIZE: Final = 16
"""Bytes of a digest."""


class SortedDigests:
    """Digests of a list, sorted by their first eight bytes."""

    def __init__(self, spool: DigestSpool) -> None:
        halves = np.frombuffer(spool.content(), dtype=">u8").reshape(-1, 2)
        order = np.argsort(halves[:, 0])
        self._first = halves[order, 0].astype(np.uint64)
        self._second = halves[order, 1].astype(np.uint64)

    def find(self, digests: Sequence[bytes]) -> list[int]:
        """Return the indexes of those of these digests that the list has."""
        if not digests or not len(self._first):
            return []
        halves = np.frombuffer(b"".join(digests), dtype=">u8").reshape(-1, 2).astype(np.uint64)
        at = np.searchsorted(self._first, halves[:, 0])
        at[at == len(self._first)] = 0
        hits = np.nonzero(self._first[at] == halves[:, 0])[0]
        return [int(hit) for hit in hits if self._has(int(at[hit]), halves[hit])]

    def _has(self, start: int, halves: "np.ndarray[tuple[int], np.dtype[np.uint64]]") -> bool:
        """Return whether one of the digests with this first half has the second half."""
        while start < len(self._first) and self._first[start] == halves[0]:
            if self._second[start] == halves[1]:
                return True
            start += 1
        return False
