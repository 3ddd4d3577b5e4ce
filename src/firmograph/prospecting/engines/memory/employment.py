"""Employment index: the company of each contact and the contacts of each company."""

from collections import defaultdict

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.kit.growable_array import GrowableArray
from firmograph.prospecting.engines.memory.arrays import (
    document_numbers,
    gather,
    to_bitmap,
    to_offsets,
)

NO_COMPANY = 0
"""Stands for no company; record numbers begin at 1."""


class EmploymentIndex:
    """Employers by contact document, and contact documents by company, dead ones included."""

    def __init__(self, employers: npt.NDArray[np.uint32], living: npt.NDArray[np.bool_]) -> None:
        self._employers = GrowableArray(employers, NO_COMPANY)
        most = int(employers.max()) + 1 if len(employers) else 1
        order = np.argsort(employers, kind="stable").astype(np.uint32)
        counts = np.bincount(employers, minlength=most)
        self._starts = to_offsets(counts)
        self._documents = order
        self._added = defaultdict[int, list[int]](list)
        self._sizes = GrowableArray(np.bincount(employers[living], minlength=most).astype(np.int32), 0)

    @property
    def employers(self) -> npt.NDArray[np.uint32]:
        """Company of each document."""
        return self._employers.values

    @property
    def sizes(self) -> npt.NDArray[np.int32]:
        """Number of living contacts by company number."""
        return self._sizes.values

    def sizes_without(self, removed: BitMap) -> npt.NDArray[np.int32]:
        """Return the same without some living contacts, given by document."""
        if not removed:
            return self.sizes
        sizes = self.sizes.copy()
        np.subtract.at(sizes, self.employers[document_numbers(removed)], 1)
        return sizes

    def size(self, company: int) -> int:
        return self._sizes.get(company)

    def add(self, document: int, company: int | None) -> None:
        number = company or NO_COMPANY
        self._employers.set(document, number)
        if number:
            self._added[number].append(document)
            self._sizes.set(number, self._sizes.get(number) + 1)

    def remove(self, document: int) -> None:
        """Stop counting a document that died."""
        company = self._employers.get(document)
        self._sizes.set(company, self._sizes.get(company) - 1)

    def contacts_of(self, company: int) -> BitMap:
        """Return the documents of a company's contacts."""
        return self.contacts_of_many(np.array([company], dtype=np.int64))

    def contacts_of_many(self, companies: npt.NDArray[np.int64]) -> BitMap:
        """Return the documents of the contacts of companies, given by number in ascending order."""
        base = companies[companies < len(self._starts) - 1]
        if len(base) * 8 > len(self._starts):
            return self._contacts_by_mask(companies)
        found = to_bitmap(np.sort(gather(self._starts, self._documents, base)))
        if self._added:
            added = self._added.keys() & set(companies.tolist())
            found |= BitMap([document for company in added for document in self._added[company]])
        return found

    def _contacts_by_mask(self, companies: npt.NDArray[np.int64]) -> BitMap:
        """Return the same by scanning all employers; for many companies cheaper than sorting their documents."""
        employers = self.employers
        requested = np.zeros(max(int(companies[-1]), int(employers.max())) + 1, dtype=np.bool_)
        requested[companies] = True
        return to_bitmap(np.flatnonzero(requested[employers]))
