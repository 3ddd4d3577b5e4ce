"""Helpers for numpy arrays and bitmaps of document numbers."""

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

DocumentNumbers = npt.NDArray[np.uint32]
Ints = npt.NDArray[np.int64]

EMPTY = BitMap()
"""Shared constant; never change it."""


def to_bitmap(documents: npt.NDArray[Any]) -> BitMap:
    """Return a bitmap of document numbers in any order.

    The detour over the standard library's array is far faster than passing the numpy array.
    """
    bitmap = BitMap(array("I", documents.astype(np.uint32, copy=False).tobytes()))
    bitmap.shrink_to_fit()
    return bitmap


def document_numbers(documents: BitMap) -> DocumentNumbers:
    """Return the document numbers of a bitmap in ascending order, without copying them one by one."""
    return np.frombuffer(documents.to_array(), dtype=np.uint32)


def union(bitmaps: list[BitMap]) -> BitMap:
    if len(bitmaps) == 1:
        return bitmaps[0]
    return BitMap.union(*bitmaps) if bitmaps else EMPTY


def to_offsets(sizes: npt.ArrayLike) -> DocumentNumbers:
    """Return the offsets of consecutive slices of these sizes, with the end of the last slice appended."""
    return np.cumsum(np.append(np.zeros(1, dtype=np.uint32), sizes), dtype=np.uint64).astype(np.uint32)


def gather(starts: npt.NDArray[Any], data: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Concatenate the slices `data[starts[row]:starts[row + 1]]` of many rows."""
    low = starts[rows].astype(np.int64)
    sizes = starts[rows + 1].astype(np.int64) - low
    ends = np.cumsum(sizes)
    if not len(ends) or not ends[-1]:
        return data[:0]
    indexes = np.repeat(low - (ends - sizes), sizes) + np.arange(ends[-1])
    gathered: npt.NDArray[Any] = data[indexes]
    return gathered
