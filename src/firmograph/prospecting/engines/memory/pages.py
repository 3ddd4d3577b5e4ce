"""The total of a search and one page of it, in order, without sorting what is not shown.

What was found is handed over as bitmaps whose intersection it is. The intersection itself is counted, and only made
when the page cannot be taken from a few shelves (`documents.py`).
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory import intersections
from firmograph.prospecting.engines.memory.arrays import Documents as Array
from firmograph.prospecting.engines.memory.arrays import documents
from firmograph.prospecting.engines.memory.documents import Documents
from firmograph.prospecting.engines.memory.employment import NOBODY, Staff
from firmograph.prospecting.engines.query import Query

_FEW = 20_000
"""Up to how many documents are sorted at once rather than shelf by shelf."""
_SHELF_STEPS = 30
"""So many intersections with a shelf cost about as much as making the whole intersection."""


def plain_page(held: Documents, found: Sequence[BitMap], query: Query) -> tuple[int, Array]:
    """How many there are, and the page."""
    parts = intersections.joined(found, held.count)
    total, end = intersections.count(parts, held.count), query.offset + query.size
    if total <= query.offset:
        return total, np.zeros(0, dtype=np.uint32)
    shelves = len(held.shelves) * end / total
    if len(parts[0]) <= _FEW or shelves * len(parts) > _SHELF_STEPS:
        parts = [intersections.made(parts)]
    if len(parts) == 1 and total <= _FEW:
        return total, held.first(documents(parts[0]), end)[query.offset :]
    pieces, passed = [], 0
    for piece in held.shelf_by_shelf(parts):
        count = len(piece)
        if passed + count > query.offset:
            ordered = held.first(documents(piece), end - passed)
            pieces.append(ordered[max(0, query.offset - passed) :])
        passed += count
        if passed >= end:
            break
    return total, np.concatenate(pieces)


def capped_page(held: Documents, staff: Staff, found: Sequence[BitMap], query: Query) -> tuple[int, Array]:
    """The same when each company shows its first few contacts only."""
    most = query.most_per_company or 0
    every = intersections.made(intersections.joined(found, held.count))
    employers = staff.employers[documents(every)]
    counts = np.bincount(employers, minlength=1)
    total = int(np.minimum(counts[1:], most).sum() + counts[NOBODY])
    pieces, passed, end = [np.zeros(0, dtype=np.uint32)], 0, query.offset + query.size
    if total > query.offset:
        shown = np.zeros(len(counts), dtype=np.int64)
        for piece in _ordered(held, every):
            let = piece[_let_through(staff.employers[piece], shown, most)]
            pieces.append(let[max(0, query.offset - passed) : max(0, end - passed)])
            passed += len(let)
            if passed >= end:
                break
    return total, np.concatenate(pieces)


def _ordered(held: Documents, found: BitMap) -> Iterator[Array]:
    """All documents in order, in pieces."""
    if len(found) <= _FEW:
        yield held.in_order(documents(found))
    else:
        for piece in held.shelf_by_shelf([found]):
            yield held.in_order(documents(piece))


def _let_through(
    employers: npt.NDArray[np.uint32], shown: npt.NDArray[np.int64], most: int
) -> npt.NDArray[np.bool_]:
    """Which of the next contacts are among the first `most` of their company; `shown` counts on."""
    order = np.argsort(employers, kind="stable")
    ordered = employers[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(ordered) else order
    sizes = np.diff(np.append(starts, len(ordered)))
    place = np.empty(len(ordered), dtype=np.int64)
    place[order] = np.arange(len(ordered)) - np.repeat(starts, sizes)
    place += shown[employers]
    companies = ordered[starts]
    shown[companies] += sizes
    shown[NOBODY] = 0
    let: npt.NDArray[np.bool_] = (place < most) | (employers == NOBODY)
    return let
