"""How usual signs are next to letters, digits and blanks, for the choice of an encoding.

Signs are told from letters by what stands beside them: a degree sign follows a number, a trade mark a word.
"""

import unicodedata
from typing import NamedTuple

UNDECODABLE = 18.0
"""Cost of bytes without meaning and of control characters, which no program writes into a text."""
RARE = 13.0
_MISPLACED = 7.0

_EDGE, _LETTER, _DIGIT = "e", "l", "d"


class _Place(NamedTuple):
    cost: float
    before: str
    """Kinds of characters that it may follow."""
    after: str


_PLACES: dict[str, _Place] = {
    **dict.fromkeys("“„‘‚«‹", _Place(6.0, "e", "eld")),
    **dict.fromkeys("¿¡", _Place(6.5, "e", "eld")),
    **dict.fromkeys("”»›", _Place(6.0, "eld", "e")),
    "’": _Place(5.0, "eld", "eld"),
    "…": _Place(6.0, "eld", "e"),
    **dict.fromkeys("®™", _Place(5.5, "eld", "e")),
    "©": _Place(5.5, "eld", "eld"),
    "°": _Place(5.0, "eld", "eld"),
    **dict.fromkeys("ªº", _Place(6.5, "eld", "ed")),
    **dict.fromkeys("²³", _Place(5.5, "ld", "el")),
    "¹": _Place(8.0, "ld", "e"),
    **dict.fromkeys("½¼¾", _Place(6.0, "ed", "e")),
    "±": _Place(6.0, "ed", "ed"),
    "×": _Place(6.0, "eld", "eld"),
    "µ": _Place(6.5, "ed", "eld"),
    "€": _Place(4.5, "ed", "ed"),
    "£": _Place(5.5, "ed", "ed"),
    **dict.fromkeys("¥§", _Place(7.0, "ed", "ed")),
    "№": _Place(5.5, "e", "ed"),
    "–": _Place(5.0, "eld", "eld"),
    "—": _Place(5.5, "eld", "eld"),
    "·": _Place(6.0, "eld", "eld"),
    "•": _Place(5.5, "e", "e"),
    "\xa0": _Place(5.5, "eld", "eld"),
}
_CONNECTING = "–—×"
"""Signs that stand between two words or numbers, or apart."""
_ORDINALS = "ªº"
_LONGEST_ORDINAL = 3
"""Letters of the longest usual abbreviation before a raised letter, as in `Sr.ª` and `Nº`."""
SIGN_LETTERS = "ªºµ"
"""Signs that count as letters in Unicode."""


def sign_cost(sign: str, before: str, after: str) -> float:
    """Return the cost of a sign between the texts around it, up to the next blanks."""
    if sign == "\ufffd" or unicodedata.category(sign) == "Cc":
        return UNDECODABLE
    first, second = _kind(before[-1:]), _kind(after[:1])
    place = _PLACES.get(sign)
    if place is None:
        return RARE + _MISPLACED * (_LETTER in (first, second))
    fits = first in place.before and second in place.after
    if sign in _CONNECTING:
        fits = (first == _EDGE) == (second == _EDGE)
    elif sign in _ORDINALS and fits and first != _EDGE:
        fits = before.isdigit() or (before.isalpha() and len(before) <= _LONGEST_ORDINAL)
    return place.cost + _MISPLACED * (not fits)


def _kind(character: str) -> str:
    if character.isdecimal():
        return _DIGIT
    return _LETTER if character.isalpha() and character not in SIGN_LETTERS else _EDGE
