"""Text as the index holds it: words, whole texts, the keys and words of entries (decisions E, Text); places and days.

Both sides of a comparison, what records hold and what a request asks for, go through these functions. Texts are
casefolded, accents are dropped, what is neither letter nor digit parts words, nothing is stemmed. Scripts that put no
space between words (Chinese, Japanese) are cut into overlapping pairs of characters, as is Korean, whose particles
cling to its words.
"""

import re
from datetime import date
from functools import lru_cache
from typing import Final

from firmograph.directory.company_names import company_words
from firmograph.directory.names import fold
from firmograph.directory.normalise.places import country_name
from firmograph.prospecting.engines.fields import COMPANY_NAME, PAST_NAME, PLACE
from firmograph.prospecting.indexing.city_coordinates import city_names
from firmograph.prospecting.indexing.synonyms import with_canonical_words

_EPOCH: Final = date(1970, 1, 1).toordinal()
_IGNORED: Final = frozenset(("of", "the", "and"))
_PAIRED: Final = re.compile(
    "([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u312f\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
"""Runs of Han, kana, bopomofo and hangul."""
_SIGNED: Final = re.compile(r"(?<=\w)((\++)|(#+))")
_COMPANIES: Final = frozenset((COMPANY_NAME, PAST_NAME))
_MOST_CACHED: Final = 200
"""Longer texts, descriptions mostly, hardly come twice and would fill a cache."""


def words(text: str) -> tuple[str, ...]:
    """The words of a text in its order; `of`, `the` and `and` only where there are no others.

    Empty only if the text has no letter or digit.
    """
    return _words(text) if len(text) <= _MOST_CACHED else _split(fold.__wrapped__(text))


@lru_cache(maxsize=65_536)
def _words(text: str) -> tuple[str, ...]:
    return _split(fold(text))


def _split(folded: str) -> tuple[str, ...]:
    split = folded.split()
    if not folded.isascii():
        split = [part for word in split for part in _parts(word)]
    return tuple(word for word in split if word not in _IGNORED) or tuple(split)


def _parts(word: str) -> list[str]:
    parts = []
    for place, run in enumerate(_PAIRED.split(word)):
        if place % 2 and len(run) > 1:
            parts += [run[start : start + 2] for start in range(len(run) - 1)]
        elif run:
            parts.append(run)
    return parts


@lru_cache(maxsize=65_536)
def normal_words(text: str) -> tuple[str, ...]:
    """The words of a job title with every spelling of the synonym table replaced by its canonical words."""
    return with_canonical_words(words(text))


@lru_cache(maxsize=65_536)
def whole(text: str) -> str:
    """A text as a whole: folded, its words in their order, all of them.

    `+` and `#` behind a word are spelt out, so that C, C++ and C# stay three things. Empty only for a blank text.
    """
    if "+" in text or "#" in text:
        text = _SIGNED.sub(_spelt, text)
    return fold(text) or " ".join(text.casefold().split())


def _spelt(match: re.Match[str]) -> str:
    return " plus" * len(match[2]) if match[2] else " sharp" * len(match[3])


@lru_cache(maxsize=1_024)
def _company_words(name: str) -> tuple[str, ...]:
    """The dearest part of both keys and words of a company name, which are asked for together."""
    return tuple(company_words(name))


def text_keys(field: str, entry: str) -> tuple[str, ...]:
    """What an entry is as a whole, by every name that a request may give it.

    Company names lose their legal forms. A place has the folded names of its city: as written, and those that the
    reference data know the same city by.
    """
    if field in _COMPANIES:
        return ("".join(_company_words(entry)) or whole(entry),)
    if field == PLACE:
        return city_names(*place_parts(entry))
    return (whole(entry),)


def text_words(field: str, entry: str) -> tuple[str, ...]:
    """The words by which an entry is found; those of a place are the words of city, state and country name."""
    if field in _COMPANIES:
        return words(" ".join(_company_words(entry)))
    if field == PLACE:
        return words(place_text(entry))
    return words(entry)


def place_parts(entry: str) -> tuple[str, str, str]:
    """City, state and country code of an entry of `fields.PLACE`."""
    city, _, rest = entry.partition("|")
    state, _, country = rest.partition("|")
    return city, state, country


def place_text(entry: str) -> str:
    """City, state and country name of an entry of `fields.PLACE`, as somebody types them."""
    city, state, country = place_parts(entry)
    return f"{city} {state} {country_name(country) or country}"


def postcode(country: str, text: str) -> str:
    """As `fields.ZIP` has it: `US:94107`."""
    return f"{country}:{''.join(text.split()).upper()}"


@lru_cache(maxsize=16_384)
def day_number(day: str) -> int | None:
    """Days since 1970-01-01, negative before; None for what is no day."""
    try:
        return date.fromisoformat(day).toordinal() - _EPOCH
    except ValueError:
        return None


def allowed_edits(word: str) -> int:
    """How many edits of a word that was typed are forgiven (decisions E, Values)."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2
