"""Rules of departments and seniority over the phrases and compounds of a set of tables."""

from collections.abc import Callable

from firmograph.directory.titles.compounds import CompoundReader
from firmograph.directory.titles.tables import NO_MEANING, NO_RANK, RANKS, Meaning, Rank, TitleTables
from firmograph.directory.titles.words import Words, title_words, without_office, without_superior

MAX_DEPARTMENTS = 3
_NOTHING, _PARTNER, _DIRECTOR, _C_SUITE = 0, RANKS["Partner"], RANKS["Director"], RANKS["C-Suite"]
_NOBODY = frozenset[int]()
_GENERAL_MANAGEMENT = "General Management"
_AFTER_PARTNER = frozenset(", and of at in for".split())
_OFFICE = frozenset("assistant secretary aide office advisor adviser liaison".split())
_OFFICER_WITHIN = 7
"""Number of words after "chief" that may include "officer": Chief Information Security and Privacy Officer."""


class TitleRules:
    """Rules over a set of tables."""

    def __init__(self, tables: TitleTables, read_words: Callable[[str], Words] = title_words) -> None:
        self._tables = tables
        self._read_words = read_words
        self._read_compound = CompoundReader(tables.compounds).read

    def departments(self, title: str) -> tuple[str, ...] | None:
        """Return up to three departments in the title's order, () if no phrase decides; None for an empty title."""
        words = without_superior(self._read_words(title))
        if not words:
            return None
        found = self.find_departments(words)
        decisive = found.strong or sorted(found.weak, key=_GENERAL_MANAGEMENT.__eq__)
        return tuple(dict.fromkeys((*decisive, *found.also)))[:MAX_DEPARTMENTS]

    def find_departments(self, words: Words) -> Meaning:
        """Return the departments that the words name, each kind in the title's order."""
        kinds: tuple[list[str], ...] = ([], [], [])
        others = self._title_of_others(words)
        position = 0
        while position < len(words):
            entry = self._tables.departments.at(words, position)
            found = entry.meaning if entry else self._read_compound(words[position]).departments
            if found is not NO_MEANING:
                for kind, departments in zip(kinds, found, strict=True):
                    kind += [
                        one for one in departments if position not in others or one != _GENERAL_MANAGEMENT
                    ]
            position += len(entry.words) if entry else 1
        return Meaning(*(tuple(dict.fromkeys(kind)) for kind in kinds))

    def rank(self, title: str) -> int | None:
        """Return the highest rank of the person's own, 0 if no phrase has one; None for an empty title."""
        words = without_office(without_superior(self._read_words(title)))
        if not words:
            return None
        highest = _C_SUITE if _is_chief_officer(words) else _NOTHING
        others = self._title_of_others(words)
        position = 0
        while position < len(words):
            if position in others:
                highest = max(highest, RANKS["Non-Manager"])
                position += 1
                continue
            entry = self._tables.seniorities.at(words, position)
            found = entry.meaning if entry else self._rank_of_word(words, position)
            position += len(entry.words) if entry else 1
            if found is NO_RANK:
                continue
            if found.decisive:
                return found.rank
            rank = self._rank_of_head(words) if found.is_head else found.rank
            if rank > highest and not (
                rank == _C_SUITE and position < len(words) and words[position] in _OFFICE
            ):
                highest = rank
        return highest

    def _rank_of_word(self, words: Words, position: int) -> Rank:
        if words[position] == "partner":
            follows = words[position + 1] if position + 1 < len(words) else ","
            return Rank(_PARTNER) if follows in _AFTER_PARTNER else NO_RANK
        return self._read_compound(words[position]).rank or NO_RANK

    def _rank_of_head(self, words: Words) -> int:
        """Return Director for "Leitung Logistik", Manager for "Leitung" alone."""
        found = self.find_departments(words)
        functions = {*found.strong, *found.weak} - {_GENERAL_MANAGEMENT, "Other"}
        return _DIRECTOR if functions else RANKS["Manager"]

    def _title_of_others(self, words: Words) -> frozenset[int]:
        """Return the positions after a word for an assistant, up to the next separator."""
        if not self._tables.assistants.may_be_in(words):
            return _NOBODY
        found: set[int] = set()
        for position, _ in enumerate(words):
            if position in found:
                continue
            if self._tables.assistants.at(words, position):
                end = words.index(",", position) if "," in words[position:] else len(words)
                found.update(range(position, end))
        return frozenset(found)


def _is_chief_officer(words: Words) -> bool:
    if "chief" not in words:
        return False
    after = words[words.index("chief") + 1 :][:_OFFICER_WITHIN]
    return "officer" in (after[: after.index(",")] if "," in after else after)
