"""Postings: the documents that hold each value of one field.

Values with few documents share one immutable sorted block (*base*, four bytes per document). Values with many
documents, and values changed since, have a bitmap of their own (*live*), which replaces the base for that value.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import (
    EMPTY,
    DocumentNumbers,
    gather,
    to_bitmap,
    to_offsets,
    union,
)
from firmograph.prospecting.engines.memory.lexicon import Lexicon


def dense_threshold(documents: int) -> int:
    """Return the number of documents from which a value gets a bitmap; below, containers cost more than they save."""
    return max(64, documents // 4096)


class Postings:
    """Values of one field and the documents that hold each."""

    def __init__(
        self,
        lexicon: Lexicon,
        starts: npt.NDArray[np.uint32],
        documents: DocumentNumbers,
        live: dict[str, BitMap],
    ) -> None:
        self.lexicon = lexicon
        self.starts = starts
        """Offset of the documents of each base value, with the end of the last one appended."""
        self.documents = documents
        self.live = live
        self._starts = starts.data
        self._has_bitmap = np.zeros(len(lexicon), dtype=np.bool_)
        """Mask of the base values that have a bitmap."""
        self._added: set[str] = set()
        """Values outside the base."""
        for value in live:
            self._register(value)

    @classmethod
    def empty(cls) -> "Postings":
        return cls.from_values({}, 1)

    @classmethod
    def from_values(cls, values: Mapping[str, npt.NDArray[np.uint32]], threshold: int) -> "Postings":
        """Create postings from the documents of each value, in ascending order."""
        ordered = sorted(values)
        live = {value: to_bitmap(values[value]) for value in ordered if len(values[value]) >= threshold}
        sparse = [values[value] if value not in live else values[value][:0] for value in ordered]
        documents = np.concatenate(sparse) if sparse else np.zeros(0, dtype=np.uint32)
        starts = to_offsets(list(map(len, sparse)))
        return cls(Lexicon.from_sorted(ordered), starts, documents.astype(np.uint32, copy=False), live)

    def get(self, value: str) -> BitMap:
        """Return the documents of a value. Callers must not change the bitmap."""
        bitmap = self.live.get(value)
        if bitmap is not None:
            return bitmap
        ordinal = self.lexicon.find(value)
        return EMPTY if ordinal is None else self._base_documents(ordinal)

    def any_value(self, values: Iterable[str]) -> BitMap:
        """Return the documents of any of the values."""
        found, ordinals = [], []
        for value in values:
            bitmap = self.live.get(value)
            if bitmap is not None:
                found.append(bitmap)
            elif (ordinal := self.lexicon.find(value)) is not None:
                ordinals.append(ordinal)
        return self._union(found, np.array(ordinals, dtype=np.int64))

    def documents_of_ordinals(self, ordinals: npt.NDArray[np.int64]) -> BitMap:
        """Return the documents of any of the base values with these ordinals."""
        have_bitmap = self._has_bitmap[ordinals]
        found = [self.live[self.lexicon.at(ordinal)] for ordinal in ordinals[have_bitmap].tolist()]
        return self._union(found, ordinals[~have_bitmap])

    def with_prefix(self, prefix: str) -> BitMap:
        """Return the documents of any value that begins with a prefix."""
        found = [bitmap for value, bitmap in self.live.items() if value.startswith(prefix)]
        ordinals = np.array(self.lexicon.with_prefix(prefix), dtype=np.int64)
        return self._union(found, ordinals[~self._has_bitmap[ordinals]])

    def in_ranges(self, ranges: Iterable[tuple[str, str]]) -> BitMap:
        """Return the documents of any value in half-open ranges, in the order of code points."""
        added, found, ordinals = sorted(self._added), [EMPTY], [np.zeros(0, dtype=np.int64)]
        for low, high in ranges:
            ordinals.append(np.array(self.lexicon.between(low, high), dtype=np.int64))
            found += map(self.live.__getitem__, added[bisect_left(added, low) : bisect_left(added, high)])
        return union([*found, self.documents_of_ordinals(np.concatenate(ordinals))])

    def values(self) -> Iterator[str]:
        """Yield every value, base values first; some may have no documents left."""
        yield from self.lexicon
        yield from self._added

    @property
    def has_bitmap(self) -> npt.NDArray[np.bool_]:
        """Mask of the base values that have a bitmap."""
        return self._has_bitmap

    def added(self) -> frozenset[str]:
        """Return the values outside the base."""
        return frozenset(self._added)

    def count(self, value: str, dead: BitMap) -> int:
        """Count the living documents that hold a value."""
        return self.get(value).difference_cardinality(dead)

    def add(self, value: str, document: int) -> bool:
        """Add a document to a value. Return whether the value is new."""
        bitmap = self.live.get(value)
        if bitmap is None:
            bitmap = self._make_live(value)
            bitmap.add(document)
            return value in self._added
        bitmap.add(document)
        return False

    def change(self, value: str, change: Callable[[BitMap], object]) -> None:
        """Change the bitmap of a value in place."""
        bitmap = self.live.get(value)
        change(bitmap if bitmap is not None else self._make_live(value))

    def _base_documents(self, ordinal: int) -> BitMap:
        return to_bitmap(self.documents[self._starts[ordinal] : self._starts[ordinal + 1]])

    def _union(self, found: list[BitMap], ordinals: npt.NDArray[np.int64]) -> BitMap:
        if len(ordinals):
            # sorted first: building a bitmap from unsorted documents takes ten times as long
            found.append(to_bitmap(np.sort(gather(self.starts, self.documents, ordinals))))
        return union(found)

    def _make_live(self, value: str) -> BitMap:
        ordinal = self._register(value)
        bitmap = self.live[value] = BitMap() if ordinal is None else self._base_documents(ordinal)
        return bitmap

    def _register(self, value: str) -> int | None:
        ordinal = self.lexicon.find(value)
        if ordinal is None:
            self._added.add(value)
        else:
            self._has_bitmap[ordinal] = True
        return ordinal
