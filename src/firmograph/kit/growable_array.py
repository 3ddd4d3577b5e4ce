"""Numpy array that grows."""

from typing import Any

import numpy as np
import numpy.typing as npt


class GrowableArray:
    """Growable numpy array; `values` is the part in use.

    Half as much again is reserved from the start. Memory that was never written to takes no space, and no search
    waits while millions of numbers are moved to a larger array.
    """

    def __init__(self, values: npt.NDArray[Any], fill: int) -> None:
        self._buffer = np.empty(0, dtype=values.dtype)
        self._size = 0
        self._fill = fill
        self._reserve(len(values))
        self._buffer[: len(values)] = values
        self._size = len(values)

    @property
    def values(self) -> npt.NDArray[Any]:
        buffer: npt.NDArray[Any] = self._buffer[: self._size]
        return buffer

    def __len__(self) -> int:
        return self._size

    def set(self, index: int, value: float) -> None:
        """Set the value at an index and grow the column up to it, padding with the fill value."""
        if index >= self._size:
            if index >= len(self._buffer):
                self._reserve(index + 1)
            self._buffer[self._size : index] = self._fill
            self._size = index + 1
        self._buffer[index] = value

    def set_many(self, indexes: npt.NDArray[np.int64], values: npt.ArrayLike) -> None:
        """Set the values at many indexes, all at least 0."""
        if len(indexes):
            last = int(indexes.max())
            if last >= self._size:
                self.set(last, self._fill)
            self._buffer[indexes] = values

    def get(self, index: int) -> int:
        return int(self._buffer[index]) if index < self._size else self._fill

    def _reserve(self, size: int) -> None:
        buffer = np.empty(size + size // 2 + 64, dtype=self._buffer.dtype)
        buffer[: self._size] = self._buffer[: self._size]
        self._buffer = buffer
