"""Suggestions: values of a field that complete a partially typed text.

See docs/reference/filters.md#suggestions.

Groups follow one another, each by count, then by value: values that begin with the whole text; values where each word
of the text begins a word of the value; the same with one edit in words of at least 4 letters; with two edits in words
of at least 8 letters.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.prospecting.engines.memory.arrays import gather
from firmograph.prospecting.engines.memory.edits import Distances, distances
from firmograph.prospecting.engines.memory.facet_counts import Facet, FacetCounts
from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.prefixes import (
    may_have_prefix,
    texts_may_have_prefix,
    with_prefix,
)
from firmograph.prospecting.engines.memory.texts import Texts
from firmograph.prospecting.engines.port import Suggestion
from firmograph.prospecting.indexing.analysis import allowed_edits, text_words, whole, words

_MAX_COMPARED = 5_000
"""Values with the largest counts from which the first group is chosen; reading more takes too long."""

Interpretation = tuple[str, ...]
"""Words, each of which has to begin a word of the value."""


class TypedWord(NamedTuple):
    """A typed word. The last one may be unfinished and is compared with the beginnings of words."""

    word: str
    last: bool

    @property
    def edits(self) -> int:
        """Number of edits allowed."""
        return allowed_edits(self.word)


class SimilarWords(NamedTuple):
    """Words of a field within the allowed edits of a typed word."""

    base: Distances
    """Distance of each base word."""
    added: dict[str, int]
    """Distances of the added words within the limit."""


class SuggestRequest:
    """The typed text and its interpretations."""

    def __init__(self, field: str, text: str) -> None:
        self.whole = whole(text)
        head, _, tail = self.whole.rpartition(" ")
        self.interpretations = _distinct(
            words(text), text_words(field, text), (*text_words(field, head), *words(tail))
        )
        """The text as plain words; as a value of the field, where names lose legal forms and single letters are
        joined; and as a value with an undecided last word (`u.s. s`, the beginning of US Steel)."""
        self.finished_words = _distinct(words(head), text_words(field, head))
        """The finished words alone: the unfinished one may be no word of the value (`bank o`, `acme in`)."""
        self.fuzzy_words = [
            each
            for interpretation in self.interpretations
            for each in typed_words(interpretation)
            if each.edits
        ]


def _distinct(*interpretations: Interpretation) -> list[Interpretation]:
    return [each for each in dict.fromkeys(interpretations) if each]


def typed_words(interpretation: Interpretation) -> list[TypedWord]:
    return [TypedWord(word, number == len(interpretation)) for number, word in enumerate(interpretation, 1)]


def suggest(
    texts: Texts, facets: Callable[[], FacetCounts], lock: threading.Lock, field: str, text: str, limit: int
) -> list[Suggestion]:
    """Return at most `limit` suggestions from one state of the index, which changes only under the lock.

    `facets` counts the values of the field as they are when it is called.

    Edit distances take longest and are computed without the lock: base words never change, and added words are
    copied. A word added after the copy is matched without edits only.
    """
    request = SuggestRequest(field, text)
    term_index = texts.words
    with lock:
        found = _Search(texts, facets(), request, {}).first(limit)
        if len(found) >= limit or not request.fuzzy_words:
            return found
        added = term_index.added_terms().copy()
    dictionary = Lexicon.from_sorted(added)
    similar = {each: _similar(each, term_index.terms, dictionary) for each in request.fuzzy_words}
    with lock:
        return _Search(texts, facets(), request, similar).first(limit)


def _similar(typed: TypedWord, base: Lexicon, added: Lexicon) -> SimilarWords:
    far = distances(typed.word, added, typed.edits, unfinished=typed.last)
    near = {added.at(ordinal): int(far[ordinal]) for ordinal in np.flatnonzero(far <= typed.edits).tolist()}
    return SimilarWords(distances(typed.word, base, typed.edits, unfinished=typed.last), near)


class _Matches(NamedTuple):
    """Matching values of a field: a mask over the base values, and the added values."""

    base: npt.NDArray[np.bool_]
    added: set[str]


class _Search:
    def __init__(
        self,
        texts: Texts,
        counts: FacetCounts,
        request: SuggestRequest,
        similar: Mapping[TypedWord, SimilarWords],
    ) -> None:
        self._texts = texts
        self._words = self._texts.words
        self._names = self._texts.postings.lexicon
        self._counts = counts
        self._request = request
        self._similar = similar

    def first(self, limit: int) -> list[Suggestion]:
        return [
            Suggestion(facet.value, -facet.order, facet.company or None)
            for facet in islice(self._distinct_facets(), max(limit, 0))
        ]

    def _distinct_facets(self) -> Iterator[Facet]:
        """Yield each value, or each company, at its first occurrence."""
        seen = set[int | str]()
        for group in self._groups():
            for facet in self._counts.listed(group):
                if (facet.company or facet.value) not in seen:
                    seen.add(facet.company or facet.value)
                    yield facet

    def _groups(self) -> Iterator[Iterator[Facet]]:
        exact = self._any([self._all(each, 0) for each in self._request.interpretations])
        yield self._with_whole_prefix(exact)
        yield self._facets(exact)
        for edits in range(1, max((each.edits for each in self._similar), default=0) + 1):
            yield self._facets(self._any([self._all(each, edits) for each in self._request.interpretations]))

    def _facets(self, matches: _Matches) -> Iterator[Facet]:
        return self._counts.descending(np.flatnonzero(matches.base), matches.added)

    def _with_whole_prefix(self, exact: _Matches) -> Iterator[Facet]:
        prefix = self._request.whole
        base, added = [np.flatnonzero(exact.base)], set(exact.added)
        for finished in self._request.finished_words:
            more, more_added = self._texts.texts_with_words(finished)
            base.append(more[~exact.base[more]])
            added |= more_added
        likely = may_have_prefix(self._names, np.concatenate(base), prefix)
        facets = self._counts.descending(likely, texts_may_have_prefix(added, prefix))
        for facet in islice(facets, _MAX_COMPARED):
            if whole(facet.value).startswith(prefix):
                yield facet

    def _any(self, each: Sequence[_Matches]) -> _Matches:
        base = np.zeros(len(self._names), dtype=np.bool_)
        for matches in each:
            base |= matches.base
        return _Matches(base, set[str]().union(*(matches.added for matches in each)))

    def _all(self, interpretation: Interpretation, edits: int) -> _Matches:
        """Return the values that match each word with at most `edits` edits, or fewer where fewer are allowed."""
        each = [self._matching(typed, edits) for typed in typed_words(interpretation)]
        base = each[0].base
        for matches in each[1:]:
            base &= matches.base
        return _Matches(base, set.intersection(*(matches.added for matches in each)))

    def _matching(self, typed: TypedWord, edits: int) -> _Matches:
        """Return the values with a word that begins with the typed word, within so many edits."""
        index = self._words
        span = index.terms.with_prefix(typed.word)
        base = np.zeros(len(self._names), dtype=np.bool_)
        base[index.ordinals[index.starts[span.start] : index.starts[span.stop]]] = True
        added = with_prefix(index.added_terms(), typed.word)
        if edits and typed in self._similar:
            similar, allowed = self._similar[typed], min(edits, typed.edits)
            base[gather(index.starts, index.ordinals, np.flatnonzero(similar.base <= allowed))] = True
            added += [word for word, distance in similar.added.items() if distance <= allowed]
        return _Matches(base, set[str]().union(*map(index.added_texts, added)))
