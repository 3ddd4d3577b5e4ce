"""Vector lists: codes of records in lists around centres, searched by inner product.

faiss multiplies codes of a byte a number by queries of a byte a number; on some machines it drops bits of larger
queries. All its sums are whole numbers below 2**24, so a score is exact, and the same everywhere.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import faiss
import numpy as np
import numpy.typing as npt

from firmograph.kit.growable_array import GrowableArray
from firmograph.lookalikes.model.code_space import Codes

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]
Queries = npt.NDArray[np.float32]
"""One query a row, of whole numbers from -127 to 127."""

_ABSENT: Final = 0xFFFF
MAX_LISTS: Final = _ABSENT
_SIGN: Final = 128
"""faiss stores a number as an unsigned byte that is so much higher."""


class Found(NamedTuple):
    """Records with their scores, in no order."""

    numbers: Numbers
    scores: Scores


class VectorLists:
    """Codes by record number, in lists. Only the methods that change it have to be kept from running side by side."""

    def __init__(self, dimensions: int, lists: int) -> None:
        self.dimensions = dimensions
        self.sizes = np.zeros(lists, dtype=np.int64)
        """Number of records in each list."""
        # lists to search are always given, so faiss needs no centres
        self._index: Any = faiss.IndexIVFScalarQuantizer(
            faiss.IndexFlatIP(dimensions),
            dimensions,
            lists,
            faiss.ScalarQuantizer.QT_8bit_direct_signed,
            faiss.METRIC_INNER_PRODUCT,
            False,
        )
        self._index.is_trained = True
        self._lists: Any = faiss.downcast_InvertedLists(self._index.invlists)  # type: ignore[arg-type]
        self._list_of = GrowableArray(np.zeros(0, dtype=np.uint16), _ABSENT)

    @property
    def count(self) -> int:
        return int(self.sizes.sum())

    def present(self, numbers: Numbers) -> npt.NDArray[np.bool_]:
        """Return for each number whether such a record is held."""
        lists = self._list_of.values
        known = (numbers >= 0) & (numbers < len(lists))
        known[known] = lists[numbers[known]] != _ABSENT
        return known

    def codes(self, numbers: Numbers) -> Codes:
        """Return the codes of present records."""
        codes = np.empty((len(numbers), self.dimensions), dtype=np.uint8)
        for each, rows in self._by_list(self._list_of.values[numbers]):
            codes[rows] = self._codes(each)[self._offsets(each, numbers[rows])]
        return _signed(codes)

    def put(self, numbers: Numbers, codes: Codes, lists: npt.NDArray[Any]) -> None:
        """Add or replace records, each number once."""
        self.remove(numbers)
        unsigned = _unsigned(codes)
        for each, rows in self._by_list(lists):
            ids, content = numbers[rows], unsigned[rows]
            self._lists.add_entries(each, len(rows), faiss.swig_ptr(ids), faiss.swig_ptr(content))
            self.sizes[each] += len(rows)
        self._list_of.set_many(numbers, lists)

    def remove(self, numbers: Numbers) -> None:
        """Remove those of the records that are present."""
        numbers = numbers[self.present(numbers)]
        for each, rows in self._by_list(self._list_of.values[numbers]):
            self._remove_of_list(each, self._offsets(each, numbers[rows]))
        self._list_of.set_many(numbers, _ABSENT)

    def _remove_of_list(self, each: int, offsets: Numbers) -> None:
        """Fill the gaps with the last entries, and shorten the list."""
        left = int(self.sizes[each]) - len(offsets)
        last = np.setdiff1d(np.arange(left, left + len(offsets)), offsets)
        gaps = offsets[offsets < left]
        ids, codes = self._ids(each), self._codes(each)
        ids[gaps], codes[gaps] = ids[last], codes[last]
        self._lists.resize(each, left)
        self.sizes[each] = left

    def nearest(
        self, queries: Queries, limit: int, lists: Numbers, selectable: npt.NDArray[np.uint8]
    ) -> tuple[Scores, Numbers]:
        """Return the scores and numbers of the `limit` best selectable records of some lists, a row for each query.

        Which of equal ones is open. Where there are fewer, the number is -1. `selectable` has a bit for each number.
        """
        scores = np.empty((len(queries), limit), dtype=np.float32)
        numbers = np.empty((len(queries), limit), dtype=np.int64)
        keys, distances = _tiled(lists, len(queries))
        self._index.search_preassigned_c(
            len(queries),
            faiss.swig_ptr(queries),
            limit,
            faiss.swig_ptr(keys),
            faiss.swig_ptr(distances),
            faiss.swig_ptr(scores),
            faiss.swig_ptr(numbers),
            False,
            _parameters(lists, selectable),
        )
        return scores, numbers

    def above(
        self, queries: Queries, score: float, lists: Numbers, selectable: npt.NDArray[np.uint8]
    ) -> Found:
        """Return every selectable record of some lists that any query scores higher; once for each such query."""
        result = faiss.RangeSearchResult(len(queries))
        keys, distances = _tiled(lists, len(queries))
        self._index.range_search_preassigned_c(
            len(queries),
            faiss.swig_ptr(queries),
            score,
            faiss.swig_ptr(keys),
            faiss.swig_ptr(distances),
            result,
            False,
            _parameters(lists, selectable),
        )
        count = int(faiss.rev_swig_ptr(result.lims, len(queries) + 1)[-1])
        return Found(
            faiss.rev_swig_ptr(result.labels, count).copy(),
            faiss.rev_swig_ptr(result.distances, count).copy(),
        )

    # --- checkpoints ---

    def content(self) -> tuple[npt.NDArray[np.uint32], Codes]:
        """Return the numbers and the codes of all records, list after list."""
        numbers = np.empty(self.count, dtype=np.uint32)
        codes = np.empty((self.count, self.dimensions), dtype=np.uint8)
        start = 0
        for each, size in enumerate(self.sizes.tolist()):
            numbers[start : start + size] = self._ids(each)
            codes[start : start + size] = self._codes(each)
            start += size
        return numbers, _signed(codes)

    def fill(self, sizes: Numbers, numbers: npt.NDArray[np.uint32], codes: Codes) -> None:
        """Add the content of a checkpoint to empty lists."""
        stored = np.ascontiguousarray(codes).view(np.uint8)
        # arrays of their own for each list would leave gaps in memory between the lists
        largest = int(sizes.max(initial=0))
        ids = np.empty(largest, dtype=np.int64)
        content = np.empty((largest, self.dimensions), dtype=np.uint8)
        starts = np.cumsum(sizes) - sizes
        for each, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
            if size:
                ids[:size] = numbers[start : start + size]
                np.bitwise_xor(stored[start : start + size], np.uint8(_SIGN), out=content[:size])
                self._lists.add_entries(each, size, faiss.swig_ptr(ids), faiss.swig_ptr(content))
        self.sizes[:] = sizes
        if len(numbers):
            self._list_of.set(int(numbers.max()), _ABSENT)
            self._list_of.values[numbers] = np.repeat(np.arange(len(sizes), dtype=np.uint16), sizes)

    # --- one list ---

    @staticmethod
    def _by_list(lists: npt.NDArray[Any]) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
        """Yield each list with the rows that belong to it."""
        order = np.argsort(lists, kind="stable")
        each, starts = np.unique(lists[order], return_index=True)
        yield from zip(each.tolist(), np.split(order, starts[1:]), strict=True) if len(each) else ()

    def _offsets(self, each: int, numbers: Numbers) -> Numbers:
        """Return where the records stand in their list, in the order of their numbers there."""
        ids = self._ids(each)
        if len(numbers) == 1:
            return np.flatnonzero(ids == numbers[0])
        order = np.argsort(ids)
        found: Numbers = order[np.searchsorted(ids, numbers, sorter=order)]
        return found

    def _ids(self, each: int) -> Numbers:
        """Return the numbers of a list in place; valid until it changes its size."""
        ids: Numbers = faiss.rev_swig_ptr(self._lists.get_ids(each), int(self.sizes[each]))
        return ids

    def _codes(self, each: int) -> npt.NDArray[np.uint8]:
        size = int(self.sizes[each])
        flat = faiss.rev_swig_ptr(self._lists.get_codes(each), size * self.dimensions)
        codes: npt.NDArray[np.uint8] = flat.reshape(size, self.dimensions)
        return codes


def _tiled(lists: Numbers, queries: int) -> tuple[Numbers, Scores]:
    keys = np.ascontiguousarray(np.broadcast_to(lists, (queries, len(lists))), dtype=np.int64)
    return keys, np.zeros(keys.shape, dtype=np.float32)


def _parameters(lists: Numbers, selectable: npt.NDArray[np.uint8]) -> Any:
    # for the calling thread: searches of a server share its cores
    faiss.omp_set_num_threads(1)
    selector: Any = faiss.IDSelectorBitmap
    parameters: Any = faiss.SearchParametersIVF
    return parameters(sel=selector(selectable), nprobe=len(lists))


def _unsigned(codes: Codes) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(codes).view(np.uint8) ^ np.uint8(_SIGN)


def _signed(codes: npt.NDArray[np.uint8]) -> Codes:
    codes ^= np.uint8(_SIGN)
    return codes.view(np.int8)
