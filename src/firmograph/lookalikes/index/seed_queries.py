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

_STEPS: Final = 127


def queries_of_seeds(vectors: Floats) -> Vectors:
    """Return queries of unit length for seeds, one a row: none if no seed has a vector.

    A record's similarity to the seeds is the greatest of its similarities to the queries. The order of the seeds makes
    no difference.
    """
    known = vectors[np.any(vectors != 0, axis=1)].astype(np.float64)
    # sums in one order are the same sums
    ordered = known[np.lexsort(known.T)]
    total = ordered.sum(axis=0, keepdims=True)
    length = float(np.linalg.norm(total))
    mean: Vectors = total / length if length else total[:0]
    return mean


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
