"""Fields of entries: whole texts, found by what they are as a whole and by the words of one of them.

Keys and words are worked out once for each different text, not for each record that has it.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import islice

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import gather, starts_of, union
from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.postings import Postings

Derive = Callable[[str], tuple[str, ...]]


class Roots:
    """From what is derived of texts (their keys, or their words) back to the texts."""

    def __init__(
        self, derived: Lexicon, starts: npt.NDArray[np.uint32], places: npt.NDArray[np.uint32]
    ) -> None:
        self.derived = derived
        self.starts = starts
        self.places = places
        """The places of the base texts, those of each derived text together in rising order."""
        self.added: defaultdict[str, set[str]] = defaultdict(set)
        """The same for texts that came later."""
        self._sorted: list[str] = []

    def add(self, text: str, derived: Iterable[str]) -> None:
        for each in derived:
            self.added[each].add(text)

    def base(self, derived: str) -> npt.NDArray[np.int64]:
        """The places of the base texts of which this is derived, rising."""
        place = self.derived.find(derived)
        if place is None:
            return np.zeros(0, dtype=np.int64)
        return self.places[self.starts[place] : self.starts[place + 1]].astype(np.int64)

    def base_any(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The places of the base texts of which any of the derived texts at these places is derived, rising."""
        return np.unique(gather(self.starts, self.places, places)).astype(np.int64)

    def later(self, derived: str) -> set[str]:
        return self.added.get(derived, set())

    def later_words(self) -> list[str]:
        """What is derived of texts that came later, sorted; asked for under the lock of the index.

        It only ever grows, so the list is kept and what is new is sorted into it.
        """
        if len(self._sorted) < len(self.added):
            self._sorted.extend(islice(self.added, len(self._sorted), None))
            self._sorted.sort()
        return self._sorted


class _Rooted:
    """What is derived of texts, as they come, in pairs of numbers: a list for each derived text takes far more."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._derived = array("I")
        self._places = array("I")

    def add(self, place: int, derived: Iterable[str]) -> None:
        for each in set(derived):
            self._derived.append(self._numbers.setdefault(each, len(self._numbers)))
            self._places.append(place)

    def roots(self) -> Roots:
        values = sorted(self._numbers)
        in_order = np.empty(len(values), dtype=np.uint32)
        in_order[[self._numbers[value] for value in values]] = np.arange(len(values), dtype=np.uint32)
        derived = in_order[np.array(self._derived, dtype=np.uint32)]
        places = np.array(self._places, dtype=np.uint32)[np.argsort(derived, kind="stable")]
        return Roots(Lexicon.of(values), starts_of(np.bincount(derived, minlength=len(values))), places)


class Texts:
    """One field of entries."""

    def __init__(
        self, postings: Postings, keys: Roots, words: Roots, key_of: Derive, words_of: Derive
    ) -> None:
        self.postings = postings
        self.keys = keys
        self.words = words
        self._key_of = key_of
        self._words_of = words_of
        for text in postings.added():
            self._know(text)

    @classmethod
    def of(
        cls, held: Mapping[str, npt.NDArray[np.uint32]], dense: int, key_of: Derive, words_of: Derive
    ) -> "Texts":
        postings = Postings.of(held, dense)
        keys, words = _Rooted(), _Rooted()
        for place, text in enumerate(postings.lexicon):
            # one right after the other: much of the work on a text is the same for both, and kept that long
            keys.add(place, key_of(text))
            words.add(place, words_of(text))
        return cls(postings, keys.roots(), words.roots(), key_of, words_of)

    @classmethod
    def empty(cls, key_of: Derive, words_of: Derive) -> "Texts":
        return cls.of({}, 1, key_of, words_of)

    def _know(self, text: str) -> None:
        """Derive keys and words of a text that is not in the base."""
        self.keys.add(text, self._key_of(text))
        self.words.add(text, self._words_of(text))

    def add(self, text: str, document: int) -> None:
        if self.postings.add(text, document):
            self._know(text)

    def places_of_key(self, key: str) -> tuple[npt.NDArray[np.int64], set[str]]:
        """The base places, and the later texts, whose key this is."""
        return self.keys.base(key), self.keys.later(key)

    def places_of_words(self, words: Sequence[str]) -> tuple[npt.NDArray[np.int64], set[str]]:
        """The base places, and the later texts, that have all of these words."""
        each = sorted((self.words.base(word) for word in words), key=len)
        base = reduce(lambda held, more: np.intersect1d(held, more, assume_unique=True), each)
        return base, set.intersection(*(self.words.later(word) for word in words))

    def find(self, found: tuple[npt.NDArray[np.int64], set[str]], postings: Postings | None = None) -> BitMap:
        """The documents of texts, in this field's postings or in others over the same texts."""
        base, later = found
        held = postings or self.postings
        if held is self.postings:
            return union([held.at_places(base), held.any_of(later)])
        return held.any_of([*map(self.postings.lexicon.at, base.tolist()), *later])
