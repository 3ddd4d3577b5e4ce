"""Digests of a long list, in a file without a name, so that lists of any length take little memory."""

from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    # loaded at its first use, as most commands sort nothing
    import numpy as np

_SIZE: Final = 16
"""Bytes of a digest."""
_RUN: Final = 6_000_000
"""Digests that are sorted together, at 40 bytes each."""


class DigestSpool:
    """Digests in the order of a list, read back in sorted runs."""

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="firmograph-")  # noqa: SIM115
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, digest: bytes) -> None:
        self._file.write(digest)
        self.count += 1

    def first(self) -> bytes:
        """Return the first digest."""
        return next(self._blocks(1))

    def content(self) -> bytes:
        """Return all digests, one after the other."""
        self._file.seek(0)
        return self._file.read()

    def sorted_parts(self, size: int) -> Iterator[list[bytes]]:
        """Yield the digests, each once, in parts of at most `size`.

        They are sorted within runs of millions, so that each page of an index is written few times.
        """
        import numpy as np

        for block in self._blocks(_RUN):
            halves = np.frombuffer(block, dtype=">u8").reshape(-1, 2)
            order = np.lexsort((halves[:, 1], halves[:, 0]))
            ordered = halves[order].tobytes()
            for start in range(0, len(ordered), size * _SIZE):
                part = ordered[start : start + size * _SIZE]
                yield list(dict.fromkeys(part[at : at + _SIZE] for at in range(0, len(part), _SIZE)))

    def _blocks(self, digests: int) -> Iterator[bytes]:
        self._file.seek(0)
        while block := self._file.read(_SIZE * digests):
            yield block


class SortedDigests:
    """Digests of a list in memory, sorted by their first eight bytes; 24 bytes each while it is built."""

    def __init__(self, spool: DigestSpool) -> None:
        import numpy as np

        halves = np.frombuffer(spool.content(), dtype=">u8").reshape(-1, 2)
        order = np.argsort(halves[:, 0])
        self._first = halves[order, 0].astype(np.uint64)
        self._second = halves[order, 1].astype(np.uint64)

    def find(self, digests: Sequence[bytes]) -> list[int]:
        """Return the indexes of those of these digests that the list has."""
        import numpy as np

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
