"""Vectors of attributes, and of records as their sums."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.model.attributes import Attribute

Floats = npt.NDArray[np.float32]

_LIMIT: Final = 32_767
"""Largest coordinate of an attribute. Sums of whole numbers are exact: the order of attributes does not matter."""

_CHUNK_ROWS: Final = 1_024
"""Records encoded at a time, so that their attributes' vectors fit into a cache."""


class EntityModel:
    """Vectors of the attributes of one kind of record."""

    def __init__(self, attributes: Sequence[Attribute], vectors: npt.NDArray[np.int16]) -> None:
        """Create a model from one row of `vectors` for each attribute."""
        self.attributes = tuple(attributes)
        self.vectors = vectors

    @classmethod
    def rounded(cls, attributes: Sequence[Attribute], vectors: npt.NDArray[np.float64]) -> "EntityModel":
        """Create a model from vectors of any scale, as only their proportions count."""
        largest = float(np.abs(vectors).max(initial=0.0))
        scaled = np.rint(vectors * (_LIMIT / largest)) if largest else vectors
        return cls(attributes, np.ascontiguousarray(scaled, dtype=np.int16))

    @property
    def dimensions(self) -> int:
        return int(self.vectors.shape[1])

    @cached_property
    def _positions(self) -> dict[Attribute, int]:
        return {attribute: position for position, attribute in enumerate(self.attributes)}

    def encode(self, attributes: Sequence[Attribute]) -> Floats:
        """Return the vector of a record: of unit length, or zeros if the model knows none of its attributes."""
        total = self.vectors[self._known(attributes)].sum(axis=0, dtype=np.int64)
        vector: Floats = self._unit(total[None])[0]
        return vector

    def encode_all(self, records: Sequence[Sequence[Attribute]]) -> Floats:
        """Return the vectors of many records, each as `encode` does."""
        vectors = np.zeros((len(records), self.dimensions), dtype=np.float32)
        for start in range(0, len(records), _CHUNK_ROWS):
            known = [self._known(attributes) for attributes in records[start : start + _CHUNK_ROWS]]
            vectors[start : start + len(known)] = self._unit(self._sums(known))
        return vectors

    def _sums(self, known: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
        """Return the sum of the vectors of each list of attributes."""
        sizes = np.array([len(each) for each in known], dtype=np.int64)
        sums = np.zeros((len(known), self.dimensions), dtype=np.int64)
        filled = np.flatnonzero(sizes)
        if len(filled):
            starts = np.concatenate(([0], np.cumsum(sizes[filled])[:-1]))
            rows = self.vectors[[position for each in known for position in each]]
            sums[filled] = np.add.reduceat(rows, starts, axis=0, dtype=np.int64)
        return sums

    def contributions(self, attributes: Sequence[Attribute]) -> tuple[list[Attribute], Floats]:
        """Return the known attributes of a record, and for each the row that it adds to the encoded vector."""
        known = self._known(attributes)
        rows = self.vectors[known].astype(np.float64)
        length = float(np.linalg.norm(rows.sum(axis=0)))
        shares = rows / length if length else rows * 0.0
        return [self.attributes[position] for position in known], shares.astype(np.float32)

    def _known(self, attributes: Iterable[Attribute]) -> list[int]:
        positions = self._positions
        return [positions[each] for each in dict.fromkeys(attributes) if each in positions]

    @staticmethod
    def _unit(totals: npt.NDArray[np.int64]) -> Floats:
        # squares of whole numbers are exact up to 2**53, so this is the same on every machine
        squares = (totals * totals).sum(axis=1, keepdims=True)
        lengths = np.sqrt(np.maximum(squares, 1).astype(np.float64))
        return np.asarray(totals / lengths, dtype=np.float32)
