"""Possible names of people in articles, by which suppression finds news that name a person.

Names are not classified: digests of each name at the companies of the article are stored, and they match only if a
contact of that name was ever stored at one of them (docs/reference/signals.md#suppressed-people).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final
from urllib.parse import unquote, urlsplit

from firmograph.directory.names import HONORIFICS, PARTICLES, fold, full_name_key, split_full_name
from firmograph.directory.names_in_text.spans import LINKS
from firmograph.directory.names_in_text.table import common_words, load_name_words
from firmograph.directory.nicknames import is_given_name

MAX_NAMES: Final = 40
"""Of one signal: those of its texts before those of its address, and of each those first that begin with a known
given name."""
_MOST_WORDS: Final = 4
_WORD: Final = re.compile(r"[^\W\d_](?:[\w'’ʼ‘.-]*\w)?\.?")
_POSSESSIVE: Final = re.compile(r"['’]s$", re.IGNORECASE)
_NICKNAME: Final = re.compile(r"\s[(\"“‘'][^\W\d_]+[)\"”’'](?=\s)")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.?){1,3}")
_SIGNS: Final = re.compile(r"[\W\d_]+")


def find_names(texts: Iterable[str], url: str) -> list[str]:
    """Return keys (`full_name_key`) of runs of two to four capitalised words, and of words of the address.

    Runs count with and without the words between first and last, as Jane M. Doe may be stored as Jane Doe. A particle
    in lower case belongs to the next word. Words of scripts without capitals count as capitalised.
    """
    runs = [run for text in dict.fromkeys(texts) for run in _runs(_NICKNAME.sub(" ", text))]
    words = [each for run in runs for each in (*_slices(run), *_ends(run)) if _may_be_name(each)]
    words.sort(key=_is_unknown)
    # the address mostly repeats the title
    slugs = (_SIGNS.sub(" ", part).split() for part in unquote(urlsplit(url).path).split("/"))
    whole = [[word for word in slug if len(word) > 1] for slug in slugs]
    words += sorted(
        (each for slug in whole for each in _slices(slug) if _may_be_lower_case_name(each)), key=_is_unknown
    )
    keys = dict.fromkeys(full_name_key(*split_full_name(" ".join(each))) for each in words)
    return [key for key in keys if " " in key][:MAX_NAMES]


def _runs(text: str) -> Iterator[list[str]]:
    """Yield runs of adjacent capitalised words within a sentence."""
    run: list[str] = []
    particles: list[str] = []
    end = 0
    for found in _WORD.finditer(text):
        word = found[0]
        if text[end : found.start()].strip():
            yield run
            run, particles = [], []
        end = found.end()
        if run and word in PARTICLES:
            particles.append(word)
            continue
        bare = _POSSESSIVE.sub("", word.rstrip("."))
        is_name = not word[0].islower()
        if is_name:
            run.append(" ".join((*particles, bare)))
        particles = []
        if not is_name or (bare != word and not _keeps_full_stop(word)):
            yield run
            run = []
    yield run


def _keeps_full_stop(word: str) -> bool:
    """Return whether a full stop belongs to the word, as in J. or Dr."""
    return _INITIALS.fullmatch(word) is not None or fold(word) in HONORIFICS


def _slices(run: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(len(run)):
        for end in range(start + 2, min(start + _MOST_WORDS, len(run)) + 1):
            yield run[start:end]


def _ends(run: Sequence[str]) -> Iterator[Sequence[str]]:
    """Return first and last word of each slice of at least three words."""
    return ((each[0], each[-1]) for each in _slices(run) if len(each) > 2)


def _is_unknown(words: Sequence[str]) -> bool:
    return not is_given_name(fold(words[0]))


def _may_be_name(words: Sequence[str]) -> bool:
    """Return True for Rose Cook, False for Chief Executive."""
    return not _is_unknown(words) or not all(word.lower() in _plain() for word in words)


def _may_be_lower_case_name(words: Sequence[str]) -> bool:
    """Return whether words without capitals may be a name."""
    return not _is_unknown(words) or not any(word.lower() in _plain() for word in words)


@cache
def _plain() -> frozenset[str]:
    return common_words() | load_name_words().names["first"] | LINKS
