"""How well words fit languages, by which letters follow each other.

The statistics in `data/letter_statistics.tsv` are written by scripts/build_letter_statistics.py.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

END = "."
"""Stands for the beginning and the end of a word."""
SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
"""Costs in the file, from 0 to `MAX_COST`."""
MAX_COST = 16.0
_FOREIGN = 12.0
"""Cost of a letter that a language does not have."""
_FOREIGN_ASCII = 7.0
_USUAL = 3.0
"""Cost of the other letters of a word that has a foreign one."""


class Letters(NamedTuple):
    """Costs of one language; a cost is the negative logarithm of a probability."""

    single: dict[str, float]
    fallback: dict[str, float]
    """Cost, after each letter, of any pair that is not in `pairs`."""
    pairs: dict[str, float]

    def cost(self, word: str) -> float:
        """Return the cost of a word in lower case."""
        if foreign := set(word) - self.single.keys():
            ascii_letters = sum(map(str.isascii, foreign))
            return (
                _FOREIGN * (len(foreign) - ascii_letters)
                + _FOREIGN_ASCII * ascii_letters
                + _USUAL * (len(word) - len(foreign))
            )
        total = 0.0
        for first, second in pairwise(f"{END}{word}{END}"):
            found = self.pairs.get(first + second)
            if found is None:
                found = self.fallback[first] + self.single[second]
            total += found
        return total


def fold_case(word: str) -> str:
    """Return a word in lower case with as many letters."""
    return word.replace("İ", "i").lower()


@cache
def letters_of(language: str) -> Letters:
    """Return the costs of a language's pairs of letters."""
    single: dict[str, float] = {}
    fallback: dict[str, float] = {}
    pairs: dict[str, float] = {}
    for row in _rows()[language]:
        first = row[0]
        single[first] = _cost(row[1])
        fallback[first] = _cost(row[2])
        pairs |= {first + second: _cost(symbol) for second, symbol in _pairs(row[3:])}
    return Letters(single, fallback, pairs)


@cache
def characters_of(language: str) -> dict[str, float]:
    """Return the costs of a language's single characters."""
    (row,) = _rows()[language]
    return {character: _cost(symbol) for character, symbol in _pairs(row[1:])}


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    return zip(text[::2], text[1::2], strict=True)


def _cost(symbol: str) -> float:
    return SYMBOLS.index(symbol) * MAX_COST / (len(SYMBOLS) - 1)


@cache
def _rows() -> dict[str, list[str]]:
    table = (files(__package__) / "data" / "letter_statistics.tsv").read_text("utf-8")
    lines = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return {language: rows for language, *rows in lines}
