"""Words of names in Latin letters, whatever their script, and how they sound.

Transliterations of one name differ by the language they were made for: Чернышев is Chernyshev, Tschernyschew and
Tchernychev. So the letters that languages write one sound with become one letter before two names are compared. Arabic
and Hebrew write few vowels; their names are compared by consonants alone.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Final

from anyascii import anyascii

_WITHOUT_VOWELS: Final = frozenset(("ARABIC", "HEBREW"))
_SPELLINGS: Final = (
    ("dsch", "J"), ("tsch", "C"), ("shch", "S"), ("sch", "S"), ("tch", "C"), ("dzh", "J"), ("dsh", "J"),
    ("sh", "S"), ("ch", "C"), ("zh", "J"), ("cz", "C"), ("sz", "S"), ("kh", "h"), ("gh", "g"), ("ph", "f"),
    ("th", "t"), ("dh", "d"), ("dj", "J"), ("tz", "s"), ("ts", "s"), ("ck", "k"), ("qu", "kv"), ("x", "ks"),
    ("ce", "se"), ("ci", "si"), ("cy", "si"), ("ou", "u"), ("oo", "u"), ("ee", "i"), ("c", "k"), ("q", "k"),
    ("w", "v"), ("z", "s"), ("y", "i"), ("j", "i"),
)  # fmt: skip
_SPELT: Final = dict(_SPELLINGS)
_spelling: Final = re.compile("|".join(spelling for spelling, _ in _SPELLINGS)).sub
_SOUNDS: Final = str.maketrans("pflSCJ", "bvrsss")
_VOWELS: Final = frozenset("aeiouh")


@lru_cache(maxsize=65_536)
def romanise(word: str) -> str:
    """Return a folded word in Latin letters without accents; itself if it has only those."""
    if word.isascii():
        return word
    return "".join(filter(str.isalnum, anyascii(word).lower())) or word


@lru_cache(maxsize=65_536)
def spelling_of(word: str) -> str:
    """Return a folded word in one spelling for all languages: equal for Iwanow, Ivanov and Иванов."""
    latin = romanise(word)
    if writes_no_vowels(word):
        latin = latin[0] + latin[1:].replace("w", "u").replace("y", "i")
    spelt = _spelling(lambda found: _SPELT[found[0]], latin)
    return "".join(letter for letter, _ in groupby(spelt))


@lru_cache(maxsize=65_536)
def consonants_of(word: str) -> str:
    """Return the sounds of a folded word's consonants, `mmd` of Muhammad and محمد; a vowel at the front is an `a`."""
    spelt = spelling_of(word).translate(_SOUNDS)
    letters = ["a" if spelt[0] in _VOWELS - {"h"} else spelt[0]]
    letters += [letter for letter in spelt[1:] if letter not in _VOWELS]
    return "".join(letter for letter, _ in groupby(letters))


def writes_no_vowels(word: str) -> bool:
    """Return whether a word is of a script that writes few vowels."""
    return not word.isascii() and unicodedata.name(word[0], "").split(" ")[0] in _WITHOUT_VOWELS
