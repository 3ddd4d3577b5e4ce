"""A seeded model of the errors that people make when they type a name.

Each kind of error has a weight; the place in the word is uniform, first and last letter included. Neighbours are those
of a QWERTY keyboard. Most names get one error, one in twenty a second one in the other part.
"""

from random import Random
from typing import Final

KINDS: Final = {
    "neighbouring key": 28,
    "other letter": 8,
    "letter left out": 22,
    "letter added": 14,
    "letters exchanged": 16,
    "letter doubled or not": 12,
}
WHERE: Final = {"last": 58, "first": 24, "last, other first name": 5, "words": 8, "both": 5}
"""Part of the name with the error, by weight."""
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def neighbours(letter: str) -> str:
    """Return the neighbours of a letter on the keyboard; all letters for one without a key."""
    for row, keys in enumerate(_ROWS):
        at = keys.find(letter)
        if at >= 0:
            around = keys[max(at - 1, 0) : at] + keys[at + 1 : at + 2]
            for other in (row - 1, row + 1):
                if 0 <= other < len(_ROWS):
                    around += _ROWS[other][max(at - 1, 0) : at + 1]
            return around
    return _LETTERS


def draw(weights: dict[str, int], random: Random) -> str:
    return random.choices(list(weights), list(weights.values()))[0]


def mistype(word: str, random: Random) -> tuple[str, str]:
    """Return a word with one error and the kind of it; the word has at least two letters."""
    kind = draw(KINDS, random)
    at = random.randrange(len(word))
    letter = word[at].lower()
    if kind == "letter doubled or not":
        doubled = [place for place in range(1, len(word)) if word[place].lower() == word[place - 1].lower()]
        if doubled and random.random() < 0.7:
            at = random.choice(doubled)
            return word[:at] + word[at + 1 :], kind
        return word[: at + 1] + letter + word[at + 1 :], kind
    if kind == "letter left out":
        return word[:at] + word[at + 1 :], kind
    if kind == "letters exchanged":
        different = [
            place for place in range(len(word) - 1) if word[place].lower() != word[place + 1].lower()
        ]
        if different:
            at = random.choice(different)
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :], kind
    added = random.choice(neighbours(letter) if kind in ("neighbouring key", "letter added") else _LETTERS)
    if kind == "letter added":
        return word[: at + 1] + added + word[at + 1 :], kind
    return word[:at] + (added.upper() if word[at].isupper() else added) + word[at + 1 :], kind


def change_words(first: str, last: str, random: Random) -> tuple[str, str] | None:
    """Return a name with a space or hyphen added, dropped or replaced; None if it has only two words."""
    for part in random.sample((0, 1), 2):
        text = (first, last)[part]
        for old, new in random.sample(((" ", ""), (" ", "-"), ("-", ""), ("-", " ")), 4):
            if old in text:
                changed = text.replace(old, new, 1)
                return (changed, last) if part == 0 else (first, changed)
    return None


def mistype_name(first: str, last: str, others: list[str], random: Random) -> tuple[str, str, str]:
    """Return first name, last name and class of a mistyped name; `others` are other first names of the person."""
    where = draw(WHERE, random)
    if where == "words":
        if changed := change_words(first, last, random):
            return (*changed, "words joined or split")
        where = "last"
    if where == "last, other first name":
        first, where = (random.choice(others), where) if others else (first, "last")
    kind = ""
    if where != "first":
        last, kind = mistype(last, random)
    if where in ("first", "both"):
        word, *rest = first.split(" ")
        changed_word, kind = mistype(word, random) if len(word) > 2 else (word, "")
        first = " ".join([changed_word, *rest])
    return first, last, f"{where}: {kind}" if where in ("last", "first") else where
