"""The documents that hold each value of one field.

Values of few documents lie together in one sorted block (*base*, four bytes a document), which never changes;
those of many documents, and every value that changed since, have a bitmap of their own (*live*), which then is the
whole truth about that value.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import EMPTY, Documents, bitmap, gather, starts_of, union
from firmograph.prospecting.engines.memory.lexicon import Lexicon


def dense_from(documents: int) -> int:
    """From how many documents on a value gets a bitmap: below, its containers cost more than they save."""
    return max(64, documents // 4096)


class Postings:
    """Values of one field, and which documents hold each."""

    def __init__(
        self,
        lexicon: Lexicon,
        starts: npt.NDArray[np.uint32],
        documents: Documents,
        live: dict[str, BitMap],
    ) -> None:
        self.lexicon = lexicon
        self.starts = starts
        """Where the documents of each base value begin, and at the end where the last one's end."""
        self.documents = documents
        self.live = live
        self._starts = starts.data
        self._overridden = np.zeros(len(lexicon), dtype=np.bool_)
        """Which base values have a bitmap."""
        self._added: set[str] = set()
        """The values that are not in the base."""
        for value in live:
            self._override(value)

    @classmethod
    def empty(cls) -> "Postings":
        return cls.of({}, 1)

    @classmethod
    def of(cls, held: Mapping[str, npt.NDArray[np.uint32]], dense: int) -> "Postings":
        """From the documents of each value, in rising order."""
        values = sorted(held)
        live = {value: bitmap(held[value]) for value in values if len(held[value]) >= dense}
        sparse = [held[value] if value not in live else held[value][:0] for value in values]
        together = np.concatenate(sparse) if sparse else np.zeros(0, dtype=np.uint32)
        starts = starts_of(list(map(len, sparse)))
        return cls(Lexicon.of(values), starts, together.astype(np.uint32, copy=False), live)

    def get(self, value: str) -> BitMap:
        """The documents of a value; not to be changed by the caller."""
        held = self.live.get(value)
        if held is not None:
            return held
        place = self.lexicon.find(value)
        return EMPTY if place is None else self._base(place)

    def any_of(self, values: Iterable[str]) -> BitMap:
        """The documents of any of the values."""
        found, places = [], []
        for value in values:
            held = self.live.get(value)
            if held is not None:
                found.append(held)
            elif (place := self.lexicon.find(value)) is not None:
                places.append(place)
        return self._together(found, np.array(places, dtype=np.int64))

    def at_places(self, places: npt.NDArray[np.int64]) -> BitMap:
        """The documents of any of the base values at these places."""
        bitmaps = self._overridden[places]
        found = [self.live[self.lexicon.at(place)] for place in places[bitmaps].tolist()]
        return self._together(found, places[~bitmaps])

    def starting(self, prefix: str) -> BitMap:
        """The documents of any value that begins like this."""
        found = [held for value, held in self.live.items() if value.startswith(prefix)]
        places = np.array(self.lexicon.starting(prefix), dtype=np.int64)
        return self._together(found, places[~self._overridden[places]])

    def in_stretches(self, stretches: Iterable[tuple[str, str]]) -> BitMap:
        """The documents of any value from a first one on and before a second one, in the order of code points."""
        added, found, places = sorted(self._added), [EMPTY], [np.zeros(0, dtype=np.int64)]
        for low, high in stretches:
            places.append(np.array(self.lexicon.between(low, high), dtype=np.int64))
            found += map(self.live.__getitem__, added[bisect_left(added, low) : bisect_left(added, high)])
        return union([*found, self.at_places(np.concatenate(places))])

    def values(self) -> Iterator[str]:
        """Every value, base ones first; some may have no document left."""
        yield from self.lexicon
        yield from self._added

    @property
    def overridden(self) -> npt.NDArray[np.bool_]:
        """Of each base value, whether it has a bitmap."""
        return self._overridden

    def added(self) -> frozenset[str]:
        """The values that are not in the base."""
        return frozenset(self._added)

    def count(self, value: str, dead: BitMap) -> int:
        """How many living documents hold a value."""
        return self.get(value).difference_cardinality(dead)

    def add(self, value: str, document: int) -> bool:
        """One more document for a value; whether no document had it before."""
        held = self.live.get(value)
        if held is None:
            held = self._made_live(value)
            held.add(document)
            return value in self._added
        held.add(document)
        return False

    def change(self, value: str, change: Callable[[BitMap], object]) -> None:
        """Change the bitmap of a value in place."""
        held = self.live.get(value)
        change(held if held is not None else self._made_live(value))

    def _base(self, place: int) -> BitMap:
        return bitmap(self.documents[self._starts[place] : self._starts[place + 1]])

    def _together(self, found: list[BitMap], places: npt.NDArray[np.int64]) -> BitMap:
        if len(places):
            # sorted first: a bitmap takes ten times as long to take up documents in any order
            found.append(bitmap(np.sort(gather(self.starts, self.documents, places))))
        return union(found)

    def _made_live(self, value: str) -> BitMap:
        place = self._override(value)
        held = self.live[value] = BitMap() if place is None else self._base(place)
        return held

    def _override(self, value: str) -> int | None:
        place = self.lexicon.find(value)
        if place is None:
            self._added.add(value)
        else:
            self._overridden[place] = True
        return place
