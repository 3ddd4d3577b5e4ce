"""How usual texts in characters of two bytes and more are, for the choice of an encoding."""

import re
from collections.abc import Sequence
from functools import cache

from firmograph.ingest.reading.encoding_signs import UNDECODABLE
from firmograph.ingest.reading.letter_statistics import characters_of

IDEOGRAPHIC = {
    "cp932": "Japanese",
    "euc_jp": "Japanese",
    "cp949": "Korean",
    "gb18030": "Chinese, simplified",
    "cp950": "Chinese, traditional",
}

_ASCII = 3.0
_BOUNDARY = 5.0
_LONE = 6.0
"""Cost of a single character where words have several."""
_WORD = 1.0
_RUN = re.compile(r"[^\x00-\x7f]+")


def ideographic_costs(encoding: str, texts: Sequence[str]) -> list[float]:
    """Return the cost of each text."""
    known = characters_of(IDEOGRAPHIC[encoding])
    return [
        sum(_character_cost(character, encoding, known) for character in text)
        + sum(_run_cost(found, encoding) for found in _RUN.finditer(text))
        for text in texts
    ]


def _run_cost(found: re.Match[str], encoding: str) -> float:
    """Return the cost of a run as a word next to what stands around it."""
    run, text = found[0], found.string
    around = text[max(found.start() - 1, 0) : found.start()] + text[found.end() : found.end() + 1]
    cost = _WORD + _BOUNDARY * sum(map(str.isalpha, around))
    if len(run) > 1 and any(map(_is_of_words, run)):
        return cost
    if not _is_of_words(run[0]) or "\uff66" <= run <= "\uff9f":
        # a mark, or a half-width letter, that belongs to no word
        return cost + 2 * _LONE
    # the second byte of the character may be a letter of its own
    glued = any(map(str.isalnum, around)) or run.encode(encoding, "replace")[-1:].isalpha()
    return cost + _LONE * glued


def _is_of_words(character: str) -> bool:
    return character.isalpha() and ord(character) >= 0x3040


def _character_cost(character: str, encoding: str, known: dict[str, float]) -> float:
    if character.isascii():
        return _ASCII
    if character == "\ufffd" or "\x80" <= character < "\xa0":
        return UNDECODABLE
    if character in known:
        return known[character]
    if "\uff66" <= character <= "\uff9f":
        return 6.5
    if _is_of_words(character):
        return 10.5 if _is_common(character, encoding) else 14.0
    return 7.0 if "\u3000" <= character <= "\u303f" or "\uff00" <= character <= "\uff65" else 14.0


@cache
def _is_common(character: str, encoding: str) -> bool:
    """Return whether a character is of the first level of its standard."""
    standard, last = {
        "Japanese": ("euc_jp", 0xCF),
        "Korean": ("euc-kr", 0xC8),
        "Chinese, simplified": ("gb2312", 0xD7),
        "Chinese, traditional": ("big5", 0xC6),
    }[IDEOGRAPHIC[encoding]]
    code = character.encode(standard, "ignore")
    return len(code) == 2 and code[0] <= last
