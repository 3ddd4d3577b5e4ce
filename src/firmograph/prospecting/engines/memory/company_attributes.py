"""Attributes of companies as their contacts carry them, so that a search of contacts need not go by the companies.

Fields of few or often asked values are carried; the rest is looked up among the companies and then taken to their
contacts. Sizes, revenues and years are carried as classes: the band of the catalogue that is given or that an exact
figure lies in, else the figure or band as it is; a range is answered from whole classes, and only a class that it cuts
is looked at company by company.
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
from firmograph.prospecting.engines.memory.arrays import starts_of
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

Pair = tuple[str, str]
"""A field and a value of it, or the class of a figure."""


def carried_pairs(entry: Entry) -> list[Pair]:
    """What the contacts of a company carry of it, each once."""
    pairs = [(field, value) for field, value in entry.terms if field in _CARRIED]
    pairs += [(field, _class_of(field, low, high)) for field, low, high in entry.figures if field in _BANDS]
    return list(dict.fromkeys(pairs))


_CARRIED = frozenset((*TERMS, *TEXTS))


def _class_of(field: str, low: float, high: float) -> str:
    """`=3` for the band of the catalogue at place 3 and exact figures in it, `40.0~80.0` for another band."""
    place = bisect_right(_LOWS[field], low) - 1
    if place >= 0:
        band = _BANDS[field][place]
        if (low, high) == band or (low == high and high <= band[1]):
            return f"={place}"
    return f"{low!r}~{high!r}"


def _bounds(field: str, name: str) -> tuple[float, float]:
    """Those of a class, both in it."""
    if name.startswith("="):
        return _BANDS[field][int(name[1:])]
    low, _, high = name.partition("~")
    return float(low), float(high)


class Carried:
    """Postings of contacts for what their companies hold, and for each company what that is."""

    def __init__(
        self,
        postings: dict[str, Postings],
        pairs: list[Pair],
        starts: npt.NDArray[np.uint32],
        held: npt.NDArray[np.uint32],
    ) -> None:
        self.postings = {name: postings.get(name) or Postings.empty() for name in (*TERMS, *TEXTS, *FIGURES)}
        self._pairs = pairs
        self._place = {pair: place for place, pair in enumerate(pairs)}
        self._starts = starts
        self._held = held
        self._changed: dict[int, tuple[int, ...]] = {}

    @classmethod
    def empty(cls) -> "Carried":
        none = np.zeros(0, dtype=np.uint32)
        return cls({}, [], np.zeros(1, dtype=np.uint32), none)

    def of(self, company: int) -> Sequence[Pair]:
        """What the contacts of a company carry."""
        return [self._pairs[place] for place in self._places(company)]

    def _places(self, company: int) -> Sequence[int]:
        if company in self._changed:
            return self._changed[company]
        if company + 1 >= len(self._starts):
            return ()
        places: list[int] = self._held[self._starts[company] : self._starts[company + 1]].tolist()
        return places

    def join(self, company: int, document: int) -> None:
        """A new document of a contact carries what its company holds."""
        for field, value in self.of(company):
            self.postings[field].add(value, document)

    def change(self, company: int, pairs: Sequence[Pair], staff: BitMap) -> None:
        """A company holds something else now: its contacts carry that."""
        before, after = set(self.of(company)), set(pairs)
        self._changed[company] = tuple(self._numbered(pair) for pair in pairs)
        if staff:
            for field, value in before - after:
                self.postings[field].change(value, partial(_difference, staff))
            for field, value in after - before:
                self.postings[field].change(value, partial(_union, staff))

    def _numbered(self, pair: Pair) -> int:
        place = self._place.setdefault(pair, len(self._pairs))
        if place == len(self._pairs):
            self._pairs.append(pair)
        return place

    def classes(self, field: str, low: float | None, high: float | None) -> tuple[list[str], list[str]]:
        """The classes of a figure that lie in a range as a whole, and those of the catalogue that it cuts."""
        bottom = -inf if low is None else low
        top = inf if high is None else high
        whole, cut = [], []
        for name in self.postings[field].values():
            least, most = _bounds(field, name)
            if bottom <= least and most <= top:
                whole.append(name)
            elif name.startswith("="):
                if least <= top and most >= bottom:
                    cut.append(name)
            elif least < top and most > bottom:
                whole.append(name)
        return whole, cut

    def flat(self) -> tuple[list[Pair], npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Pairs, starts and places of all companies, as the constructor takes them."""
        if not self._changed:
            return self._pairs, self._starts, self._held
        # those that came later begin, and end, where the last of the base ends
        beyond = max(0, max(self._changed) + 2 - len(self._starts))
        starts = np.pad(self._starts, (0, beyond), mode="edge")
        sizes = np.diff(starts)
        pieces, done = [], 0
        for company, places in sorted(self._changed.items()):
            sizes[company] = len(places)
            pieces += [self._held[starts[done] : starts[company]], np.array(places, dtype=np.uint32)]
            done = company + 1
        pieces.append(self._held[starts[done] :])
        return self._pairs, starts_of(sizes), np.concatenate(pieces)


def _difference(staff: BitMap, held: BitMap) -> None:
    held.difference_update(staff)


def _union(staff: BitMap, held: BitMap) -> None:
    held.update(staff)
