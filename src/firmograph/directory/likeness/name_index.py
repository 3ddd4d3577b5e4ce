"""Names of companies held for finding those alike, by character trigrams weighted by their rarity.

Answers depend on the held names alone, never on the order in which they came: two indexes of one content answer alike.
"""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.directory.likeness.spellings import NameForm

CANDIDATES: Final = 24
"""Names of the largest common weight for their length that are scored."""
_MOST_POSTINGS: Final = 20_000
"""Names read for a query, those of its rarest trigrams first; the commonest trigrams only break ties."""
_LEAST_SHARE: Final = 0.4
"""Share of the largest common weight that a name needs to be scored."""
_LONGEST: Final = 120
"""Characters of a name that are compared."""


class HeldName(NamedTuple):
    """One name of a company."""

    number: int
    form: NameForm
    country: str
    """ISO code of the country in the name, else of the company; empty if unknown."""
    is_stub: bool
    """Whether the company is known from other records alone."""


class NameIndex:
    """Names with the companies that bear them.

    Places of forgotten names stay in the lists of trigrams, without their text, until the index is built again.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        """Words of each name; empty for a forgotten one."""
        self._numbers = array("q")
        self._sizes = array("i")
        """Trigrams of each name."""
        self._countries: list[str] = []
        self._stubs: list[bool] = []
        self._places: dict[int, array[int]] = {}
        """Places of each company's names."""
        self._forgotten = array("i")
        self._postings: dict[str, array[int]] = {}
        self._counts: dict[str, int] = {}
        """Names that are held with each trigram."""
        self._frequency: dict[str, int] = {}
        """Names that are held with each word."""

    def __len__(self) -> int:
        return len(self._texts) - len(self._forgotten)

    @property
    def dead_share(self) -> float:
        """Share of the places, 0 to 1, whose names are forgotten."""
        return len(self._forgotten) / max(1, len(self._texts))

    def put(
        self, number: int, forms: Iterable[NameForm], country: str = "", *, is_stub: bool = False
    ) -> None:
        """Hold the names of a company in place of those that were held of it."""
        given = sorted(
            {(form.text[:_LONGEST].rstrip(), form.country or country) for form in forms if form.words}
        )
        held = self._places.get(number, ())
        if given == [(self._texts[place], self._countries[place]) for place in held] and all(
            self._stubs[place] == is_stub for place in held
        ):
            return
        self.remove(number)
        self._places[number] = array("i", (self._add(number, *each, is_stub) for each in given))

    def remove(self, number: int) -> None:
        """Forget a company."""
        for place in self._places.pop(number, ()):
            text = self._texts[place]
            for gram in trigrams(text):
                self._counts[gram] -= 1
                if not self._counts[gram]:
                    del self._counts[gram], self._postings[gram]
            for word in set(text.split()):
                self._frequency[word] -= 1
                if not self._frequency[word]:
                    del self._frequency[word]
            self._texts[place], self._countries[place] = "", ""
            self._forgotten.append(place)

    def _add(self, number: int, text: str, country: str, is_stub: bool) -> int:
        grams = trigrams(text)
        place = len(self._texts)
        self._texts.append(text)
        self._numbers.append(number)
        self._sizes.append(len(grams))
        self._countries.append(country)
        self._stubs.append(is_stub)
        for gram in grams:
            postings = self._postings.get(gram)
            if postings is None:
                postings = self._postings[gram] = array("i")
            postings.append(place)
            self._counts[gram] = self._counts.get(gram, 0) + 1
        for word in set(text.split()):
            self._frequency[word] = self._frequency.get(word, 0) + 1
        return place

    def rarity(self, word: str) -> float:
        """Return the weight of a word, from about 1 for the commonest to that of one that no name has."""
        return 1.0 + math.log((len(self) + 1) / (self._frequency.get(word, 0) + 1))

    def bearers(self, word: str) -> int:
        """Return how many names have a word."""
        return self._frequency.get(word, 0)

    def nearest(self, form: NameForm) -> list[HeldName]:
        """Return the names with the largest common weight of trigrams for their lengths."""
        asked = (gram for gram in trigrams(form.text[:_LONGEST]) if gram in self._counts)
        found = sorted(asked, key=lambda gram: (self._counts[gram], gram))
        places: list[npt.NDArray[np.intc]] = []
        weights: list[npt.NDArray[np.float64]] = []
        read = 0
        for gram in found:
            read += self._counts[gram]
            if places and read > _MOST_POSTINGS:
                break
            places.append(np.frombuffer(self._postings[gram], dtype=np.intc))
            weights.append(np.full(len(places[-1]), math.log((len(self) + 1) / self._counts[gram])))
        if not places:
            return []
        size = len(self._texts)
        common = np.asarray(
            np.bincount(np.concatenate(places), np.concatenate(weights), size), dtype=np.float64
        )
        common[np.frombuffer(self._forgotten, dtype=np.intc)] = 0.0
        return [self._held(place) for place in self._largest(common)]

    def _largest(self, common: npt.NDArray[np.float64]) -> Sequence[int]:
        """Return the places with the largest weights for the lengths of their names; of equal ones the older."""
        # names far below the best cannot be answered; leaving them out saves sorting thousands of them
        chosen = np.flatnonzero(common >= max(_LEAST_SHARE * common.max(), 1e-9))
        shares = common[chosen] ** 2 / np.frombuffer(self._sizes, dtype=np.intc)[chosen]
        if len(chosen) > CANDIDATES:
            least = np.partition(shares, -CANDIDATES)[-CANDIDATES]
            chosen = chosen[shares >= least - 1e-9]
        places = [int(place) for place in chosen]
        if len(places) > CANDIDATES:
            places.sort(key=lambda place: (self._numbers[place], self._texts[place]))
        return places[: 2 * CANDIDATES]

    def _held(self, place: int) -> HeldName:
        country = self._countries[place]
        form = NameForm(tuple(self._texts[place].split()), country)
        return HeldName(self._numbers[place], form, country, self._stubs[place])

    def names(self) -> Iterator[tuple[int, list[HeldName]]]:
        """Yield every company with its names, by number."""
        for number in sorted(self._places):
            yield number, [self._held(place) for place in self._places[number]]


def trigrams(text: str) -> set[str]:
    """Return the trigrams of the words of a name, with the ends of words."""
    padded = f" {text} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
