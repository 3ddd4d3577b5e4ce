"""Lexicon: many distinct texts in one sorted block of UTF-8, found by binary search."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt


class Lexicon:
    """Immutable sorted texts, each known by its ordinal; takes four bytes per text on top of the text."""

    def __init__(self, block: bytes | memoryview, ends: npt.NDArray[np.uint32]) -> None:
        self.block = block
        self.ends = ends
        """End offset of each text in the block."""
        self._bytes = memoryview(block)
        self._ends = ends.data

    @classmethod
    def from_sorted(cls, texts: Sequence[str]) -> "Lexicon":
        """Create a lexicon from sorted, distinct texts. Code points and UTF-8 sort alike."""
        together = "".join(texts)
        # ASCII letters are one byte each, so the texts need not be encoded one by one
        encoded = texts if together.isascii() else [text.encode() for text in texts]
        sizes = np.fromiter(map(len, encoded), dtype=np.uint32, count=len(texts))
        return cls(together.encode(), np.cumsum(sizes, dtype=np.uint32))

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[str]:
        start = 0
        for end in self.ends.tolist():
            yield str(self._bytes[start:end], "utf-8")
            start = end

    def at(self, ordinal: int) -> str:
        return str(self._encoded(ordinal), "utf-8")

    def find(self, text: str) -> int | None:
        """Return the ordinal of a text, or None if it is not in the lexicon."""
        encoded = text.encode()
        ordinal = bisect_left(range(len(self)), encoded, key=self._encoded)
        return ordinal if ordinal < len(self) and self._encoded(ordinal) == encoded else None

    def with_prefix(self, prefix: str) -> range:
        """Return the ordinals of the texts that begin with a prefix."""
        encoded = prefix.encode()
        size = len(encoded)
        low = bisect_left(range(len(self)), encoded, key=self._encoded)
        high = bisect_left(
            range(len(self)), True, lo=low, key=lambda ordinal: self._encoded(ordinal)[:size] > encoded
        )
        return range(low, high)

    def between(self, low: str, high: str) -> range:
        """Return the ordinals of the texts from `low` up to, but excluding, `high`."""
        ordinals = range(len(self))
        return range(
            bisect_left(ordinals, low.encode(), key=self._encoded),
            bisect_left(ordinals, high.encode(), key=self._encoded),
        )

    def _encoded(self, ordinal: int) -> bytes:
        start = self._ends[ordinal - 1] if ordinal else 0
        return bytes(self._bytes[start : self._ends[ordinal]])
