"""Other spellings of seniorities and departments, as files give them."""

from collections.abc import Iterable

from firmograph.directory.titles.tables import read_table
from firmograph.directory.titles.words import split_words
from firmograph.directory.vocabulary import DEPARTMENTS, SENIORITIES


def _spelling(text: str) -> str:
    return " ".join(word for word in split_words(text.replace("_", " ")) if word != ",")


def _known(spellings: dict[str, list[str]], labels: Iterable[str]) -> dict[str, str]:
    known = {_spelling(text): label for label, texts in spellings.items() for text in texts}
    return known | {_spelling(label): label for label in labels}


_SPELLINGS = read_table("spellings")
_KNOWN_SENIORITIES = _known(_SPELLINGS["seniorities"], SENIORITIES.values())
_KNOWN_DEPARTMENTS = _known(_SPELLINGS["departments"], DEPARTMENTS)


def normalise_department(text: str) -> str | None:
    """Return the department of any usual spelling or case; None if it is none of the 16."""
    return _KNOWN_DEPARTMENTS.get(_spelling(text))


def normalise_seniority(value: str | int) -> str | None:
    """Return the seniority label of any usual spelling, catalogue name (`entry`) or id (`9`); else None."""
    text = str(value).strip()
    if text.isascii() and text.isdigit():
        return SENIORITIES.get(int(text))
    return _KNOWN_SENIORITIES.get(_spelling(text))
