"""Record vectors: all records of one kind in the similarity index, by record number."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.kit.growable_array import GrowableArray
from firmograph.lookalikes.index.list_centres import ListCentres
from firmograph.lookalikes.index.probing import best_records
from firmograph.lookalikes.index.seed_queries import Vectors, fold_queries, queries_of_seeds
from firmograph.lookalikes.index.vector_lists import Numbers, VectorLists
from firmograph.lookalikes.model.code_space import Codes, CodeSpace

Bools = npt.NDArray[np.bool_]
Ties = npt.NDArray[np.uint64]


class Similar(NamedTuple):
    """Result of a search."""

    number: int
    similarity: float
    """Above 0, at most 1."""


class CodedRecords(NamedTuple):
    """Records with their codes, in no order."""

    numbers: Numbers
    codes: Codes
    lists: npt.NDArray[np.uint16]
    ties: Ties
    listed: Bools
    """Whether each can be a result."""


class RecordVectors:
    """Codes of one kind of record, with what orders equal results and what can be one."""

    def __init__(self, space: CodeSpace) -> None:
        self.space = space
        self._centres = ListCentres(space)
        self.lists = VectorLists(space.dimensions, self._centres.count)
        self._ties = GrowableArray(np.zeros(0, dtype=np.uint64), 0)
        self._listed = GrowableArray(np.zeros(0, dtype=np.bool_), 0)

    def locate(self, numbers: Numbers, codes: Codes, ties: Ties, listed: Bools) -> CodedRecords:
        """Return records to be put, each number once, with the lists that they belong to."""
        return CodedRecords(numbers, codes, self._centres.assign(codes), ties, listed)

    def with_codes(self, numbers: Numbers, codes: Codes) -> CodedRecords:
        """Return records that the index has, with other codes."""
        return self.locate(numbers, codes, self._ties.values[numbers], self._listed.values[numbers])

    def put(self, records: CodedRecords) -> None:
        """Add or replace records."""
        self.lists.put(records.numbers, records.codes, records.lists)
        self._ties.set_many(records.numbers, records.ties)
        self._listed.set_many(records.numbers, records.listed)

    def remove(self, numbers: Numbers) -> None:
        """Remove those of the records that are present."""
        self.lists.remove(numbers)
        self._listed.set_many(numbers[(numbers >= 0) & (numbers < len(self._listed))], False)

    def similar(self, seeds: Numbers, excluded: Numbers, limit: int) -> list[Similar]:
        """Return the records most similar to the seeds, in order, without the seeds and what is excluded."""
        seeds = np.unique(seeds)
        seeds = seeds[self.lists.present(seeds)]
        queries, scale = fold_queries(self.queries(seeds), self.space)
        if not len(queries) or limit <= 0:
            return []
        listed = self._listed.values.copy()
        for unwanted in (seeds, excluded):
            listed[unwanted[(unwanted >= 0) & (unwanted < len(listed))]] = False
        found = best_records(
            self.lists,
            queries,
            self._centres.order(queries),
            np.packbits(listed, bitorder="little"),
            limit,
            self._ties.values.__getitem__,
        )
        return [
            Similar(number, min(1.0, score / scale))
            for number, score in zip(found.numbers.tolist(), found.scores.tolist(), strict=True)
        ]

    def queries(self, seeds: Numbers) -> Vectors:
        """Return the queries of those of the seeds that are present."""
        seeds = seeds[self.lists.present(seeds)]
        return queries_of_seeds(self.space.decode(self.lists.codes(seeds)))

    def content(self) -> "VectorContent":
        numbers, codes = self.lists.content()
        return VectorContent(
            self.lists.sizes, numbers, codes, self._ties.values[numbers], self._listed.values[numbers]
        )

    def fill(self, content: "VectorContent") -> None:
        """Add the content of a checkpoint to an empty object."""
        self.lists.fill(content.sizes, content.numbers, content.codes)
        numbers = content.numbers.astype(np.int64)
        self._ties.set_many(numbers, content.ties)
        self._listed.set_many(numbers, content.listed)


class VectorContent(NamedTuple):
    """All records, list after list."""

    sizes: Numbers
    """Number of records in each list."""
    numbers: npt.NDArray[np.uint32]
    codes: Codes
    ties: Ties
    listed: Bools
