"""Many different texts in little memory: one block of UTF-8 in sorted order, found by halving."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt


class Lexicon:
    """Sorted texts, each known by its place. Takes about its bytes and four more a text; never changes."""

    def __init__(self, block: bytes | memoryview, ends: npt.NDArray[np.uint32]) -> None:
        self.block = block
        self.ends = ends
        """Where each text ends in the block."""
        self._bytes = memoryview(block)
        self._ends = ends.data

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Lexicon":
        """From sorted texts, each once; code points and UTF-8 sort alike."""
        together = "".join(texts)
        # letters of ASCII are one byte each, so that there is no need to encode every text by itself
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

    def at(self, place: int) -> str:
        return str(self._encoded(place), "utf-8")

    def find(self, text: str) -> int | None:
        """The place of a text, None if it is not there."""
        wanted = text.encode()
        place = bisect_left(range(len(self)), wanted, key=self._encoded)
        return place if place < len(self) and self._encoded(place) == wanted else None

    def starting(self, prefix: str) -> range:
        """The places of the texts that begin like this."""
        wanted = prefix.encode()
        size = len(wanted)
        low = bisect_left(range(len(self)), wanted, key=self._encoded)
        high = bisect_left(
            range(len(self)), True, lo=low, key=lambda place: self._encoded(place)[:size] > wanted
        )
        return range(low, high)

    def between(self, low: str, high: str) -> range:
        """The places of the texts from the one on and before the other."""
        places = range(len(self))
        return range(
            bisect_left(places, low.encode(), key=self._encoded),
            bisect_left(places, high.encode(), key=self._encoded),
        )

    def _encoded(self, place: int) -> bytes:
        start = self._ends[place - 1] if place else 0
        return bytes(self._bytes[start : self._ends[place]])
