"""Entries of a field by how many records hold them; company names by how many contacts the company has.

Only records count that a default search of their kind finds.
"""

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush, merge
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.prospecting.engines.memory.arrays import bitmap, gather
from firmograph.prospecting.engines.memory.employment import Staff
from firmograph.prospecting.engines.memory.postings import Postings
from firmograph.prospecting.engines.memory.segment import Space

Ints = npt.NDArray[np.int64]

_FIRST_CHUNK = 256
"""Of how many rows the order is worked out at first: most suggestions need no more."""
_PLACES = 1 << 32
"""Above every place and every position in a list."""


class Row(NamedTuple):
    """An entry that may be suggested; rows compare as they come: by volume, value, company."""

    order: int
    """The volume, negative. Of entries in general it may count unlisted documents until `listed` has seen it."""
    value: str
    company: int
    """Of company names: the number of the record, of which the entry is one name. Else 0."""
    held: int
    """The document of the company; or the place of a base entry, -1 for others."""


class Volumes:
    """The entries of one field, by the number of listed documents that hold each. Made and used under one lock."""

    def __init__(self, space: Space, field: str) -> None:
        self._documents = space.documents
        self._unlisted = space.unlisted()
        self._postings: Postings = space.texts[field].postings

    def descending(self, places: Ints, later: Iterable[str]) -> Iterator[Row]:
        """Entries, given by places of base ones and by value, in the order of rows; `listed` is yet to be asked."""
        postings = self._postings
        overridden = postings.overridden[places]
        named = sorted([*map(postings.lexicon.at, places[overridden].tolist()), *later])
        plain = self._plain(places[~overridden], postings.lexicon.at)
        return merge(plain, self._named(named), key=_order)

    def listed(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows, in order, with their exact volumes, those of no listed document left out.

        What is still to come holds no more than it says, so a row that says as much as is known to be true of an
        earlier one can wait for it.
        """
        waiting: list[Row] = []
        for row in rows:
            while waiting and _order(waiting[0]) < _order(row):
                yield heappop(waiting)
            order = self._listed(row)
            if order is not None:
                heappush(waiting, row._replace(order=order))
        while waiting:
            yield heappop(waiting)

    def _plain(self, places: Ints, value_of: Callable[[int], str]) -> Iterator[Row]:
        starts = self._postings.starts
        volumes = starts[places + 1].astype(np.int64) - starts[places]
        for at in _falling(volumes, places):
            place = int(places[at])
            yield Row(-int(volumes[at]), value_of(place), 0, place)

    def _named(self, values: list[str]) -> Iterator[Row]:
        count = self._postings.count
        return iter(sorted(Row(-count(value, self._unlisted), value, 0, -1) for value in values))

    def _listed(self, row: Row) -> int | None:
        """The exact order of a row, None if no listed document holds it."""
        if row.held < 0 or not self._unlisted:
            return row.order or None
        low, high = self._postings.starts[row.held : row.held + 2].tolist()
        held = bitmap(self._postings.documents[low:high])
        return -held.difference_cardinality(self._unlisted) or None


class CompanyVolumes(Volumes):
    """The names of companies, a row for each company that has the name, by how many living contacts it has."""

    def __init__(self, space: Space, field: str, staff: Staff) -> None:
        super().__init__(space, field)
        self._staff = staff

    def _plain(self, places: Ints, value_of: Callable[[int], str]) -> Iterator[Row]:
        starts = self._postings.starts
        holders = gather(starts, self._postings.documents, places)
        return self._rows(holders, np.repeat(places, starts[places + 1] - starts[places]), value_of)

    def _named(self, values: list[str]) -> Iterator[Row]:
        live = self._postings.live
        held = [live[value].to_array() for value in values]
        owners = np.repeat(np.arange(len(held)), list(map(len, held)))
        return self._rows(np.frombuffer(b"".join(held), dtype=np.uint32), owners, values.__getitem__)

    def _rows(
        self, holders: npt.NDArray[np.uint32], owners: Ints, value_of: Callable[[int], str]
    ) -> Iterator[Row]:
        companies = self._documents.numbers(holders)
        sizes = self._staff.sizes
        volumes = np.zeros(len(companies), dtype=np.int64)
        known = companies < len(sizes)
        volumes[known] = sizes[companies[known]]
        for at in _falling(volumes, owners):
            yield Row(-int(volumes[at]), value_of(int(owners[at])), int(companies[at]), int(holders[at]))

    def _listed(self, row: Row) -> int | None:
        return None if row.held in self._unlisted else row.order


def _order(row: Row) -> tuple[int, str]:
    return row.order, row.value


def _falling(volumes: Ints, owners: Ints) -> Iterator[int]:
    """Positions by falling volume, then by rising owner; only as many are put in order as are asked for."""
    keys = volumes * _PLACES + (_PLACES - 1 - owners)
    rest, size = np.arange(len(keys)), _FIRST_CHUNK
    while len(rest):
        first, rest = rest, rest[:0]
        if len(first) > size:
            parted = np.argpartition(keys[first], len(first) - size)
            first, rest = first[parted[-size:]], first[parted[:-size]]
        yield from first[np.argsort(keys[first])[::-1]].tolist()
        size *= 8
