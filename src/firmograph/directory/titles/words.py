"""Words of job titles."""

import re
import unicodedata
from functools import lru_cache

Words = tuple[str, ...]

_MARKS = {ord(mark): " , " for mark in ",;|/()[]–—:@•·\n\t"}
_MARKS |= {ord(mark): " " for mark in '-_"*!?\u00a0'} | {ord("&"): " and ", ord("+"): " and "}
_MARKS |= {ord(mark): "" for mark in ".'’`"}
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d"})
"""Letters that are no letter with an accent by Unicode."""

_FEMININE = re.compile(r"(?<=\w)(?:[*:_]|/-?)(?:innen|in|r|n|frau)\b|\(in\)")
"""Endings that name both genders: Leiter*in, Leiter:in, Leiter_in, Leiter/-in, Leiter(in)."""
_GENDERS = re.compile(
    r"\(\s*(?:[mwfdxihgn*]\s*[/|,]\s*){1,3}[mwfdxihgn*]\s*\)|\b[mw]/[wm]/[dx]\b|\(all genders\)"
)
_WORKLOAD = re.compile(r"\d+(?:\s?[-–]\s?\d+)?\s?%")
_ELISION = re.compile(r"\b([dl])['’](?=\w)")
_SIGNS = frozenset("*:_/(%'’")

SERVING = frozenset(
    "assistant aide adviser advisor secretary pa ea counsel counselor liaison deputy reporting reports staff "
    "support".split()
)
"""Words before "to" and another person's title."""


def split_words(text: str) -> Words:
    """Return the words in lower case without accents; "," for each separator, but none at the ends."""
    text = text.casefold().replace(" - ", " , ").translate(_MARKS)
    if not text.isascii():
        text = without_accents(text)
    return tuple(text.strip(" ,").split())


def without_accents(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


@lru_cache(maxsize=4_096)
def title_words(title: str) -> Words:
    """Return the words of a title without marks of gender and workload ("(m/w/d)", "80-100 %")."""
    text = title.casefold()
    if not _SIGNS.isdisjoint(text):
        text = _WORKLOAD.sub(" ", _FEMININE.sub("", _GENDERS.sub(" ", text)))
        text = _ELISION.sub(r"\1 ", text)
    return split_words(text if text.isascii() else text.translate(_LETTERS))


def without_superior(words: Words) -> Words:
    """Return the title without that of a superior: "Assistant" for "Assistant to the CEO"."""
    if "to" in words:
        position = words.index("to")
        if not SERVING.isdisjoint(words[:position]):
            return words[:position]
    return words


def without_office(words: Words) -> Words:
    """Return the title without its office: "Director" for "Director, Office of the CEO"."""
    for position, word in enumerate(words[:-1]):
        if word == "office" and words[position + 1] == "of":
            return words[:position]
    return words


def own_title_words(title: str) -> Words:
    """Return the words of a title about the person's own position, "," for each separator."""
    return without_office(without_superior(title_words(title)))
