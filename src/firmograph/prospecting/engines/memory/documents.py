"""The documents of one kind of record: which record each is, which live, and in which order they come.

The order is that of decisions E: completeness, newest day, number. It is kept as one number a document, the
smaller the earlier, and as some hundred *shelves* of documents, the first with those that come first: the first
page of millions of documents is found on a shelf or two, without sorting them.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import Column, bitmap, documents

_NONE = 0xFFFFFFFF
_SHELF = 16_384
"""How many documents stand on a shelf when it is laid out."""
_NUMBER_BITS, _DAY_BITS = 40, 16
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1
MOST_NUMBER = _NUMBER_MASK


def rank(points: int, day: int, number: int) -> int:
    """The place of a record in the order: 8 bits of completeness, 16 of the day, 40 of its number."""
    return (255 - points) << (_DAY_BITS + _NUMBER_BITS) | (65_535 - day) << _NUMBER_BITS | number


class Documents:
    """Documents 0 to `count - 1`, some of them dead."""

    def __init__(self, ranks: npt.NDArray[np.uint64], dead: BitMap) -> None:
        self._ranks = Column(ranks, 0)
        self.dead = dead
        self._of_number = self._by_number()
        self._bounds, self.shelves = self._laid_out()

    def _by_number(self) -> Column:
        ranks = self._ranks.values
        places = np.flatnonzero(self.alive()).astype(np.uint32)
        numbers = (ranks[places] & np.uint64(_NUMBER_MASK)).astype(np.int64)
        held = Column(np.zeros(0, dtype=np.uint32), _NONE)
        if len(numbers):
            held.put(int(numbers.max()), _NONE)
            held.values[numbers] = places
        return held

    def _laid_out(self) -> tuple[npt.NDArray[np.uint64], list[BitMap]]:
        ranks = self._ranks.values
        count = max(1, len(ranks) // _SHELF)
        order = np.argsort(ranks, kind="stable")
        parts = np.array_split(order, count)
        bounds = np.array([ranks[part[0]] for part in parts[1:]], dtype=np.uint64)
        return bounds, [bitmap(np.sort(part)) for part in parts]

    @property
    def count(self) -> int:
        return len(self._ranks)

    @property
    def living(self) -> int:
        return self.count - len(self.dead)

    def alive(self) -> npt.NDArray[np.bool_]:
        """Of each document, whether it lives."""
        living = np.ones(self.count, dtype=np.bool_)
        living[documents(self.dead)] = False
        return living

    @property
    def ranks(self) -> npt.NDArray[np.uint64]:
        return self._ranks.values

    def of(self, number: int) -> int | None:
        """The living document of a record."""
        held = self._of_number.get(number)
        return None if held == _NONE else held

    def of_many(self, numbers: npt.NDArray[np.int64]) -> BitMap:
        """The living documents of those of the records that are held."""
        held = self._of_number.values
        found = held[numbers[(numbers >= 0) & (numbers < len(held))]]
        return bitmap(np.sort(found[found != _NONE]))

    def put(self, number: int, points: int, day: int) -> int:
        """A new document for a record; its old one is dead."""
        self.drop(number)
        document, place = self.count, rank(points, day, number)
        self._ranks.put(document, place)
        self._of_number.put(number, document)
        self.shelves[int(np.searchsorted(self._bounds, np.uint64(place), side="right"))].add(document)
        return document

    def drop(self, number: int) -> None:
        """A record is no more."""
        document = self.of(number)
        if document is not None:
            self.dead.add(document)
            self._of_number.put(number, _NONE)

    def numbers(self, held: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """The records that documents are."""
        return (self.ranks[held] & np.uint64(_NUMBER_MASK)).astype(np.int64)

    def first(self, held: npt.NDArray[np.uint32], count: int) -> npt.NDArray[np.uint32]:
        """The first so many of some documents, in order."""
        ranks = self.ranks[held]
        if count < len(held) // 4:
            chosen = np.argpartition(ranks, count)[:count]
            held, ranks = held[chosen], ranks[chosen]
        return held[np.argsort(ranks)][:count]

    def in_order(self, held: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        return held[np.argsort(self.ranks[held])]

    def shelf_by_shelf(self, found: Sequence[BitMap]) -> Iterator[BitMap]:
        """What all of the bitmaps have in common, in pieces of which each comes before the next."""
        for shelf in self.shelves:
            piece = shelf
            for each in found:
                piece = piece & each
            if piece:
                yield piece

    def everyone(self) -> BitMap:
        every = BitMap(range(self.count))
        return every - self.dead if self.dead else every
