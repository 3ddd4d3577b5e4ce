"""Centres of an index's lists, by k-means on a sample."""

import math
from typing import Final

import numpy as np

from firmograph.lookalikes.model.entity_model import Floats

_SEED: Final = 20_17
_ROUNDS: Final = 10
_POINTS: Final = 100
"""Vectors of the sample for each centre at most; more make no better centres."""
_CHUNK_ROWS: Final = 8_192


def list_count(records: int) -> int:
    """Return the number of lists of an index of so many records."""
    return max(1, math.isqrt(records))


def find_centres(vectors: Floats, records: int) -> Floats:
    """Return the centres of the lists of `records` records like the given ones, of unit length each."""
    points = vectors[np.any(vectors != 0, axis=1)]
    count = min(list_count(records), len(points))
    if not count:
        return np.zeros((1, vectors.shape[1]), dtype=np.float32)
    random = np.random.default_rng(_SEED)
    if len(points) > count * _POINTS:
        points = points[np.sort(random.choice(len(points), count * _POINTS, replace=False))]
    centres = points[np.sort(random.choice(len(points), count, replace=False))].copy()
    for _ in range(_ROUNDS):
        nearest = _nearest(points, centres)
        sums = np.zeros((count, points.shape[1]))
        np.add.at(sums, nearest, points)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        filled = lengths[:, 0] > 0
        # a centre without vectors stays where it is
        centres[filled] = sums[filled] / lengths[filled]
    return centres


def _nearest(points: Floats, centres: Floats) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return the centre of greatest inner product of each vector; the first among equal ones."""
    parts = [
        (points[start : start + _CHUNK_ROWS] @ centres.T).argmax(axis=1)
        for start in range(0, len(points), _CHUNK_ROWS)
    ]
    return np.concatenate(parts)
