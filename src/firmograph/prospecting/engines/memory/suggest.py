"""Suggestions: the entries of a field that a text, typed so far, may be the beginning of (decisions E, Values).

Groups follow one another, each by volume, then by value: entries that begin with the whole text; entries of whose
words each word of the text begins one; the same with one edit in words of 4 letters and more; with two in words of 8
and more.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.prospecting.engines.fields import COMPANY_NAME
from firmograph.prospecting.engines.memory.arrays import gather
from firmograph.prospecting.engines.memory.edits import Distances, distances
from firmograph.prospecting.engines.memory.employment import Staff
from firmograph.prospecting.engines.memory.facet_counts import CompanyVolumes, Row, Volumes
from firmograph.prospecting.engines.memory.lexicon import Lexicon
from firmograph.prospecting.engines.memory.prefixes import (
    may_begin,
    may_begin_texts,
    starting,
)
from firmograph.prospecting.engines.memory.segment import Space
from firmograph.prospecting.engines.port import Suggestion
from firmograph.prospecting.indexing.analysis import entry_words, forgiven_edits, whole, words

_MOST_COMPARED = 5_000
"""Of how many entries, those of the largest volumes, the first group is chosen: reading them takes time."""

Reading = tuple[str, ...]
"""Words, each of which is to begin a word of an entry."""


class Typed(NamedTuple):
    """A word that was typed. The last may be unfinished: its edits are counted to the beginnings of words."""

    word: str
    last: bool

    @property
    def edits(self) -> int:
        """How many are forgiven."""
        return forgiven_edits(self.word)


class Near(NamedTuple):
    """The words of a field that are nearly a word that was typed."""

    base: Distances
    """How far each base word is."""
    later: dict[str, int]
    """How far those of the later words are that are near."""


class Asked:
    """What was typed, and the ways to read it."""

    def __init__(self, field: str, text: str) -> None:
        self.whole = whole(text)
        head, _, tail = self.whole.rpartition(" ")
        self.readings = _different(
            words(text), entry_words(field, text), (*entry_words(field, head), *words(tail))
        )
        """As it is; as an entry, where names lose legal forms and single letters are joined; and as an entry whose
        last word is not yet known for either (`u.s. s`, the beginning of US Steel)."""
        self.openings = _different(words(head), entry_words(field, head))
        """The finished words alone: an entry may go on with one that is none of its words (`bank o`, `acme in`)."""
        self.forgiven = [each for reading in self.readings for each in typed(reading) if each.edits]


def _different(*readings: Reading) -> list[Reading]:
    return [reading for reading in dict.fromkeys(readings) if reading]


def typed(reading: Reading) -> list[Typed]:
    return [Typed(word, place == len(reading)) for place, word in enumerate(reading, 1)]


def suggest(
    space: Space, staff: Staff, lock: threading.Lock, field: str, text: str, most: int
) -> list[Suggestion]:
    """At most so many, of one state of the index, which changes under the lock.

    Edits take longest to count, so that is done without the lock: a base never changes, and of later words there is
    a copy; one that comes after it waits for the next suggestion to be near anything.
    """
    asked = Asked(field, text)
    roots = space.texts[field].words
    with lock:
        found = _Search(space, staff, field, asked, {}).first(most)
        if len(found) >= most or not asked.forgiven:
            return found
        later = roots.later_words().copy()
    dictionary = Lexicon.of(later)
    near = {each: _near(each, roots.derived, dictionary) for each in asked.forgiven}
    with lock:
        return _Search(space, staff, field, asked, near).first(most)


def _near(one: Typed, base: Lexicon, later: Lexicon) -> Near:
    far = distances(one.word, later, one.edits, unfinished=one.last)
    near = {later.at(place): int(far[place]) for place in np.flatnonzero(far <= one.edits).tolist()}
    return Near(distances(one.word, base, one.edits, unfinished=one.last), near)


class Found(NamedTuple):
    """Entries of a field: of each base one, whether it is found, and the later ones that are."""

    base: npt.NDArray[np.bool_]
    later: set[str]


class _Search:
    def __init__(
        self, space: Space, staff: Staff, field: str, asked: Asked, near: Mapping[Typed, Near]
    ) -> None:
        self._texts = space.texts[field]
        self._words = self._texts.words
        self._names = self._texts.postings.lexicon
        names = field == COMPANY_NAME
        self._volumes = CompanyVolumes(space, field, staff) if names else Volumes(space, field)
        self._asked = asked
        self._near = near

    def first(self, most: int) -> list[Suggestion]:
        return [
            Suggestion(row.value, -row.order, row.company or None)
            for row in islice(self._different_rows(), max(most, 0))
        ]

    def _different_rows(self) -> Iterator[Row]:
        """Each entry, or each company, where it comes first."""
        seen = set[int | str]()
        for group in self._groups():
            for row in self._volumes.listed(group):
                if (row.company or row.value) not in seen:
                    seen.add(row.company or row.value)
                    yield row

    def _groups(self) -> Iterator[Iterator[Row]]:
        begun = self._any([self._all(reading, 0) for reading in self._asked.readings])
        yield self._beginning_with_all(begun)
        yield self._rows(begun)
        for edits in range(1, max((each.edits for each in self._near), default=0) + 1):
            yield self._rows(self._any([self._all(reading, edits) for reading in self._asked.readings]))

    def _rows(self, found: Found) -> Iterator[Row]:
        return self._volumes.descending(np.flatnonzero(found.base), found.later)

    def _beginning_with_all(self, begun: Found) -> Iterator[Row]:
        asked = self._asked.whole
        base, later = [np.flatnonzero(begun.base)], set(begun.later)
        for opening in self._asked.openings:
            more, newer = self._texts.places_of_words(opening)
            base.append(more[~begun.base[more]])
            later |= newer
        likely = may_begin(self._names, np.concatenate(base), asked)
        rows = self._volumes.descending(likely, may_begin_texts(later, asked))
        for row in islice(rows, _MOST_COMPARED):
            if whole(row.value).startswith(asked):
                yield row

    def _any(self, each: Sequence[Found]) -> Found:
        base = np.zeros(len(self._names), dtype=np.bool_)
        for found in each:
            base |= found.base
        return Found(base, set[str]().union(*(found.later for found in each)))

    def _all(self, reading: Reading, edits: int) -> Found:
        """The entries that have a word for each of a reading's, with as many edits, or fewer, as are forgiven it."""
        each = [self._like(one, edits) for one in typed(reading)]
        base = each[0].base
        for found in each[1:]:
            base &= found.base
        return Found(base, set.intersection(*(found.later for found in each)))

    def _like(self, one: Typed, edits: int) -> Found:
        """The entries that have a word that begins like this one, or nearly so."""
        roots = self._words
        span = roots.derived.starting(one.word)
        base = np.zeros(len(self._names), dtype=np.bool_)
        base[roots.places[roots.starts[span.start] : roots.starts[span.stop]]] = True
        later = starting(roots.later_words(), one.word)
        if edits and one in self._near:
            near, few = self._near[one], min(edits, one.edits)
            base[gather(roots.starts, roots.places, np.flatnonzero(near.base <= few))] = True
            later += [word for word, far in near.later.items() if far <= few]
        return Found(base, set[str]().union(*map(roots.later, later)))
