"""Digests of a long list, in a file without a name, so that lists of any length take little memory."""

from collections.abc import Iterator
from tempfile import TemporaryFile
from types import TracebackType
from typing import Final, Self

_SIZE: Final = 16
"""Bytes of a digest."""
_RUN: Final = 500_000
"""Digests that are sorted together."""


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

    def in_order(self) -> Iterator[bytes]:
        """Yield the digests in the order in which they were added."""
        for run in self._runs():
            yield from run

    def content(self) -> bytes:
        """Return all digests, one after the other."""
        self._file.seek(0)
        return self._file.read()

    def sorted_parts(self, size: int) -> Iterator[list[bytes]]:
        """Yield the digests in parts of at most `size`, sorted within long runs, so that neighbours share pages."""
        for run in self._runs():
            ordered = sorted(set(run))
            yield from (ordered[start : start + size] for start in range(0, len(ordered), size))

    def _runs(self) -> Iterator[list[bytes]]:
        self._file.seek(0)
        while block := self._file.read(_SIZE * _RUN):
            yield [block[at : at + _SIZE] for at in range(0, len(block), _SIZE)]
