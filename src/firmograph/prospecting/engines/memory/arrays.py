"""Small helpers around numpy arrays and bitmaps of document numbers."""

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

Documents = npt.NDArray[np.uint32]
Ints = npt.NDArray[np.int64]

EMPTY = BitMap()
"""Never changed by anyone."""


def bitmap(documents: npt.NDArray[Any]) -> BitMap:
    """A bitmap of document numbers in any order; far faster from the standard library's array than from numpy's."""
    made = BitMap(array("I", documents.astype(np.uint32, copy=False).tobytes()))
    made.shrink_to_fit()
    return made


def documents(held: BitMap) -> Documents:
    """The document numbers of a bitmap in rising order, without copying them one by one."""
    return np.frombuffer(held.to_array(), dtype=np.uint32)


def union(bitmaps: list[BitMap]) -> BitMap:
    if len(bitmaps) == 1:
        return bitmaps[0]
    return BitMap.union(*bitmaps) if bitmaps else EMPTY


def starts_of(sizes: npt.ArrayLike) -> Documents:
    """Where pieces of these sizes begin that lie one after the other, and at the end where the last one ends."""
    return np.cumsum(np.append(np.zeros(1, dtype=np.uint32), sizes), dtype=np.uint64).astype(np.uint32)


def gather(starts: npt.NDArray[Any], data: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The slices `data[starts[row]:starts[row + 1]]` of many rows, one after the other."""
    low = starts[rows].astype(np.int64)
    sizes = starts[rows + 1].astype(np.int64) - low
    ends = np.cumsum(sizes)
    if not len(ends) or not ends[-1]:
        return data[:0]
    places = np.repeat(low - (ends - sizes), sizes) + np.arange(ends[-1])
    gathered: npt.NDArray[Any] = data[places]
    return gathered


class Column:
    """A numpy array that grows at its end; `values` is the part in use.

    It has room for half as much again from the start. Memory that was never written to takes none, and a search
    never waits while millions of numbers are moved to where there is more room.
    """

    def __init__(self, values: npt.NDArray[Any], fill: int) -> None:
        self._held = np.empty(0, dtype=values.dtype)
        self._size = 0
        self._fill = fill
        self._make_room(len(values))
        self._held[: len(values)] = values
        self._size = len(values)

    @property
    def values(self) -> npt.NDArray[Any]:
        held: npt.NDArray[Any] = self._held[: self._size]
        return held

    def __len__(self) -> int:
        return self._size

    def put(self, place: int, value: float) -> None:
        """Set the value at a place, growing the column up to it; places in between get the filling value."""
        if place >= self._size:
            if place >= len(self._held):
                self._make_room(place + 1)
            self._held[self._size : place] = self._fill
            self._size = place + 1
        self._held[place] = value

    def get(self, place: int) -> int:
        return int(self._held[place]) if place < self._size else self._fill

    def _make_room(self, size: int) -> None:
        held = np.empty(size + size // 2 + 64, dtype=self._held.dtype)
        held[: self._size] = self._held[: self._size]
        self._held = held
