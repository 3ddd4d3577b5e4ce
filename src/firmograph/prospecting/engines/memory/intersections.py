"""How many documents several bitmaps have in common, without making what they have in common.

A bitmap of which most stretches of 65,536 documents are dense is cheap to combine with another dense one as long as the
result is dense too, and cheap to count in any case. What is dear is a sparse result of two dense ones: it is
written out document by document. So dense results are made first, and the last sparse ones are only counted:
|a ∩ b ∩ c| = |a ∩ c| - |a ∩ (c - b)|, where c - b is dense when c is much larger than b.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import combinations

from pyroaring import BitMap

_DENSE = 1 / 16
"""The share of documents from which on containers of a bitmap are bits, not lists."""
_CLEARLY = 1.2
_MANY = 16
"""More bitmaps than this are not paired with care, which takes the square of their number, but the smallest made."""
_FEW = 1 / 64
"""Below this share it is cheapest to write the result out."""


def joined(bitmaps: Sequence[BitMap], documents: int) -> list[BitMap]:
    """The same intersection from fewer bitmaps, the smallest first: dense ones are made one while that stays dense."""
    parts = sorted(bitmaps, key=len)
    if not parts[0]:
        return parts[:1]
    if len(parts) > _MANY:
        parts = sorted([made(parts[: 1 - _MANY]), *parts[1 - _MANY :]], key=len)
    while len(parts) > 2 and (pair := _dense_pair(parts, documents)):
        one, other = pair
        parts = [part for part in parts if part is not one and part is not other]
        parts = sorted([*parts, one & other], key=len)
    return parts


def _dense_pair(parts: Sequence[BitMap], documents: int) -> tuple[BitMap, BitMap] | None:
    """The two whose intersection is the smallest that is still dense, as far as their sizes tell."""
    least = _CLEARLY * _DENSE * documents
    best = None
    for one, other in combinations(parts, 2):
        expected = len(one) * len(other) / documents
        if expected > least and (best is None or expected < best[0]):
            best = (expected, one, other)
    return best[1:] if best else None


def count(parts: Sequence[BitMap], documents: int) -> int:
    """How many documents all of them hold, the smallest first; at least one."""
    if len(parts) > 3:
        parts = [made(parts[:-2]), *parts[-2:]]
    if len(parts) == 3 and len(parts[0]) < _FEW * documents:
        parts = [parts[0] & parts[1], parts[2]]
    if len(parts) == 1:
        return len(parts[0])
    if len(parts) == 2:
        return parts[0].intersection_cardinality(parts[1])
    least, middle, most = parts
    return least.intersection_cardinality(most) - least.intersection_cardinality(most - middle)


def made(parts: Sequence[BitMap]) -> BitMap:
    """What all of them hold, the smallest first."""
    return reduce(lambda one, more: one & more, parts)
