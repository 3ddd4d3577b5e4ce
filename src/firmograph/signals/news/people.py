"""What in an article may be the name of a person, so that suppression finds the news that name someone.

Nothing here decides that a name is a person's: digests of it at the companies of the article are kept, which mean
something only if somebody of that name was ever held at one of them (docs/reference/signals.md#suppressed-people).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final
from urllib.parse import unquote, urlsplit

from firmograph.directory.names import HONORIFICS, PARTICLES, fold, full_name_key, split_full_name
from firmograph.directory.nicknames import is_given_name
from firmograph.signals.news.spans import LINKS
from firmograph.signals.news.table import common_words, packaged

MAX_NAMES: Final = 40
"""Of one signal: those of its texts before those of its address, and of each those first that begin with a known
given name."""
_MOST_WORDS: Final = 4
_WORD: Final = re.compile(r"[^\W\d_](?:[\w'’ʼ‘.-]*\w)?\.?")
_POSSESSIVE: Final = re.compile(r"['’]s$", re.IGNORECASE)
_NICKNAME: Final = re.compile(r"\s[(\"“‘'][^\W\d_]+[)\"”’'](?=\s)")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.?){1,3}")
_SIGNS: Final = re.compile(r"[\W\d_]+")


def names_in(texts: Iterable[str], url: str) -> list[str]:
    """Keys as `full_name_key` makes them, of runs of two to four words with a capital, and of words of the address.

    Those of texts with and without what stands between first and last word, as Jane M. Doe may be held as Jane Doe. A
    particle in lower case belongs to the word behind it. A script without capitals is read as if it had them.
    """
    runs = [run for text in dict.fromkeys(texts) for run in _runs(_NICKNAME.sub(" ", text))]
    words = [each for run in runs for each in (*_slices(run), *_ends(run)) if _may_be_name(each)]
    words.sort(key=_is_unknown)
    # mostly what the title says once more
    slugs = (_SIGNS.sub(" ", part).split() for part in unquote(urlsplit(url).path).split("/"))
    whole = [[word for word in slug if len(word) > 1] for slug in slugs]
    words += sorted((each for slug in whole for each in _slices(slug) if _stands_out(each)), key=_is_unknown)
    keys = dict.fromkeys(full_name_key(*split_full_name(" ".join(each))) for each in words)
    return [key for key in keys if " " in key][:MAX_NAMES]


def _runs(text: str) -> Iterator[list[str]]:
    """Words with capitals that stand side by side within one sentence."""
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
        if not is_name or (bare != word and not _goes_on(word)):
            yield run
            run = []
    yield run


def _goes_on(word: str) -> bool:
    """Whether a full stop is the word's own: J., Dr."""
    return _INITIALS.fullmatch(word) is not None or fold(word) in HONORIFICS


def _slices(run: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(len(run)):
        for end in range(start + 2, min(start + _MOST_WORDS, len(run)) + 1):
            yield run[start:end]


def _ends(run: Sequence[str]) -> Iterator[Sequence[str]]:
    """The same of three words and more without what stands between the first and the last."""
    return ((each[0], each[-1]) for each in _slices(run) if len(each) > 2)


def _is_unknown(words: Sequence[str]) -> bool:
    return not is_given_name(fold(words[0]))


def _may_be_name(words: Sequence[str]) -> bool:
    """Not Chief Executive, but Rose Cook."""
    return not _is_unknown(words) or not all(word.lower() in _plain() for word in words)


def _stands_out(words: Sequence[str]) -> bool:
    """The same where nothing has a capital."""
    return not _is_unknown(words) or not any(word.lower() in _plain() for word in words)


@cache
def _plain() -> frozenset[str]:
    return common_words() | packaged().names["first"] | LINKS
