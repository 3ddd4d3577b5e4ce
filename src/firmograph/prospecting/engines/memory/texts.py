"""Text fields: whole texts, searchable by their keys and by their words.

Keys and words are derived once per distinct text, not once per record.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import islice

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import to_offsets, union
from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.postings import Postings

Derive = Callable[[str], tuple[str, ...]]
"""Derives the keys, or the words, of a text."""

TextSet = tuple[npt.NDArray[np.int64], set[str]]
"""Some texts of a field: ordinals of base texts in ascending order, and added texts."""


class TermIndex:
    """Inverted index from derived terms (keys or words) to texts."""

    def __init__(
        self, terms: Lexicon, starts: npt.NDArray[np.uint32], ordinals: npt.NDArray[np.uint32]
    ) -> None:
        self.terms = terms
        self.starts = starts
        self.ordinals = ordinals
        """Ordinals of the base texts, grouped by term and ascending within each group."""
        self.added: defaultdict[str, set[str]] = defaultdict(set)
        """Added texts by term."""
        self._sorted: list[str] = []

    def add(self, text: str, terms: Iterable[str]) -> None:
        for term in terms:
            self.added[term].add(text)

    def base_texts(self, term: str) -> npt.NDArray[np.int64]:
        """Return the ordinals of the base texts with a term, ascending."""
        ordinal = self.terms.find(term)
        if ordinal is None:
            return np.zeros(0, dtype=np.int64)
        return self.ordinals[self.starts[ordinal] : self.starts[ordinal + 1]].astype(np.int64)

    def added_texts(self, term: str) -> set[str]:
        return self.added.get(term, set())

    def added_terms(self) -> list[str]:
        """Return the terms of added texts, sorted. Call it with the lock of the engine held.

        Terms are never removed, so the list is kept and only new terms are sorted in.
        """
        if len(self._sorted) < len(self.added):
            self._sorted.extend(islice(self.added, len(self._sorted), None))
            self._sorted.sort()
        return self._sorted


class _TermIndexBuilder:
    """Collects terms as pairs of numbers; a list per term would take far more memory."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._terms = array("I")
        self._ordinals = array("I")

    def add(self, ordinal: int, terms: Iterable[str]) -> None:
        for term in set(terms):
            self._terms.append(self._numbers.setdefault(term, len(self._numbers)))
            self._ordinals.append(ordinal)

    def build(self) -> TermIndex:
        values = sorted(self._numbers)
        in_order = np.empty(len(values), dtype=np.uint32)
        in_order[[self._numbers[value] for value in values]] = np.arange(len(values), dtype=np.uint32)
        terms = in_order[np.array(self._terms, dtype=np.uint32)]
        ordinals = np.array(self._ordinals, dtype=np.uint32)[np.argsort(terms, kind="stable")]
        starts = to_offsets(np.bincount(terms, minlength=len(values)))
        return TermIndex(Lexicon.from_sorted(values), starts, ordinals)


class Texts:
    """One text field."""

    def __init__(
        self, postings: Postings, keys: TermIndex, words: TermIndex, derive_keys: Derive, derive_words: Derive
    ) -> None:
        self.postings = postings
        self.keys = keys
        self.words = words
        self._derive_keys = derive_keys
        self._derive_words = derive_words
        for text in postings.added():
            self._index_text(text)

    @classmethod
    def from_values(
        cls,
        values: Mapping[str, npt.NDArray[np.uint32]],
        threshold: int,
        derive_keys: Derive,
        derive_words: Derive,
    ) -> "Texts":
        postings = Postings.from_values(values, threshold)
        keys, words = _TermIndexBuilder(), _TermIndexBuilder()
        for ordinal, text in enumerate(postings.lexicon):
            # keys right before words: both share expensive steps, whose results are cached for a short time
            keys.add(ordinal, derive_keys(text))
            words.add(ordinal, derive_words(text))
        return cls(postings, keys.build(), words.build(), derive_keys, derive_words)

    @classmethod
    def empty(cls, derive_keys: Derive, derive_words: Derive) -> "Texts":
        return cls.from_values({}, 1, derive_keys, derive_words)

    def _index_text(self, text: str) -> None:
        """Add the keys and words of a text outside the base."""
        self.keys.add(text, self._derive_keys(text))
        self.words.add(text, self._derive_words(text))

    def add(self, text: str, document: int) -> None:
        if self.postings.add(text, document):
            self._index_text(text)

    def texts_with_key(self, key: str) -> TextSet:
        return self.keys.base_texts(key), self.keys.added_texts(key)

    def texts_with_words(self, words: Sequence[str]) -> TextSet:
        """Return the texts that have all of the words."""
        each = sorted((self.words.base_texts(word) for word in words), key=len)
        base = reduce(lambda common, more: np.intersect1d(common, more, assume_unique=True), each)
        return base, set.intersection(*(self.words.added_texts(word) for word in words))

    def documents_with(self, texts: TextSet, postings: Postings | None = None) -> BitMap:
        """Return the documents of texts, from this field's postings or from others over the same texts."""
        base, added = texts
        searched = postings or self.postings
        if searched is self.postings:
            return union([searched.documents_of_ordinals(base), searched.any_value(added)])
        return searched.any_value([*map(self.postings.lexicon.at, base.tolist()), *added])
