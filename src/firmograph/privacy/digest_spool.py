"""Digests of a long list, in a file without a name, so that lists of any length take little memory."""

from collections.abc import Iterator
from tempfile import TemporaryFile
from types import TracebackType
from typing import Final, Self

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
