"""Names of companies reduced to words in one spelling, with the country that they name.

Look-ups alone compare them; records are never merged by them.
"""

import re
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from anyascii import anyascii

from firmograph.directory.company_names import company_words, ends_with_form
from firmograph.directory.normalise.gazetteer import subdivisions
from firmograph.directory.normalise.locations import country_code

_LONGEST: Final = 256
"""Characters of a name that are read, as many as a request may have."""
_BRACKETS_BEHIND: Final = re.compile(r"(?<=\S)\s*\(([^()]{2,60})\)\s*\Z")
_FORM_AND_PLACE: Final = re.compile(r"(.{3,}?)\s*,\s*([^,]{2,40}(?:,[^,]{2,40}){0,2})\s*\Z")


class NameForm(NamedTuple):
    """A name as it is compared."""

    words: tuple[str, ...]
    country: str
    """ISO code of the country that stands in brackets or as a place behind the name; empty without one."""

    @property
    def text(self) -> str:
        return " ".join(self.words)


@lru_cache(maxsize=65_536)
def name_form(name: str) -> NameForm:
    """Return the words of a name without legal forms and places behind it, each in one spelling."""
    rest, country = _without_place(name[:_LONGEST])
    return NameForm(tuple(_one_spelling(word) for word in company_words(rest)), country)


def _without_place(name: str) -> tuple[str, str]:
    """Return a name without a country in brackets or a place behind its legal form, and the country."""
    if found := _BRACKETS_BEHIND.search(name):
        country = country_code(found[1])
        if country is not None:
            return name[: found.start()], country
    if "," in name and (parts := _FORM_AND_PLACE.match(name)) and ends_with_form(parts[1]):
        last = parts[2].rpartition(",")[2].strip()
        if not ends_with_form(f"x {last}"):
            return parts[1], "" if _is_state(last) else country_code(last) or ""
    return name, ""


def _is_state(place: str) -> bool:
    """Return whether a place may be a state of the United States: CA behind San Jose is not Canada."""
    states = subdivisions("US")
    return place.upper() in states.by_code or states.named(place) is not None


def _one_spelling(word: str) -> str:
    if not word.isascii():
        word = "".join(filter(str.isalnum, anyascii(word).lower())) or word
    return _spellings().get(word, word)


@lru_cache(maxsize=1)
def _spellings() -> dict[str, str]:
    text = files("firmograph.directory").joinpath("data/company_spellings.txt").read_text("utf-8")
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    found: dict[str, str] = {}
    for first, *others in lines:
        for other in (first, *others):
            found.setdefault(other, first)
    return found
