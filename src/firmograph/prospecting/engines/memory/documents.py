"""Documents of one kind of record: their record numbers, their order, and which are dead.

See docs/reference/prospecting.md#order-and-pages.

The order is completeness, newest day, number. It is stored as one number per document, smaller first, and as some
hundred *buckets* of documents in that order. The first page of millions of documents is found in one or two
buckets, without sorting them.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.kit.growable_array import GrowableArray
from firmograph.prospecting.engines.memory.arrays import document_numbers, to_bitmap

_MISSING = 0xFFFFFFFF
_BUCKET_SIZE = 16_384
"""Documents per bucket when the buckets are built."""
_NUMBER_BITS, _DAY_BITS = 40, 16
_LAST_DAY = (1 << _DAY_BITS) - 1
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1
MAX_NUMBER = _NUMBER_MASK


def rank(points: int, day: int, number: int) -> int:
    """Return the sort key of a record: 8 bits of completeness, 16 of the day, 40 of its number. Smaller comes first."""
    return (255 - points) << (_DAY_BITS + _NUMBER_BITS) | (_LAST_DAY - day) << _NUMBER_BITS | number


class Documents:
    """Documents 0 to `count - 1`, some of them dead."""

    def __init__(self, ranks: npt.NDArray[np.uint64], dead: BitMap) -> None:
        self._ranks = GrowableArray(ranks, 0)
        self.dead = dead
        self._by_number = self._build_by_number()
        self._bounds, self.buckets = self._build_buckets()

    def _build_by_number(self) -> GrowableArray:
        ranks = self._ranks.values
        documents = np.flatnonzero(self.living_mask()).astype(np.uint32)
        numbers = (ranks[documents] & np.uint64(_NUMBER_MASK)).astype(np.int64)
        by_number = GrowableArray(np.zeros(0, dtype=np.uint32), _MISSING)
        if len(numbers):
            by_number.set(int(numbers.max()), _MISSING)
            by_number.values[numbers] = documents
        return by_number

    def _build_buckets(self) -> tuple[npt.NDArray[np.uint64], list[BitMap]]:
        ranks = self._ranks.values
        count = max(1, len(ranks) // _BUCKET_SIZE)
        order = np.argsort(ranks, kind="stable")
        parts = np.array_split(order, count)
        bounds = np.array([ranks[part[0]] for part in parts[1:]], dtype=np.uint64)
        return bounds, [to_bitmap(np.sort(part)) for part in parts]

    @property
    def count(self) -> int:
        return len(self._ranks)

    @property
    def living(self) -> int:
        return self.count - len(self.dead)

    def living_mask(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the living documents."""
        living = np.ones(self.count, dtype=np.bool_)
        living[document_numbers(self.dead)] = False
        return living

    @property
    def ranks(self) -> npt.NDArray[np.uint64]:
        return self._ranks.values

    def find(self, number: int) -> int | None:
        """Return the living document of a record."""
        document = self._by_number.get(number)
        return None if document == _MISSING else document

    def find_many(self, numbers: npt.NDArray[np.int64]) -> BitMap:
        """Return the living documents of records; unknown numbers are ignored."""
        by_number = self._by_number.values
        documents = by_number[numbers[(numbers >= 0) & (numbers < len(by_number))]]
        return to_bitmap(np.sort(documents[documents != _MISSING]))

    def add(self, number: int, points: int, day: int) -> int:
        """Add a document for a record and mark its previous document as dead."""
        self.remove(number)
        document, key = self.count, rank(points, day, number)
        self._ranks.set(document, key)
        self._by_number.set(number, document)
        self.buckets[int(np.searchsorted(self._bounds, np.uint64(key), side="right"))].add(document)
        return document

    def remove(self, number: int) -> None:
        """Mark the document of a record as dead."""
        document = self.find(number)
        if document is not None:
            self.dead.add(document)
            self._by_number.set(number, _MISSING)

    def record_numbers(self, selected: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """Return the record numbers of documents."""
        return (self.ranks[selected] & np.uint64(_NUMBER_MASK)).astype(np.int64)

    def days(self, selected: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """Return the `updateDate` of documents in days since 1970-01-01, 0 when absent."""
        days = (self.ranks[selected] >> np.uint64(_NUMBER_BITS)) & np.uint64(_LAST_DAY)
        return _LAST_DAY - days.astype(np.int64)

    def first(self, selected: npt.NDArray[np.uint32], count: int) -> npt.NDArray[np.uint32]:
        """Return the first `count` of the selected documents, in order."""
        ranks = self.ranks[selected]
        if count < len(selected) // 4:
            chosen = np.argpartition(ranks, count)[:count]
            selected, ranks = selected[chosen], ranks[chosen]
        return selected[np.argsort(ranks)][:count]

    def sort(self, selected: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        return selected[np.argsort(self.ranks[selected])]

    def iterate_buckets(self, bitmaps: Sequence[BitMap]) -> Iterator[BitMap]:
        """Yield the intersection of the bitmaps in chunks, each before the next in order."""
        for bucket in self.buckets:
            piece = bucket
            for bitmap in bitmaps:
                piece = piece & bitmap
            if piece:
                yield piece

    def all_living(self) -> BitMap:
        every = BitMap(range(self.count))
        return every - self.dead if self.dead else every
