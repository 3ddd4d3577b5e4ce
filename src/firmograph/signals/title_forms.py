"""Job titles in the form in which two of them are compared: abbreviations written out, slips of the pen and words that
tell nothing of a grade left out, and the phrases of `title_ranks.toml` found in them."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from rapidfuzz.distance import OSA

from firmograph.directory.titles import own_title_words

Words = tuple[str, ...]

TABLE: dict[str, Any] = tomllib.loads(files(__package__).joinpath("title_ranks.toml").read_text("utf-8"))
_LEVEL = re.compile(r"([a-z]*?)([1-9])", re.ASCII)
_LEAST_LETTERS = 5
"""Of a word that may be a slip of the pen: shorter ones are other words."""


@cache
def split(text: str) -> Words:
    return tuple(text.split())


ENDS = frozenset(TABLE["small"]["words"]) | {","}
"""What stands between the parts of a title."""
_SAME = {split(key): split(value) for key, value in TABLE["same"].items()}
_IGNORED: dict[Words, Words] = {split(phrase): () for phrase in TABLE["ignored"]["words"]}
_LONGEST = max(map(len, (*_SAME, *_IGNORED)))
_LANGUAGES: dict[str, tuple[str, ...]] = {name: tuple(some) for name, some in TABLE["languages"].items()}


@lru_cache(maxsize=65_536)
def compared(title: str) -> str:
    """The title in the form in which it is compared: two spellings of one title mostly have the same one."""
    return " ".join(sorted(bag(compared_words(title))))


@lru_cache(maxsize=65_536)
def compared_words(title: str) -> Words:
    """The words that are compared, a "," between the parts of the title."""
    words = [part for word in own_title_words(title) for part in _parted(word)]
    meant = list(_replaced(list(_replaced(words, _SAME)), _IGNORED))
    return tuple(word for last, word in zip([",", *meant], meant, strict=False) if word != "," or last != ",")


def bag(words: Words) -> frozenset[str]:
    return frozenset(words) - ENDS


def _parted(word: str) -> Iterator[str]:
    """`sde2` is `sde 2`, and `l4` is `l 4`."""
    found = _LEVEL.fullmatch(word)
    if found and found[1]:
        yield from found.groups()
    else:
        yield word


def _replaced(words: list[str], table: dict[Words, Words]) -> Iterator[str]:
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            phrase = tuple(words[place : place + length])
            if phrase in table:
                yield from table[phrase]
                place += length
                break
        else:
            yield words[place]
            place += 1


def respelled(words: Words, other: Words) -> Words:
    """With the other title's spelling of each word that is a slip of the pen away from one of its own."""
    own, others = set(words), set(other)

    def meant(word: str) -> str:
        if word in others or len(word) < _LEAST_LETTERS:
            return word
        near = (one for one in others - own if len(one) >= _LEAST_LETTERS and OSA.distance(word, one) == 1)
        return min(near, default=word)

    return tuple(map(meant, words))


def translated(old: str, new: str) -> bool:
    """Whether the ranks of the two are written in different languages."""
    before, after = _languages(old), _languages(new)
    return bool(before and after) and before.isdisjoint(after)


@lru_cache(maxsize=65_536)
def _languages(title: str) -> frozenset[str]:
    words = own_title_words(title)
    found = {name for name, phrases in _LANGUAGES.items() if any(stands(words, phrase) for phrase in phrases)}
    return frozenset(found)


def has(words: Words, phrase: Words) -> bool:
    if phrase[0] not in words:
        return False
    length = len(phrase)
    return length == 1 or any(words[place : place + length] == phrase for place in range(len(words)))


def stands(words: Words, phrase: str) -> bool:
    """Whether words have a phrase as the table writes it: "=x" the whole title, "*x" the end of a word."""
    if phrase.startswith("="):
        return words[: words.index(",")] == split(phrase[1:]) if "," in words else words == split(phrase[1:])
    if phrase.startswith("*"):
        return any(word.endswith(phrase[1:]) for word in words)
    return has(words, split(phrase))
