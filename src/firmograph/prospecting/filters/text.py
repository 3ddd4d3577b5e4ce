"""Filters by text: words in any order, and whole entries (decisions E, Text).

A value of which no word is left matches nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from msgspec import UNSET, UnsetType

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import Criterion, Term, Words, all_of, any_of
from firmograph.prospecting.filters.filter_reader import At, Read
from firmograph.prospecting.indexing.analysis import text_keys, text_words, words

_ENTRIES = fields.CONTACT_TEXTS | fields.COMPANY_TEXTS


def has_words(field: str, text: str) -> list[Criterion]:
    """That one text of the field has all words of this one; nothing when it has none."""
    asked = text_words(field, text) if field in _ENTRIES else words(text)
    return [Words(field, tuple(asked))] if asked else []


def is_entry(field: str, text: str) -> list[Criterion]:
    """That one entry of the field is this text as a whole."""
    return [Term(field, key) for key in text_keys(field, text)[:1] if key]


@cache
def all_words(*held_in: str) -> Read[list[str]]:
    """The filter that matches by words in any of these fields."""

    def read(values: list[str], at: At) -> Criterion:
        return any_of(
            [criterion for value in values for field in held_in for criterion in has_words(field, value)]
        )

    return read


@cache
def whole_entries(field: str) -> Read[list[str]]:
    """The filter that matches by whole entries of a field."""

    def read(values: list[str], at: At) -> Criterion:
        return any_of([criterion for value in values for criterion in is_entry(field, value)])

    return read


def every_word(text: str, found_in: Callable[[str], Iterable[Criterion]]) -> list[Criterion]:
    """That each word of a text is in any of the places; nothing when it has none."""
    found = [any_of(list(found_in(word))) for word in words(text)]
    return [all_of(found)] if found else []


def as_company_name(text: str) -> list[Criterion]:
    """That the whole text is a company's name, where names lose words of it: the legal form in `Acme Inc`."""
    asked = has_words(fields.COMPANY_NAME, text)
    return [] if asked == [Words(fields.COMPANY_NAME, tuple(words(text)))] else asked


def filled(text: str | UnsetType) -> str | UnsetType:
    """A blank text counts as absent, as empty lists do."""
    return UNSET if text is UNSET or not text.strip() else text


def term_each(field: str, values: Sequence[str]) -> Criterion:
    return any_of([Term(field, value) for value in values])
