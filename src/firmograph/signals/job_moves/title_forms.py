"""Comparison form of job titles, and the search for phrases of `title_ranks.toml`.

Abbreviations are written out, typing errors corrected, and words without meaning for the grade removed.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from rapidfuzz.distance import OSA

from firmograph.directory.titles.words import own_title_words

Words = tuple[str, ...]

TABLE: dict[str, Any] = tomllib.loads(files(__package__).joinpath("title_ranks.toml").read_text("utf-8"))
_LEVEL = re.compile(r"([a-z]*?)([1-9])", re.ASCII)
_LEAST_LETTERS = 5
"""Minimum length of a word that may be a typing error: shorter ones are other words."""


@cache
def phrase_words(text: str) -> Words:
    return tuple(text.split())


ENDS = frozenset(TABLE["small"]["words"]) | {","}
"""Separators of the parts of a title."""
_SAME = {phrase_words(key): phrase_words(value) for key, value in TABLE["same"].items()}
_IGNORED: dict[Words, Words] = {phrase_words(phrase): () for phrase in TABLE["ignored"]["words"]}
_LONGEST = max(map(len, (*_SAME, *_IGNORED)))
_LANGUAGES: dict[str, tuple[str, ...]] = {name: tuple(some) for name, some in TABLE["languages"].items()}


@lru_cache(maxsize=65_536)
def comparison_form(title: str) -> str:
    """Return the comparison form of a title, in most cases equal for two spellings of one title."""
    return " ".join(sorted(word_set(comparison_words(title))))


@lru_cache(maxsize=65_536)
def comparison_words(title: str) -> Words:
    """Return the words to compare, with a "," between the parts of the title."""
    words = [part for word in own_title_words(title) for part in _split_level(word)]
    replaced = list(_replace_phrases(list(_replace_phrases(words, _SAME)), _IGNORED))
    return tuple(
        word for last, word in zip([",", *replaced], replaced, strict=False) if word != "," or last != ","
    )


def word_set(words: Words) -> frozenset[str]:
    return frozenset(words) - ENDS


def _split_level(word: str) -> Iterator[str]:
    """Split off a level number: `sde2` is `sde 2`, and `l4` is `l 4`."""
    found = _LEVEL.fullmatch(word)
    if found and found[1]:
        yield from found.groups()
    else:
        yield word


def _replace_phrases(words: list[str], table: dict[Words, Words]) -> Iterator[str]:
    index = 0
    while index < len(words):
        for length in range(min(_LONGEST, len(words) - index), 0, -1):
            phrase = tuple(words[index : index + length])
            if phrase in table:
                yield from table[phrase]
                index += length
                break
        else:
            yield words[index]
            index += 1


def align_spelling(words: Words, other: Words) -> Words:
    """Replace each word that is one typing error away from a word of the other title by that word."""
    own, others = set(words), set(other)

    def corrected(word: str) -> str:
        if word in others or len(word) < _LEAST_LETTERS:
            return word
        near = (one for one in others - own if len(one) >= _LEAST_LETTERS and OSA.distance(word, one) == 1)
        return min(near, default=word)

    return tuple(map(corrected, words))


def are_translations(old: str, new: str) -> bool:
    """Return whether the rank words of two titles are in different languages."""
    before, after = _languages(old), _languages(new)
    return bool(before and after) and before.isdisjoint(after)


@lru_cache(maxsize=65_536)
def _languages(title: str) -> frozenset[str]:
    words = own_title_words(title)
    found = {
        name
        for name, phrases in _LANGUAGES.items()
        if any(matches_phrase(words, phrase) for phrase in phrases)
    }
    return frozenset(found)


def has_phrase(words: Words, phrase: Words) -> bool:
    if phrase[0] not in words:
        return False
    length = len(phrase)
    return length == 1 or any(words[index : index + length] == phrase for index in range(len(words)))


def matches_phrase(words: Words, phrase: str) -> bool:
    """Return whether words match a phrase of the table: "=x" is the whole title, "*x" the end of a word."""
    if phrase.startswith("="):
        return (
            words[: words.index(",")] == phrase_words(phrase[1:])
            if "," in words
            else words == phrase_words(phrase[1:])
        )
    if phrase.startswith("*"):
        return any(word.endswith(phrase[1:]) for word in words)
    return has_phrase(words, phrase_words(phrase))
