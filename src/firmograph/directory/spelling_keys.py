"""Keys by which a person is found whose name is spelt otherwise than in the record.

Blocking keys (`names.py`) find a last name by its consonants, so that a wrong consonant hides it. A contact has one key
more, for the consonants of its first name, and a name in another script than the Latin one has a third, for those of
its last name in Latin letters. An error in one part of a name leaves the key of the other part. One key more a contact
was cheaper than the keys of all names that lack a letter (docs/matching.md#keys-for-other-spellings).
"""

from functools import lru_cache
from typing import Final

from firmograph.directory.given_names import is_initial
from firmograph.directory.names import (
    PARTICLES,
    name_words,
    stored_blocking_keys,
    without_brackets,
    without_generation,
)
from firmograph.directory.nicknames import own_forms_of
from firmograph.directory.romanisation import consonants_of

_FIRST: Final = "1:"
_LAST: Final = "2:"
"""No folded word has a colon, so these keys never meet blocking keys."""


def stored_spelling_keys(first: str, last: str) -> tuple[str, ...]:
    """Return the keys of a stored contact: one in Latin letters, two in other ones, none without a first name."""
    given, family = _given_word(first), _family_word(last)
    if not given or not family:
        return ()
    keys = [_FIRST + consonants_of(given)]
    if not given.isascii() or not family.isascii():
        keys.append(_LAST + consonants_of(family))
    return tuple(keys)


def query_spelling_keys(first: str, last: str) -> list[str]:
    """Return the keys of a query: those of both parts in either order, and of the first name's other forms."""
    given, family = _given_word(first), _family_word(last)
    if not given or not family:
        return []
    parts = [consonants_of(part) for part in (given, family)]
    forms = [_FIRST + consonants_of(form) for form in sorted(own_forms_of(given))]
    keys = [_FIRST + parts[0], _LAST + parts[1], _FIRST + parts[1], _LAST + parts[0], *forms]
    return list(dict.fromkeys(keys))[:MOST_KEYS]


MOST_KEYS: Final = 16
"""Limit of the keys of a query."""


def stored_name_keys(first: str, last: str) -> list[str]:
    """Return all keys of a stored contact's name at its employer."""
    return [*stored_blocking_keys(first, last), *stored_spelling_keys(first, last)]


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
