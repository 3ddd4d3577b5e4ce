"""Intersections of bitmaps, counted without being materialised.

Combining two dense bitmaps is cheap while the result is dense too, and counting is always cheap. The expensive case
is a sparse result of two dense bitmaps, which is written out document by document. Dense intersections are
therefore computed first, and the last sparse ones are only counted: |a ∩ b ∩ c| = |a ∩ c| - |a ∩ (c - b)|, where c
- b is dense when c is much larger than b.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import combinations

from pyroaring import BitMap

_DENSE = 1 / 16
"""Share of documents above which the containers of a bitmap are bit sets instead of arrays."""
_DENSE_MARGIN = 1.2
_MAX_PAIRED = 16
"""Above this number the smallest bitmaps are intersected first, because comparing all pairs takes quadratic time."""
_SPARSE = 1 / 64
"""Below this share, writing the result out is cheapest."""


def merge_dense(bitmaps: Sequence[BitMap], documents: int) -> list[BitMap]:
    """Return fewer bitmaps with the same intersection, smallest first.

    Pairs of dense bitmaps are intersected as long as the result stays dense.
    """
    parts = sorted(bitmaps, key=len)
    if not parts[0]:
        return parts[:1]
    if len(parts) > _MAX_PAIRED:
        parts = sorted([intersect(parts[: 1 - _MAX_PAIRED]), *parts[1 - _MAX_PAIRED :]], key=len)
    while len(parts) > 2 and (pair := _dense_pair(parts, documents)):
        one, other = pair
        parts = [part for part in parts if part is not one and part is not other]
        parts = sorted([*parts, one & other], key=len)
    return parts


def _dense_pair(bitmaps: Sequence[BitMap], documents: int) -> tuple[BitMap, BitMap] | None:
    """Return the pair with the smallest intersection that is still dense, estimated from their sizes."""
    least = _DENSE_MARGIN * _DENSE * documents
    best = None
    for one, other in combinations(bitmaps, 2):
        expected = len(one) * len(other) / documents
        if expected > least and (best is None or expected < best[0]):
            best = (expected, one, other)
    return best[1:] if best else None


def count_intersection(bitmaps: Sequence[BitMap], documents: int) -> int:
    """Count the documents in all of the bitmaps, given smallest first; at least one bitmap."""
    if len(bitmaps) > 3:
        bitmaps = [intersect(bitmaps[:-2]), *bitmaps[-2:]]
    if len(bitmaps) == 3 and len(bitmaps[0]) < _SPARSE * documents:
        bitmaps = [bitmaps[0] & bitmaps[1], bitmaps[2]]
    if len(bitmaps) == 1:
        return len(bitmaps[0])
    if len(bitmaps) == 2:
        return bitmaps[0].intersection_cardinality(bitmaps[1])
    least, middle, most = bitmaps
    return least.intersection_cardinality(most) - least.intersection_cardinality(most - middle)


def intersect(bitmaps: Sequence[BitMap]) -> BitMap:
    """Return the intersection of bitmaps, given smallest first."""
    return reduce(lambda one, more: one & more, bitmaps)
