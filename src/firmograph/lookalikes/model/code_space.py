"""Codes of vectors, one byte a number, and the centres around which an index lists them."""

from typing import Final

import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.model.entity_model import Floats

Codes = npt.NDArray[np.int8]

_STEPS: Final = 127
_CLIPPED: Final = 0.001
"""Share of the values of a coordinate that are beyond its range, so that a few do not make all others coarse."""


class CodeSpace:
    """Range of each coordinate, and centres of the lists of an index."""

    def __init__(self, ranges: Floats, centres: Floats) -> None:
        """Create a space. `centres` has one row for each list, none of them empty; all ranges are positive."""
        self.ranges = ranges
        self.centres = centres

    @property
    def dimensions(self) -> int:
        return len(self.ranges)

    def encode(self, vectors: Floats, start: int = 0) -> Codes:
        """Return the codes of vectors, which hold the coordinates from `start` on."""
        ranges = self.ranges[start : start + vectors.shape[-1]].astype(np.float64)
        return np.asarray(np.clip(np.rint(vectors * (_STEPS / ranges)), -_STEPS, _STEPS), dtype=np.int8)

    def decode(self, codes: Codes, start: int = 0) -> Floats:
        """Return the vectors of codes, which hold the coordinates from `start` on."""
        ranges = self.ranges[start : start + codes.shape[-1]].astype(np.float64)
        return np.asarray(codes * (ranges / _STEPS), dtype=np.float32)


def ranges_of(vectors: Floats) -> Floats:
    """Return the range of each coordinate of a sample; 1 where all are zero."""
    if not len(vectors):
        return np.ones(vectors.shape[1], dtype=np.float32)
    ranges = np.quantile(np.abs(vectors), 1 - _CLIPPED, axis=0)
    largest = np.abs(vectors).max(axis=0)
    ranges = np.where(ranges > 0, ranges, largest)
    return np.asarray(np.where(ranges > 0, ranges, 1.0), dtype=np.float32)
