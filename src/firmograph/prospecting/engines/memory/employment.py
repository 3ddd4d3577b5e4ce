"""Which contacts work at which company, both ways."""

from collections import defaultdict

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import Column, bitmap, gather, starts_of

NOBODY = 0
"""Stands for no company; record numbers begin at 1."""


class Staff:
    """The company of each document of a contact, and the documents of each company's contacts, dead ones too."""

    def __init__(self, employers: npt.NDArray[np.uint32], living: npt.NDArray[np.bool_]) -> None:
        self._employers = Column(employers, NOBODY)
        most = int(employers.max()) + 1 if len(employers) else 1
        order = np.argsort(employers, kind="stable").astype(np.uint32)
        counts = np.bincount(employers, minlength=most)
        self._starts = starts_of(counts)
        self._documents = order
        self._joined = defaultdict[int, list[int]](list)
        self._sizes = Column(np.bincount(employers[living], minlength=most).astype(np.int32), 0)

    @property
    def employers(self) -> npt.NDArray[np.uint32]:
        """The company of each document."""
        return self._employers.values

    @property
    def sizes(self) -> npt.NDArray[np.int32]:
        """How many living contacts each company has, by its number."""
        return self._sizes.values

    def size(self, company: int) -> int:
        return self._sizes.get(company)

    def put(self, document: int, company: int | None) -> None:
        held = company or NOBODY
        self._employers.put(document, held)
        if held:
            self._joined[held].append(document)
            self._sizes.put(held, self._sizes.get(held) + 1)

    def leave(self, document: int) -> None:
        """A document dies."""
        company = self._employers.get(document)
        self._sizes.put(company, self._sizes.get(company) - 1)

    def of(self, company: int) -> BitMap:
        """The documents of a company's contacts."""
        return self.of_many(np.array([company], dtype=np.int64))

    def of_many(self, companies: npt.NDArray[np.int64]) -> BitMap:
        """The documents of the contacts of companies, given by number in rising order."""
        base = companies[companies < len(self._starts) - 1]
        if len(base) * 8 > len(self._starts):
            return self._by_mask(companies)
        found = bitmap(np.sort(gather(self._starts, self._documents, base)))
        if self._joined:
            joined = self._joined.keys() & set(companies.tolist())
            found |= BitMap([document for company in joined for document in self._joined[company]])
        return found

    def _by_mask(self, companies: npt.NDArray[np.int64]) -> BitMap:
        """The same for many companies: cheaper to ask each document than to sort what they have."""
        employers = self.employers
        wanted = np.zeros(max(int(companies[-1]), int(employers.max())) + 1, dtype=np.bool_)
        wanted[companies] = True
        return bitmap(np.flatnonzero(wanted[employers]))
