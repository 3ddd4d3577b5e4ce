"""Text as docs/reference/prospecting.md#text defines it, independent of the package's own analysis."""

import itertools
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from firmograph.directory.company_names import company_words
from firmograph.directory.names import fold
from firmograph.prospecting.indexing.synonyms import with_canonical_words

_IGNORED = ("of", "the", "and")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "KANGXI")


def _is_unspaced(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(_UNSPACED)


@lru_cache(maxsize=100_000)
def words(text: str | None) -> list[str]:
    """Return whole words, in any case and without accents; of scripts without spaces every two neighbours.

    `of`, `the` and `and` are ignored, unless there is nothing else.
    """
    found: list[str] = []
    for word in fold(text or "").split():
        for unspaced, signs in itertools.groupby(word, _is_unspaced):
            run = "".join(signs)
            found += map("".join, itertools.pairwise(run)) if unspaced and len(run) > 1 else [run]
    return [word for word in found if word not in _IGNORED] or found


def has_words(value: str, *texts: str | None) -> bool:
    """Return whether these texts together have every word of the value."""
    requested = set(words(value))
    return bool(requested) and requested <= {word for text in texts for word in words(text)}


def same_title(value: str, title: str | None) -> bool:
    """Return whether a title has every word of the value, with synonyms on both sides."""
    requested = set(with_canonical_words(tuple(words(value))))
    return bool(requested) and requested <= set(with_canonical_words(tuple(words(title))))


def has_name(value: str, name: str | None) -> bool:
    """Return whether a company's name has the words of another, ignoring legal forms."""
    return has_words(_plain_name(value), _plain_name(name or ""))


@lru_cache(maxsize=100_000)
def _plain_name(name: str) -> str:
    return " ".join(company_words(name))


def mentions(value: str, texts: Iterable[str | None], names: Iterable[str]) -> bool:
    """Return whether texts and company names have every word; or the value is such a name with its legal form."""
    requested, stored = words(value), {word for text in texts for word in words(text)}
    return any(has_name(value, name) for name in names) or (
        bool(requested)
        and all(word in stored or any(has_name(word, name) for name in names) for word in requested)
    )


def _spelt(match: re.Match[str]) -> str:
    return "".join(f" {'plus' if sign == '+' else 'sharp'}" for sign in match[0])


def whole(text: str) -> str:
    """Return the normal form of a whole text. C, C++ and C# are different."""
    return fold(re.sub(r"(?<=\w)(\++|#+)", _spelt, text)) or " ".join(text.casefold().split())
