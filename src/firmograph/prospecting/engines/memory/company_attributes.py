"""Company fields denormalised onto contacts, so that contact searches need not join companies.

Fields with few or often searched values are denormalised; other company criteria are evaluated on companies and then
mapped to their contacts. Sizes, revenues and founding years are stored as classes: the catalogue band that equals the
band or contains the exact figure, otherwise the figure or band itself. A range is answered from the classes inside it;
only a class that the range cuts is checked company by company.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from math import inf

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.directory.vocabulary import REVENUE_BANDS, SIZE_BANDS
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.arrays import to_offsets
from firmograph.prospecting.engines.memory.postings import Postings

TERMS = (
    fields.COUNTRY, fields.STATE, fields.CONTINENT, fields.MAIN_INDUSTRY, fields.SUB_INDUSTRY, fields.SIC,
    fields.NAICS, fields.COMPANY_TYPE, fields.BUSINESS_MODEL,
)  # fmt: skip
TEXTS = (fields.PLACE, fields.TECHNOLOGY, fields.INTENT_TOPIC)
_BANDS: dict[str, tuple[tuple[int, float], ...]] = {
    fields.SIZE: tuple((low, high or inf) for low, high in SIZE_BANDS),
    fields.REVENUE: tuple((low, high or inf) for low, high in REVENUE_BANDS),
    fields.FOUNDED: (),
}
_LOWS = {field: [low for low, _ in bands] for field, bands in _BANDS.items()}
FIGURES = tuple(_BANDS)

Attribute = tuple[str, str]
"""A field and its value, or the class of its figure."""


def company_attributes_of(entry: Entry) -> list[Attribute]:
    """Return the attributes that the contacts of a company inherit, each once."""
    attributes = [(field, value) for field, value in entry.terms if field in _DENORMALISED]
    attributes += [
        (field, _class_of(field, low, high)) for field, low, high in entry.figures if field in _BANDS
    ]
    return list(dict.fromkeys(attributes))


_DENORMALISED = frozenset((*TERMS, *TEXTS))


def _class_of(field: str, low: float, high: float) -> str:
    """Return `=3` for the catalogue band at index 3 and exact figures in it, `40.0~80.0` for any other band."""
    index = bisect_right(_LOWS[field], low) - 1
    if index >= 0:
        band = _BANDS[field][index]
        if (low, high) == band or (low == high and high <= band[1]):
            return f"={index}"
    return f"{low!r}~{high!r}"


def _bounds(field: str, name: str) -> tuple[float, float]:
    """Return the bounds of a class, both inclusive."""
    if name.startswith("="):
        return _BANDS[field][int(name[1:])]
    low, _, high = name.partition("~")
    return float(low), float(high)


class CompanyAttributes:
    """Postings of contacts by company attribute, and the attributes of each company."""

    def __init__(
        self,
        postings: dict[str, Postings],
        attributes: list[Attribute],
        starts: npt.NDArray[np.uint32],
        indexes: npt.NDArray[np.uint32],
    ) -> None:
        self.postings = {name: postings.get(name) or Postings.empty() for name in (*TERMS, *TEXTS, *FIGURES)}
        self._attributes = attributes
        self._index_of = {attribute: index for index, attribute in enumerate(attributes)}
        self._starts = starts
        self._indexes = indexes
        self._changed: dict[int, tuple[int, ...]] = {}

    @classmethod
    def empty(cls) -> "CompanyAttributes":
        none = np.zeros(0, dtype=np.uint32)
        return cls({}, [], np.zeros(1, dtype=np.uint32), none)

    def of_company(self, company: int) -> Sequence[Attribute]:
        return [self._attributes[index] for index in self._indexes_of(company)]

    def _indexes_of(self, company: int) -> Sequence[int]:
        if company in self._changed:
            return self._changed[company]
        if company + 1 >= len(self._starts):
            return ()
        indexes: list[int] = self._indexes[self._starts[company] : self._starts[company + 1]].tolist()
        return indexes

    def add_contact(self, company: int, document: int) -> None:
        """Add a contact document under the attributes of its company."""
        for field, value in self.of_company(company):
            self.postings[field].add(value, document)

    def update_company(self, company: int, attributes: Sequence[Attribute], contacts: BitMap) -> None:
        """Replace the attributes of a company, and move its contacts accordingly."""
        before, after = set(self.of_company(company)), set(attributes)
        self._changed[company] = tuple(self._number(attribute) for attribute in attributes)
        if contacts:
            for field, value in before - after:
                self.postings[field].change(value, partial(_subtract, contacts))
            for field, value in after - before:
                self.postings[field].change(value, partial(_add, contacts))

    def _number(self, attribute: Attribute) -> int:
        index = self._index_of.setdefault(attribute, len(self._attributes))
        if index == len(self._attributes):
            self._attributes.append(attribute)
        return index

    def classes(self, field: str, low: float | None, high: float | None) -> tuple[list[str], list[str]]:
        """Return the classes of a figure entirely inside a range, and the catalogue bands that it cuts."""
        bottom = -inf if low is None else low
        top = inf if high is None else high
        inside, cut = [], []
        for name in self.postings[field].values():
            least, most = _bounds(field, name)
            if bottom <= least and most <= top:
                inside.append(name)
            elif name.startswith("="):
                if least <= top and most >= bottom:
                    cut.append(name)
            elif least < top and most > bottom:
                inside.append(name)
        return inside, cut

    def to_arrays(self) -> tuple[list[Attribute], npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return attributes, starts and indexes of all companies, as the constructor takes them."""
        if not self._changed:
            return self._attributes, self._starts, self._indexes
        # companies added since start, and end, where the last base company ends
        beyond = max(0, max(self._changed) + 2 - len(self._starts))
        starts = np.pad(self._starts, (0, beyond), mode="edge")
        sizes = np.diff(starts)
        pieces, done = [], 0
        for company, indexes in sorted(self._changed.items()):
            sizes[company] = len(indexes)
            pieces += [self._indexes[starts[done] : starts[company]], np.array(indexes, dtype=np.uint32)]
            done = company + 1
        pieces.append(self._indexes[starts[done] :])
        return self._attributes, to_offsets(sizes), np.concatenate(pieces)


def _subtract(contacts: BitMap, holders: BitMap) -> None:
    holders.difference_update(contacts)


def _add(contacts: BitMap, holders: BitMap) -> None:
    holders.update(contacts)
