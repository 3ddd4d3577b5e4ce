"""Total and one ordered page of a search, without sorting the documents outside the page.

The matches are passed as bitmaps to be intersected. The intersection is counted, and materialised only if the page
cannot be taken from a few buckets (`documents.py`).
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory import intersections
from firmograph.prospecting.engines.memory.arrays import DocumentNumbers, document_numbers
from firmograph.prospecting.engines.memory.documents import Documents
from firmograph.prospecting.engines.memory.employment import NO_COMPANY, EmploymentIndex
from firmograph.prospecting.engines.query import Query

_SORT_AT_ONCE = 20_000
"""Up to this many documents are sorted together instead of bucket by bucket."""
_BUCKET_STEPS = 30
"""About this many intersections with a bucket cost as much as materialising the whole intersection."""


def plain_page(documents: Documents, bitmaps: Sequence[BitMap], query: Query) -> tuple[int, DocumentNumbers]:
    """Return the total and the page."""
    parts = intersections.merge_dense(bitmaps, documents.count)
    total, end = intersections.count_intersection(parts, documents.count), query.offset + query.size
    if total <= query.offset:
        return total, np.zeros(0, dtype=np.uint32)
    buckets = len(documents.buckets) * end / total
    if len(parts[0]) <= _SORT_AT_ONCE or buckets * len(parts) > _BUCKET_STEPS:
        parts = [intersections.intersect(parts)]
    if len(parts) == 1 and total <= _SORT_AT_ONCE:
        return total, documents.first(document_numbers(parts[0]), end)[query.offset :]
    pieces, passed = [], 0
    for piece in documents.iterate_buckets(parts):
        count = len(piece)
        if passed + count > query.offset:
            ordered = documents.first(document_numbers(piece), end - passed)
            pieces.append(ordered[max(0, query.offset - passed) :])
        passed += count
        if passed >= end:
            break
    return total, np.concatenate(pieces)


def capped_page(
    documents: Documents, employment: EmploymentIndex, bitmaps: Sequence[BitMap], query: Query
) -> tuple[int, DocumentNumbers]:
    """Return the total and the page, with at most `query.most_per_company` contacts per company."""
    limit = query.max_per_company or 0
    matches = intersections.intersect(intersections.merge_dense(bitmaps, documents.count))
    employers = employment.employers[document_numbers(matches)]
    counts = np.bincount(employers, minlength=1)
    total = int(np.minimum(counts[1:], limit).sum() + counts[NO_COMPANY])
    pieces, passed, end = [np.zeros(0, dtype=np.uint32)], 0, query.offset + query.size
    if total > query.offset:
        counted = np.zeros(len(counts), dtype=np.int64)
        for piece in _iterate_in_order(documents, matches):
            allowed = piece[_within_cap(employment.employers[piece], counted, limit)]
            pieces.append(allowed[max(0, query.offset - passed) : max(0, end - passed)])
            passed += len(allowed)
            if passed >= end:
                break
    return total, np.concatenate(pieces)


class AllMatches:
    """All documents of a search in order, after the cap, one bucket at a time.

    Buckets are read in order, each once. Documents added since the creation are not among them.
    """

    def __init__(
        self,
        documents: Documents,
        employment: EmploymentIndex,
        bitmaps: Sequence[BitMap],
        max_per_company: int | None,
    ) -> None:
        self.buckets = len(documents.buckets)
        self._documents = documents
        self._employment = employment
        self._matches = intersections.intersect(intersections.merge_dense(bitmaps, documents.count))
        self._limit = max_per_company
        self._counted = np.zeros(len(employment.sizes), dtype=np.int64)

    def in_bucket(self, bucket: int) -> DocumentNumbers:
        piece = self._documents.sort(document_numbers(self._documents.buckets[bucket] & self._matches))
        if self._limit is None:
            return piece
        employers = self._employment.employers[piece]
        return piece[_within_cap(employers, self._counted, self._limit)]


def _iterate_in_order(documents: Documents, matches: BitMap) -> Iterator[DocumentNumbers]:
    """Yield all documents in order, in chunks."""
    if len(matches) <= _SORT_AT_ONCE:
        yield documents.sort(document_numbers(matches))
    else:
        for piece in documents.iterate_buckets([matches]):
            yield documents.sort(document_numbers(piece))


def _within_cap(
    employers: npt.NDArray[np.uint32], counted: npt.NDArray[np.int64], limit: int
) -> npt.NDArray[np.bool_]:
    """Return which of the next contacts are among the first `limit` of their company, and update `counted`."""
    order = np.argsort(employers, kind="stable")
    ordered = employers[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(ordered) else order
    counts = np.diff(np.append(starts, len(ordered)))
    position = np.empty(len(ordered), dtype=np.int64)
    position[order] = np.arange(len(ordered)) - np.repeat(starts, counts)
    position += counted[employers]
    companies = ordered[starts]
    counted[companies] += counts
    counted[NO_COMPANY] = 0
    allowed: npt.NDArray[np.bool_] = (position < limit) | (employers == NO_COMPANY)
    return allowed
