"""Centres of lists: which list a record belongs to, and which lists to search first.

All sums are of whole numbers below 2**24, which are exact in every order, so that every machine decides alike.
"""

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.index.vector_lists import MAX_LISTS, Numbers, Queries
from firmograph.lookalikes.model.code_space import Codes, CodeSpace

_EXACT: Final = 2**24
_STEPS: Final = 127


class ListCentres:
    """Centres of the lists of one kind of record."""

    def __init__(self, space: CodeSpace) -> None:
        centres = space.centres[:MAX_LISTS]
        self.count = len(centres)
        self._codes = space.encode(centres).astype(np.float32)
        weighted = centres.astype(np.float64) * space.ranges / _STEPS
        largest = np.abs(weighted).sum(axis=1).max(initial=0.0)
        bound = (_EXACT / _STEPS - space.dimensions) / largest if largest else 1.0
        # a power of two multiplies without an error
        scale = 2.0 ** math.floor(math.log2(bound))
        self._weights = np.rint(weighted * scale).astype(np.float32)

    def assign(self, codes: Codes) -> npt.NDArray[np.uint16]:
        """Return the list of each record: that of the most similar centre, the first of equal ones."""
        scores = codes.astype(np.float32) @ self._weights.T
        return np.asarray(np.argmax(scores, axis=1), dtype=np.uint16)

    def order(self, queries: Queries) -> Numbers:
        """Return all lists, those whose centres are most similar to any of the queries first."""
        scores = (queries @ self._codes.T).max(axis=0)
        return np.argsort(-scores, kind="stable").astype(np.int64)
