"""Queries from the vectors of seeds.

See docs/reference/lookalikes.md#seeds.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.index.vector_lists import Queries
from firmograph.lookalikes.model.code_space import CodeSpace
from firmograph.lookalikes.model.entity_model import Floats

Vectors = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]

_STEPS: Final = 127
_UNIT: Final = 1 << 14
"""Length of a unit vector in whole numbers, in which groups are formed: they are the same on every machine."""
_GROUPS: Final = 3
_GROUP_SEEDS: Final = 3
"""Seeds for each group at least, on average."""
_MEAN_SEEDS: Final = 10
"""Seeds as which the mean of all counts in the query of each group."""
_ROUNDS: Final = 20


def queries_of_seeds(vectors: Floats) -> Vectors:
    """Return queries of unit length for seeds, one a row: none if no seed has a vector.

    A record's similarity to the seeds is the greatest of its similarities to the queries. The order of the seeds makes
    no difference. Each query is the mean of a group of alike seeds, drawn to the mean of all: seeds of several kinds
    have little near the mean of all, and a few seeds make an uncertain mean. See docs/benchmarks.md#several-seeds.
    """
    known = np.rint(vectors[np.any(vectors != 0, axis=1)].astype(np.float64) * _UNIT).astype(np.int64)
    ordered = known[np.lexsort(known.T)]
    sums = _group_sums(ordered, max(1, min(_GROUPS, len(ordered) // _GROUP_SEEDS)))
    queries = sums * len(ordered) + ordered.sum(axis=0) * _MEAN_SEEDS
    lengths = _lengths(queries)
    known_queries: Vectors = queries[lengths > 0] / lengths[lengths > 0, None]
    return known_queries


def _group_sums(seeds: _Whole, groups: int) -> _Whole:
    """Return the sum of the seeds of each group, at most as many as `groups`: k-means from seeds that are far apart."""
    if groups == 1 or not len(seeds):
        total: _Whole = seeds.sum(axis=0, keepdims=True)[: len(seeds)]
        return total
    alike = seeds @ seeds.T
    chosen = [int(alike.sum(axis=1).argmin())]
    while len(chosen) < groups:
        chosen.append(int(alike[:, chosen].max(axis=1).argmin()))
    centres = seeds[chosen]
    nearest = np.full(len(seeds), -1)
    for _ in range(_ROUNDS):
        earlier, nearest = nearest, (seeds @ centres.T).argmax(axis=1)
        if np.array_equal(nearest, earlier):
            break
        for group in np.unique(nearest):
            middle = seeds[nearest == group].sum(axis=0, keepdims=True)
            length = float(_lengths(middle)[0])
            if length:
                centres[group] = np.rint(middle[0] * (_UNIT / length))
    return np.array([seeds[nearest == group].sum(axis=0) for group in np.unique(nearest)], dtype=np.int64)


def _lengths(vectors: _Whole) -> Vectors:
    # squares of whole numbers add up in any order
    lengths: Vectors = np.sqrt((vectors * vectors).sum(axis=1).astype(np.float64))
    return lengths


class FoldedQueries(NamedTuple):
    """Queries by which codes are multiplied."""

    rows: Queries
    scale: float
    """Score of a similarity of 1."""


def fold_queries(queries: Vectors, space: CodeSpace) -> FoldedQueries:
    """Return queries of a byte a number, all with the same scale: their greatest number becomes 127."""
    weighted = queries * (space.ranges.astype(np.float64) / _STEPS)
    largest = float(np.abs(weighted).max(initial=0.0))
    scale = _STEPS / largest if largest else 1.0
    rows = np.rint(weighted * scale).astype(np.float32)
    return FoldedQueries(np.ascontiguousarray(rows), scale)
