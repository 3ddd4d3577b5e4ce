"""Text analysis for the index: words, whole texts, keys and words of text fields; postcodes and days.

See docs/reference/prospecting.md#text.

Both sides of a comparison, records and requests, go through these functions. Texts are casefolded and stripped of
accents, characters other than letters and digits separate words, and nothing is stemmed. Scripts without spaces
between words (Chinese, Japanese) are split into overlapping pairs of characters, as is Korean, where particles are
attached to words.
"""

import re
from datetime import date
from functools import lru_cache
from typing import Final

from firmograph.directory.company_names import company_words
from firmograph.directory.names import fold
from firmograph.directory.normalise.locations import country_name
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
_MAX_CACHED_LENGTH: Final = 200
"""Longer texts, mostly descriptions, hardly ever repeat and would fill the cache."""


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in order; `of`, `the` and `and` only if there are no others.

    Empty only if the text has no letter or digit.
    """
    return _words(text) if len(text) <= _MAX_CACHED_LENGTH else _split(fold.__wrapped__(text))


@lru_cache(maxsize=65_536)
def _words(text: str) -> tuple[str, ...]:
    return _split(fold(text))


def _split(folded: str) -> tuple[str, ...]:
    split = _split_all(folded)
    return tuple(word for word in split if word not in _IGNORED) or tuple(split)


def all_words(text: str) -> list[str]:
    """Return the words of a text in order, `of`, `the` and `and` included. Not cached: for long texts."""
    return _split_all(fold.__wrapped__(text))


def _split_all(folded: str) -> list[str]:
    split = folded.split()
    return split if folded.isascii() else [part for word in split for part in _parts(word)]


def _parts(word: str) -> list[str]:
    parts = []
    for index, run in enumerate(_PAIRED.split(word)):
        if index % 2 and len(run) > 1:
            parts += [run[start : start + 2] for start in range(len(run) - 1)]
        elif run:
            parts.append(run)
    return parts


@lru_cache(maxsize=65_536)
def normal_words(text: str) -> tuple[str, ...]:
    """Return the words of a job title, with every spelling of the synonym table replaced by its canonical words."""
    return with_canonical_words(words(text))


@lru_cache(maxsize=65_536)
def whole(text: str) -> str:
    """Return a text as a whole: all of its words, folded and in order.

    `+` and `#` after a word are spelt out, so that C, C++ and C# stay distinct. Empty only for a blank text.
    """
    if "+" in text or "#" in text:
        text = _SIGNED.sub(_spelt, text)
    return fold(text) or " ".join(text.casefold().split())


def _spelt(match: re.Match[str]) -> str:
    return " plus" * len(match[2]) if match[2] else " sharp" * len(match[3])


@lru_cache(maxsize=1_024)
def _company_words(name: str) -> tuple[str, ...]:
    """Return the words of a company name: the expensive part of both its keys and its words, requested together."""
    return tuple(company_words(name))


def text_keys(field: str, text: str) -> tuple[str, ...]:
    """Return the keys of a text: the text as a whole, under every name that a request may use.

    Company names lose their legal forms. A place has the folded names of its city: as written, and as the reference
    data list them.
    """
    if field in _COMPANIES:
        return ("".join(_company_words(text)) or whole(text),)
    if field == PLACE:
        return city_names(*place_parts(text))
    return (whole(text),)


def text_words(field: str, text: str) -> tuple[str, ...]:
    """Return the words by which a text is found; for a place, the words of city, state and country name."""
    if field in _COMPANIES:
        return words(" ".join(_company_words(text)))
    if field == PLACE:
        return words(place_text(text))
    return words(text)


def place_parts(text: str) -> tuple[str, str, str]:
    """Return city, state and country code of a text of `fields.PLACE`."""
    city, _, rest = text.partition("|")
    state, _, country = rest.partition("|")
    return city, state, country


def place_text(text: str) -> str:
    """Return city, state and country name of a text of `fields.PLACE`, as a user would type them."""
    city, state, country = place_parts(text)
    return f"{city} {state} {country_name(country) or country}"


def postcode(country: str, text: str) -> str:
    """Return a postcode in the form of `fields.ZIP`: `US:94107`."""
    return f"{country}:{''.join(text.split()).upper()}"


@lru_cache(maxsize=16_384)
def day_number(day: str) -> int | None:
    """Return days since 1970-01-01, negative before; None for an invalid date."""
    try:
        return date.fromisoformat(day).toordinal() - _EPOCH
    except ValueError:
        return None


def allowed_edits(word: str) -> int:
    """Return the number of edits allowed in a typed word."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2
