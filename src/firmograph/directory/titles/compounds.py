"""Rank and departments of a compound, by its last part and its first: "Vertriebs-leiter", "Salgs-chef"."""

from functools import lru_cache
from typing import NamedTuple

from firmograph.directory.titles.tables import NO_MEANING, RANKS, Compounds, Meaning, Rank

_SHORTEST = 5
"""Letters of the shortest compound."""
_TAIL, _START = 4, 3
"""Letters of the shortest last part and the shortest first part."""
_SHORTEST_BEGINNING = 5
"""Letters of a first part that counts without a known last part, as English words may begin alike."""


class CompoundMeaning(NamedTuple):
    rank: Rank | None
    departments: Meaning


_NOTHING = CompoundMeaning(None, NO_MEANING)


class CompoundReader:
    """Reader of compounds; keeps the answers for the words it met."""

    def __init__(self, compounds: Compounds) -> None:
        self._compounds = compounds
        self._tails = {part[-_TAIL:] for part in compounds.ranks.keys() | compounds.endings.keys()}
        self._starts = {part[:_START] for part in compounds.beginnings}
        self.read = lru_cache(maxsize=32_768)(self._read)

    def _read(self, word: str) -> CompoundMeaning:
        """Return what the parts of a word tell, also of its feminine form."""
        if len(word) < _SHORTEST or not word.isalpha():
            return _NOTHING
        found = self._read_form(word)
        masculine = self._read_form(word[:-2]) if word.endswith("in") else _NOTHING
        return masculine if masculine.rank and not found.rank else found if found != _NOTHING else masculine

    def _read_form(self, word: str) -> CompoundMeaning:
        rank = ending = None
        for start in range(2, len(word) - _TAIL + 1) if word[-_TAIL:] in self._tails else ():
            part = word[start:]
            if rank is None and (found := self._compounds.ranks.get(part)):
                rank = self._rank(found, word[:start])
            if ending is None:
                ending = self._compounds.endings.get(part)
        beginning = self._beginning(word, shortest=3 if rank or ending else _SHORTEST_BEGINNING)
        if not (rank or ending or beginning):
            return _NOTHING
        known = [meaning for meaning in (ending, beginning) if meaning]
        strong = next((meaning.strong for meaning in known if meaning.strong), ())
        weak = next((meaning.weak for meaning in known if meaning.weak), ())
        return CompoundMeaning(rank, Meaning(strong, weak))

    def _beginning(self, word: str, shortest: int) -> Meaning | None:
        for end in range(len(word) - 1, shortest - 1, -1) if word[:_START] in self._starts else ():
            if meaning := self._compounds.beginnings.get(word[:end]):
                return meaning
        return None

    def _rank(self, rank: Rank, first: str) -> Rank:
        """Return Director for the head of a function, Manager for that of a team or site."""
        if not rank.is_head:
            return rank
        functional = first not in self._compounds.small and self._beginning(f"{first} ", 3) is not None
        return Rank(RANKS["Director" if functional else "Manager"])
