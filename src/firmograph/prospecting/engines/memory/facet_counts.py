"""Facet counts: how many listed records hold each value of a field.

A company name counts the contacts of its company. Listed records are those that a default search finds.
"""

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush, merge
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.fields import COMPANY_NAME
from firmograph.prospecting.engines.memory.arrays import gather, to_bitmap
from firmograph.prospecting.engines.memory.employment import EmploymentIndex
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.segment import Segment

Ints = npt.NDArray[np.int64]

_FIRST_CHUNK = 256
"""Rows sorted first; most suggestions need no more."""
_MAX_INDEX = 1 << 32
"""Greater than every ordinal and every index into a list."""


class Facet(NamedTuple):
    """A value with its count. Facets compare in the order of suggestions: count, value, company."""

    order: int
    """The negative count. Unlisted documents may be included until `listed` corrects it."""
    value: str
    company: int
    """For a company name, the number of the company record; otherwise 0."""
    source: int
    """For a company name, the document of the company; otherwise the ordinal of a base value, -1 for an added one."""


class FacetCounts:
    """Facets of one field by the number of listed documents. Create and use it under one lock."""

    def __init__(self, segment: Segment, field: str, removed: BitMap) -> None:
        self._documents = segment.documents
        self._unlisted = segment.unlisted(removed)
        self._postings: Postings = segment.texts[field].postings

    def descending(self, ordinals: Ints, added: Iterable[str]) -> Iterator[Facet]:
        """Yield the facets of base values, given by ordinal, and of added values, in order.

        The counts may include unlisted documents; pass the result to `listed`.
        """
        postings = self._postings
        has_bitmap = postings.has_bitmap[ordinals]
        named = sorted([*map(postings.lexicon.at, ordinals[has_bitmap].tolist()), *added])
        base = self._base(ordinals[~has_bitmap], postings.lexicon.at)
        return merge(base, self._named(named), key=_order)

    def listed(self, facets: Iterable[Facet]) -> Iterator[Facet]:
        """Yield the facets in order with exact counts, without those that no listed document holds.

        An inexact count is an upper bound. A facet is therefore final once its exact count is at least the next
        upper bound; until then it waits in a heap.
        """
        waiting: list[Facet] = []
        for facet in facets:
            while waiting and _order(waiting[0]) < _order(facet):
                yield heappop(waiting)
            order = self._exact_order(facet)
            if order is not None:
                heappush(waiting, facet._replace(order=order))
        while waiting:
            yield heappop(waiting)

    def _base(self, ordinals: Ints, value_of: Callable[[int], str]) -> Iterator[Facet]:
        starts = self._postings.starts
        counts = starts[ordinals + 1].astype(np.int64) - starts[ordinals]
        for index in _by_falling_count(counts, ordinals):
            ordinal = int(ordinals[index])
            yield Facet(-int(counts[index]), value_of(ordinal), 0, ordinal)

    def _named(self, values: list[str]) -> Iterator[Facet]:
        count = self._postings.count
        return iter(sorted(Facet(-count(value, self._unlisted), value, 0, -1) for value in values))

    def _exact_order(self, facet: Facet) -> int | None:
        """Return the exact order, or None if no listed document holds the value."""
        if facet.source < 0 or not self._unlisted:
            return facet.order or None
        low, high = self._postings.starts[facet.source : facet.source + 2].tolist()
        documents = to_bitmap(self._postings.documents[low:high])
        return -documents.difference_cardinality(self._unlisted) or None


class CompanyFacetCounts(FacetCounts):
    """Company names, one facet per company, by the number of its living contacts."""

    def __init__(
        self,
        segment: Segment,
        field: str,
        employment: EmploymentIndex,
        removed: BitMap,
        removed_contacts: BitMap,
    ) -> None:
        super().__init__(segment, field, removed)
        self._sizes = employment.sizes_without(removed_contacts)

    def _base(self, ordinals: Ints, value_of: Callable[[int], str]) -> Iterator[Facet]:
        starts = self._postings.starts
        holders = gather(starts, self._postings.documents, ordinals)
        return self._facets(holders, np.repeat(ordinals, starts[ordinals + 1] - starts[ordinals]), value_of)

    def _named(self, values: list[str]) -> Iterator[Facet]:
        live = self._postings.live
        documents = [live[value].to_array() for value in values]
        owners = np.repeat(np.arange(len(documents)), list(map(len, documents)))
        return self._facets(np.frombuffer(b"".join(documents), dtype=np.uint32), owners, values.__getitem__)

    def _facets(
        self, holders: npt.NDArray[np.uint32], owners: Ints, value_of: Callable[[int], str]
    ) -> Iterator[Facet]:
        companies = self._documents.record_numbers(holders)
        sizes = self._sizes
        counts = np.zeros(len(companies), dtype=np.int64)
        known = companies < len(sizes)
        counts[known] = sizes[companies[known]]
        for index in _by_falling_count(counts, owners):
            yield Facet(
                -int(counts[index]), value_of(int(owners[index])), int(companies[index]), int(holders[index])
            )

    def _exact_order(self, facet: Facet) -> int | None:
        return None if facet.source in self._unlisted else facet.order


def facets_of(
    segment: Segment, employment: EmploymentIndex, field: str, removed: BitMap, removed_contacts: BitMap
) -> FacetCounts:
    """Return the facets of a field, without the documents of records and of contacts that count as deleted."""
    if field == COMPANY_NAME:
        return CompanyFacetCounts(segment, field, employment, removed, removed_contacts)
    return FacetCounts(segment, field, removed)


def _order(facet: Facet) -> tuple[int, str]:
    return facet.order, facet.value


def _by_falling_count(counts: Ints, owners: Ints) -> Iterator[int]:
    """Yield indexes by falling count, then by rising owner. Sorts only as many as are consumed."""
    keys = counts * _MAX_INDEX + (_MAX_INDEX - 1 - owners)
    rest, size = np.arange(len(keys)), _FIRST_CHUNK
    while len(rest):
        first, rest = rest, rest[:0]
        if len(first) > size:
            parted = np.argpartition(keys[first], len(first) - size)
            first, rest = first[parted[-size:]], first[parted[:-size]]
        yield from first[np.argsort(keys[first])[::-1]].tolist()
        size *= 8
