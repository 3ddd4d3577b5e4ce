"""Edit distances from a typed word to every word of a dictionary at once.

An edit is an insertion, a deletion, a substitution or a swap of two neighbouring letters (optimal string
alignment). The distances are computed column by column for all words together, with one bit per typed letter (Myers
1999, with the transpositions of Hyyrö 2003). No word is decoded: 200,000 words take about ten milliseconds.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from firmograph.prospecting.engines.memory.lexicon import Lexicon

MAX_LETTERS = 32
"""Longer words are matched without edits."""
FAR = 255
"""Distance of every word beyond the limit."""

Distances = npt.NDArray[np.uint8]
_Bits = npt.NDArray[Any]


def distances(typed: str, words: Lexicon, limit: int, *, unfinished: bool) -> Distances:
    """Return the distance of each word up to `limit`, FAR beyond it.

    For an unfinished word, the distance is that of the nearest prefix of each word. A letter outside ASCII counts
    as several where the typed word has none.
    """
    result = np.full(len(words), FAR, dtype=np.uint8)
    if not len(words) or not typed or len(typed) > MAX_LETTERS:
        return result
    letters, ends = _letters(words, typed.isascii())
    starts = np.concatenate((ends[:1] * 0, ends[:-1]))
    sizes = ends - starts
    likely = sizes >= len(typed) - limit
    if not unfinished:
        likely &= sizes <= len(typed) + limit
    candidates = np.flatnonzero(likely)
    starts, sizes = starts[candidates], sizes[candidates]
    table = _Table(typed, len(candidates))
    for column in range(1, len(typed) + limit + 1):
        table.add(letters.take(starts + (column - 1), mode="clip"))
        if column >= len(typed) - limit:
            found = (sizes >= column if unfinished else sizes == column) & (table.distance <= limit)
            result[candidates[found]] = np.minimum(result[candidates[found]], table.distance[found])
        if column in (limit + 2, limit + 4):
            likely = table.least(column) <= limit
            table.keep(likely)
            candidates, starts, sizes = candidates[likely], starts[likely], sizes[likely]
    return result


def _letters(words: Lexicon, as_bytes: bool) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Return the concatenated letters of all words and the end of each word: bytes, or code points."""
    block = np.frombuffer(words.block, dtype=np.uint8)
    ends = words.ends.astype(np.int64)
    if as_bytes:
        return block, ends
    starts = np.concatenate(([0], np.cumsum((block & 0xC0) != 0x80)))
    return np.frombuffer(str(words.block, "utf-8").encode("utf-32-le"), dtype=np.uint32), starts[ends]


class _Table:
    """Current column of the distance tables of all words, as vertical steps with one bit per row."""

    def __init__(self, typed: str, words: int) -> None:
        kind: Any = np.uint16 if len(typed) <= 16 else np.uint32
        self._one, self._last = kind(1), kind(1 << (len(typed) - 1))
        self._rows = len(typed)
        self._bits = np.zeros(256 if typed.isascii() else 0x110000, dtype=kind)
        for row, letter in enumerate(typed):
            self._bits[ord(letter)] |= kind(1 << row)
        self._up: _Bits = np.full(words, -1).astype(kind)
        self._down, self._diagonal, self._match = (np.zeros(words, dtype=kind) for _ in range(3))
        self.distance = np.full(words, len(typed), dtype=np.uint8)
        """Last row: the distance from the typed word to the prefix of each word up to this column."""

    def add(self, letters: npt.NDArray[Any]) -> None:
        """Advance to the next column, given its letters."""
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
        """Return the smallest distance in the column. Later columns are never smaller."""
        distance = np.full(len(self.distance), column, dtype=np.int8)
        least = distance.copy()
        for row in range(self._rows):
            bit = self._one << row
            distance += (self._up & bit) != 0
            distance -= (self._down & bit) != 0
            np.minimum(least, distance, out=least)
        return least

    def keep(self, selected: npt.NDArray[np.bool_]) -> None:
        """Continue with the selected words only."""
        self._up, self._down = self._up[selected], self._down[selected]
        self._diagonal, self._match = self._diagonal[selected], self._match[selected]
        self.distance = self.distance[selected]
