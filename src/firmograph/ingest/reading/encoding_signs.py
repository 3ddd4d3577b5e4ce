"""How usual signs are next to letters, digits and blanks, for the choice of an encoding.

What stands next to them tells signs from letters: a degree sign follows a number, a trade mark a word.
"""

import unicodedata
from typing import NamedTuple

UNDECODABLE = 18.0
"""Cost of bytes without meaning and of control characters, which no program writes into a text."""
_RARE = 13.0
_MISPLACED = 7.0

_EDGE, _LETTER, _DIGIT = "e", "l", "d"


class _Usage(NamedTuple):
    cost: float
    before: str
    """Kinds of characters that it may follow."""
    after: str


_USAGES: dict[str, _Usage] = {
    **dict.fromkeys("“‘«‹”»›", _Usage(6.0, "eld", "eld")),
    "„": _Usage(6.0, "e", "eld"),
    "‚": _Usage(9.0, "e", "eld"),
    **dict.fromkeys("¿¡", _Usage(6.5, "e", "ld")),
    "’": _Usage(5.0, "eld", "eld"),
    "´": _Usage(7.5, "eld", "eld"),
    "…": _Usage(6.0, "eld", "e"),
    **dict.fromkeys("®™", _Usage(5.5, "eld", "e")),
    "©": _Usage(6.0, "eld", "ed"),
    "°": _Usage(5.0, "eld", "eld"),
    **dict.fromkeys("ªº", _Usage(6.0, "eld", "ed")),
    **dict.fromkeys("²³", _Usage(5.5, "ld", "el")),
    "¹": _Usage(8.0, "ld", "e"),
    "½": _Usage(6.0, "ed", "e"),
    **dict.fromkeys("¼¾", _Usage(7.0, "ed", "e")),
    "±": _Usage(6.0, "ed", "ed"),
    "×": _Usage(6.0, "eld", "eld"),
    "µ": _Usage(6.5, "ed", "eld"),
    "€": _Usage(4.5, "ed", "ed"),
    "£": _Usage(5.5, "ed", "ed"),
    "¥": _Usage(7.0, "ed", "ed"),
    "¢": _Usage(7.5, "d", "e"),
    "§": _Usage(7.0, "e", "ed"),
    "№": _Usage(5.5, "e", "ed"),
    "–": _Usage(5.0, "eld", "eld"),
    "—": _Usage(5.5, "eld", "eld"),
    "·": _Usage(5.5, "eld", "eld"),
    "•": _Usage(5.5, "e", "e"),
    "\xa0": _Usage(5.5, "eld", "eld"),
}
_CONNECTING = "–—×"
"""Signs that stand between two words or numbers, or apart."""
_RAISED = "°ªº²³¹"
"""Signs that follow numbers and abbreviations, as in `m²`, `Nº` and `H²O`."""
_LONGEST_ABBREVIATION = 3
_DIGITS = "0123456789"
_OF_NAMES = "®™"
"""Signs that follow names."""
_JOINING = "’´\xa0"
_PARTICLE = 2
"""Letters of most words that an apostrophe shortens."""
_OPENING = "“‘«‹"
_CLOSING = "”»›"
_OF_WORDS = "“‘‹”›„…®™ªº"
"""Signs that seldom stand between blanks."""
_UNUSUAL = 3.0
_APART = 2.0
SIGN_LETTERS = "ªºµ"
"""Signs that count as letters in Unicode."""


def sign_cost(sign: str, before: str, after: str) -> float:
    """Return the cost of a sign between the texts around it, up to the next blanks."""
    if sign == "\ufffd" or unicodedata.category(sign) == "Cc":
        return UNDECODABLE
    first, second = _kind(before[-1:]), _kind(after[:1])
    usage = _USAGES.get(sign)
    if usage is None:
        return _RARE + _MISPLACED * (_LETTER in (first, second))
    return usage.cost + _context_cost(sign, usage, before, after)


def _context_cost(sign: str, usage: _Usage, before: str, after: str) -> float:
    first, second = _kind(before[-1:]), _kind(after[:1])
    if first not in usage.before or second not in usage.after:
        return _MISPLACED
    if sign in _CONNECTING:
        apart = (first == _EDGE) + (second == _EDGE)
        return _MISPLACED * (apart == 1) + _UNUSUAL * (first == second == _LETTER)
    if sign in _OF_WORDS and first == second == _EDGE:
        return _APART
    if sign in _OPENING or sign in _CLOSING:
        # some languages open with the marks that others close with
        turned = first != _EDGE if sign in _OPENING else first == _DIGIT or second != _EDGE
        return _UNUSUAL * turned if _EDGE in (first, second) else _MISPLACED
    if sign in _RAISED:
        stem = before.lstrip(_DIGITS)
        follows = not stem or (stem.isalpha() and len(stem) <= _LONGEST_ABBREVIATION)
        return _MISPLACED * (not follows or (second == _LETTER and len(after) > 1))
    if sign in _OF_NAMES:
        return _UNUSUAL * (not any(map(str.isalpha, before)))
    if sign in _JOINING and first == second == _LETTER and after[0].islower():
        return _MISPLACED * (sign == "\xa0" or min(len(before), len(after)) > _PARTICLE)
    return 0.0


def _kind(character: str) -> str:
    if character.isdecimal():
        return _DIGIT
    return _LETTER if character.isalpha() and character not in SIGN_LETTERS else _EDGE
