"""Fields of entries: whole texts, found by what they are as a whole and by the words of one of them.

Keys and words are worked out once for each different text, not for each record that has it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.memory.arrays import gather, union
from firmograph.prospecting.memory.lexicon import Lexicon
from firmograph.prospecting.memory.postings import Postings

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

    @classmethod
    def of(cls, texts: Iterable[str], derive: Derive) -> "Roots":
        roots = defaultdict[str, list[int]](list)
        for place, text in enumerate(texts):
            for derived in set(derive(text)):
                roots[derived].append(place)
        values = sorted(roots)
        starts = np.zeros(len(values) + 1, dtype=np.uint32)
        starts[1:] = np.cumsum([len(roots[value]) for value in values], dtype=np.uint64)
        flat = [place for value in values for place in roots[value]]
        return cls(Lexicon.of(values), starts, np.array(flat, dtype=np.uint32))

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
        texts = list(postings.lexicon)
        return cls(postings, Roots.of(texts, key_of), Roots.of(texts, words_of), key_of, words_of)

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
