"""Figures of documents: exact values and bands, any number per document, searched by range."""

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.kit.growable_array import GrowableArray
from firmograph.prospecting.engines.memory.arrays import to_bitmap

Floats = npt.NDArray[np.float64]


class FigureColumns:
    """One field of figures, as three columns of equal length."""

    def __init__(self, documents: npt.NDArray[np.uint32], low: Floats, high: Floats) -> None:
        self._columns = (GrowableArray(documents, 0), GrowableArray(low, 0), GrowableArray(high, 0))

    @classmethod
    def empty(cls) -> "FigureColumns":
        none = np.zeros(0, dtype=np.float64)
        return cls(np.zeros(0, dtype=np.uint32), none, none)

    def add(self, document: int, low: float, high: float) -> None:
        index = len(self._columns[0])
        for column, value in zip(self._columns, (document, low, high), strict=True):
            column.set(index, value)

    def columns(self) -> tuple[npt.NDArray[np.uint32], Floats, Floats]:
        """Return documents, lower bounds and upper bounds."""
        documents, low, high = self._columns
        return documents.values, low.values, high.values

    def between(self, low: float | None, high: float | None) -> BitMap:
        """Return the documents with a figure in the range (`query.Between`)."""
        documents, lows, highs = self.columns()
        return to_bitmap(documents[in_range(lows, highs, low, high)])


def in_range(lows: Floats, highs: Floats, low: float | None, high: float | None) -> npt.NDArray[np.bool_]:
    """Return which figures lie in a range: exact values with both bounds included, bands by more than an edge."""
    low = -np.inf if low is None else low
    high = np.inf if high is None else high
    exact = lows == highs
    return np.where(exact, (lows >= low) & (lows <= high), (lows < high) & (highs > low))
