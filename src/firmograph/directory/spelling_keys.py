"""Keys by which a person is found whose name is spelt otherwise than in the record.

A contact is stored under the blocking keys of its last name (`names.py`), so a wrong consonant there hides it. A query
therefore asks for every block one letter apart from its own, for the halves of a word that may be two, and for the
words together; nothing more is stored for it. A name in another script than the Latin one has two keys of its own, for
the consonants of each part in Latin letters. Compared with other ways in docs/matching.md#keys-for-other-spellings.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from firmograph.directory.given_names import LONG, is_initial
from firmograph.directory.names import (
    PARTICLES,
    blocking_key,
    name_words,
    stored_blocking_keys,
    without_brackets,
    without_generation,
)
from firmograph.directory.romanisation import consonants_of, romanise

MOST_KEYS: Final = 320
"""Limit of the keys of a query."""
_FIRST: Final = "1:"
_LAST: Final = "2:"
"""No folded word has a colon, so these keys never meet blocking keys."""
_CONSONANTS: Final = "bdfgjklmnprstvx"
"""Letters of blocks behind the first one."""
_LETTERS: Final = _CONSONANTS + "aeiouhy"
_HALF: Final = 3
"""Fewest letters of a word that was joined to another one."""


def stored_spelling_keys(first: str, last: str) -> tuple[str, ...]:
    """Return the keys of a stored contact in another script, none in Latin letters or without a part of the name."""
    given, family = _given_word(first), _family_word(last)
    if not given or not family or (given.isascii() and family.isascii()):
        return ()
    return _FIRST + consonants_of(given), _LAST + consonants_of(family)


def query_spelling_keys(first: str, last: str) -> list[str]:
    """Return the keys of a query, the likeliest first."""
    given, family = _given_word(first), _family_word(last)
    if not given or not family:
        return []
    parts = [consonants_of(part) for part in (given, family)]
    keys = [_FIRST + parts[0], _LAST + parts[1], _FIRST + parts[1], _LAST + parts[0]]
    word = romanise(family)
    block = blocking_key(word)
    keys.append(block)
    if len(word) >= LONG - 1 and len(block) > 1:
        keys += (
            blocking_key(half)
            for at in range(_HALF, len(word) - _HALF + 1)
            for half in (word[:at], word[at:])
        )
        keys += _blocks_nearby(block)
    return list(dict.fromkeys(keys))[:MOST_KEYS]


def stored_name_keys(first: str, last: str) -> list[str]:
    """Return all keys of a stored contact's name at its employer."""
    return [*stored_blocking_keys(first, last), *stored_spelling_keys(first, last)]


def _blocks_nearby(block: str) -> Iterator[str]:
    """Yield the blocks that a name has whose block came from it by one letter left out, added, replaced or moved."""
    for at in range(len(block) + 1):
        front, back, letters = block[:at], block[at:], _CONSONANTS if at else _LETTERS
        yield from (front + letter + back for letter in letters)
        if back:
            yield front + back[1:]
            yield from (front + letter + back[1:] for letter in letters)
        if len(back) > 1:
            yield front + back[1] + back[0] + back[2:]


@lru_cache(maxsize=65_536)
def _given_word(first: str) -> str:
    """Return the first word of a first name that is no initial."""
    words = without_generation(name_words(without_brackets(first))) if first else []
    return next((word for word in words if not is_initial(word)), "")


@lru_cache(maxsize=65_536)
def _family_word(last: str) -> str:
    """Return a last name without generation and particles as one word."""
    words = without_generation(name_words(last)) if last else []
    return "".join([word for word in words if word not in PARTICLES] or words)
