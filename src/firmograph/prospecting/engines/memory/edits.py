"""How many edits each word of a dictionary is away from a word that was typed, for all of its words at once.

An edit is a letter too many, too few, wrong, or two neighbours swapped (optimal string alignment). The distances are
worked out column by column for every word together, one bit for each letter typed (Myers 1999, with the swaps of
Hyyrö 2003), which needs no text of any word: 200,000 words take about ten milliseconds.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firmograph.prospecting.engines.memory.lexicon import Lexicon

MOST_LETTERS = 32
"""Longer words are not looked for with edits."""
FAR = 255
"""Stands for any distance above the one that was asked for."""

Distances = npt.NDArray[np.uint8]
_Bits = npt.NDArray[Any]


def distances(typed: str, words: Lexicon, most: int, *, unfinished: bool) -> Distances:
    """The distance of each word up to `most`, FAR beyond; for an unfinished word, that of the nearest beginning.

    A letter outside ASCII counts as several where the word that was typed has none.
    """
    found = np.full(len(words), FAR, dtype=np.uint8)
    if not len(words) or not typed or len(typed) > MOST_LETTERS:
        return found
    letters, ends = _letters(words, typed.isascii())
    starts = np.concatenate((ends[:1] * 0, ends[:-1]))
    sizes = ends - starts
    likely = sizes >= len(typed) - most
    if not unfinished:
        likely &= sizes <= len(typed) + most
    places = np.flatnonzero(likely)
    starts, sizes = starts[places], sizes[places]
    table = _Table(typed, len(places))
    for column in range(1, len(typed) + most + 1):
        table.add(letters.take(starts + (column - 1), mode="clip"))
        if column >= len(typed) - most:
            hit = (sizes >= column if unfinished else sizes == column) & (table.distance <= most)
            found[places[hit]] = np.minimum(found[places[hit]], table.distance[hit])
        if column in (most + 2, most + 4):
            kept = table.least(column) <= most
            table.keep(kept)
            places, starts, sizes = places[kept], starts[kept], sizes[kept]
    return found


def _letters(words: Lexicon, plain: bool) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """The letters of all words one after the other, and where each word ends: bytes if plain, else code points."""
    block = np.frombuffer(words.block, dtype=np.uint8)
    ends = words.ends.astype(np.int64)
    if plain:
        return block, ends
    begun = np.concatenate(([0], np.cumsum((block & 0xC0) != 0x80)))
    return np.frombuffer(str(words.block, "utf-8").encode("utf-32-le"), dtype=np.uint32), begun[ends]


class _Table:
    """The tables of distances of all words, of which one column is held: the steps down it, a bit for each row."""

    def __init__(self, typed: str, words: int) -> None:
        kind: Any = np.uint16 if len(typed) <= 16 else np.uint32
        self._one, self._last = kind(1), kind(1 << (len(typed) - 1))
        self._rows = len(typed)
        self._bits = np.zeros(256 if typed.isascii() else 0x110000, dtype=kind)
        for place, letter in enumerate(typed):
            self._bits[ord(letter)] |= kind(1 << place)
        self._up: _Bits = np.full(words, -1).astype(kind)
        self._down, self._diagonal, self._match = (np.zeros(words, dtype=kind) for _ in range(3))
        self.distance = np.full(words, len(typed), dtype=np.uint8)
        """The last row: how far the beginning of each word, up to this column, is from what was typed."""

    def add(self, letters: npt.NDArray[Any]) -> None:
        """Go on to the next column, that of these letters."""
        one, up, match = self._one, self._up, self._bits[letters]
        swapped = ((~self._diagonal & match) << one) & self._match
        diagonal = (((match & up) + up) ^ up) | match | self._down | swapped
        right, left = self._down | ~(diagonal | up), diagonal & up
        self.distance += (right & self._last) != 0
        self.distance -= (left & self._last) != 0
        right, left = (right << one) | one, left << one
        self._up, self._down = left | ~(diagonal | right), right & diagonal
        self._diagonal, self._match = diagonal, match

    def least(self, column: int) -> npt.NDArray[np.int8]:
        """The least distance in the column: none in a later one is less."""
        held = np.full(len(self.distance), column, dtype=np.int8)
        least = held.copy()
        for row in range(self._rows):
            place = self._one << row
            held += (self._up & place) != 0
            held -= (self._down & place) != 0
            np.minimum(least, held, out=least)
        return least

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Go on with these words only."""
        self._up, self._down = self._up[kept], self._down[kept]
        self._diagonal, self._match = self._diagonal[kept], self._match[kept]
        self.distance = self.distance[kept]
