"""Names of companies held for finding those alike, by character trigrams weighted by their rarity.

Answers depend on the held names alone, never on the order in which they came: two indexes of one content answer alike.
"""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

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
    """Names with the companies that bear them."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        """Words of each name; empty where none is held any more."""
        self._numbers = array("q")
        self._sizes = array("i")
        """Trigrams of each name."""
        self._countries: list[str] = []
        self._stubs: list[bool] = []
        self._slots: dict[int, array[int]] = {}
        """Places of each company's names."""
        self._free: list[int] = []
        self._postings: dict[str, array[int]] = {}
        self._frequency: dict[str, int] = {}
        """Names with each word."""

    def __len__(self) -> int:
        return len(self._texts) - len(self._free)

    @property
    def companies(self) -> int:
        return len(self._slots)

    def put(
        self, number: int, forms: Iterable[NameForm], country: str = "", *, is_stub: bool = False
    ) -> None:
        """Hold the names of a company in place of those that were held of it."""
        self.remove(number)
        given = {(form.text[:_LONGEST].rstrip(), form.country or country) for form in forms if form.words}
        if given:
            slots = (self._add(number, *each, is_stub) for each in sorted(given))
            self._slots[number] = array("i", slots)

    def remove(self, number: int) -> None:
        """Forget a company."""
        for slot in self._slots.pop(number, ()):
            text = self._texts[slot]
            for gram in trigrams(text):
                self._postings[gram].remove(slot)
                if not self._postings[gram]:
                    del self._postings[gram]
            for word in set(text.split()):
                self._frequency[word] -= 1
                if not self._frequency[word]:
                    del self._frequency[word]
            self._texts[slot], self._countries[slot] = "", ""
            self._free.append(slot)

    def _add(self, number: int, text: str, country: str, is_stub: bool) -> int:
        grams = trigrams(text)
        slot = self._free.pop() if self._free else self._new_slot()
        self._texts[slot], self._numbers[slot], self._sizes[slot] = text, number, len(grams)
        self._countries[slot], self._stubs[slot] = country, is_stub
        for gram in grams:
            postings = self._postings.get(gram)
            if postings is None:
                self._postings[gram] = array("i", (slot,))
            else:
                postings.append(slot)
        for word in set(text.split()):
            self._frequency[word] = self._frequency.get(word, 0) + 1
        return slot

    def _new_slot(self) -> int:
        self._texts.append("")
        self._numbers.append(0)
        self._sizes.append(0)
        self._countries.append("")
        self._stubs.append(False)
        return len(self._texts) - 1

    def rarity(self, word: str) -> float:
        """Return the weight of a word, from about 1 for the commonest to that of one that no name has."""
        return 1.0 + math.log((len(self) + 1) / (self._frequency.get(word, 0) + 1))

    def bearers(self, word: str) -> int:
        """Return how many names have a word."""
        return self._frequency.get(word, 0)

    def nearest(self, form: NameForm) -> list[HeldName]:
        """Return the names with the largest common weight of trigrams for their lengths."""
        found = sorted(
            (
                (len(postings), gram, postings)
                for gram in trigrams(form.text[:_LONGEST])
                if (postings := self._postings.get(gram)) is not None
            ),
            key=lambda each: each[:2],
        )
        slots, weights, read = [], [], 0
        for size, _, postings in found:
            read += size
            if slots and read > _MOST_POSTINGS:
                break
            slots.append(np.frombuffer(postings, dtype=np.intc))
            weights.append(np.full(size, math.log((len(self) + 1) / size)))
        if not slots:
            return []
        common = np.bincount(np.concatenate(slots), np.concatenate(weights))
        return [self._held(slot) for slot in self._nearest(common)]

    def _nearest(self, common: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Sequence[int]:
        """Return the places with the largest weights for the lengths of their names; of equal ones the older."""
        # names far below the best cannot be answered; leaving them out saves sorting thousands of them
        chosen = np.flatnonzero(common >= _LEAST_SHARE * common.max())
        shares = common[chosen] ** 2 / np.frombuffer(self._sizes, dtype=np.intc)[chosen]
        if len(chosen) > CANDIDATES:
            least = np.partition(shares, -CANDIDATES)[-CANDIDATES]
            chosen = chosen[shares >= least - 1e-9]
        places = [int(slot) for slot in chosen]
        if len(places) > CANDIDATES:
            places.sort(key=lambda slot: (self._numbers[slot], self._texts[slot]))
        return places[: 2 * CANDIDATES]

    def _held(self, slot: int) -> HeldName:
        country = self._countries[slot]
        form = NameForm(tuple(self._texts[slot].split()), country)
        return HeldName(self._numbers[slot], form, country, self._stubs[slot])

    def names(self) -> Iterator[tuple[int, list[HeldName]]]:
        """Yield every company with its names, by number."""
        for number in sorted(self._slots):
            yield number, [self._held(slot) for slot in self._slots[number]]


def trigrams(text: str) -> set[str]:
    """Return the trigrams of the words of a name, with the ends of words."""
    padded = f" {text} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
