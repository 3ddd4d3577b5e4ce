"""Text filters: words in any order, and whole texts.

See docs/reference/prospecting.md#text.

A value without words matches nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from msgspec import UNSET, UnsetType

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import Criterion, Term, Words, all_of, any_of
from firmograph.prospecting.filters.filter_reader import FilterParser, RequestPath
from firmograph.prospecting.indexing.analysis import text_keys, text_words, words

_ENTRIES = fields.CONTACT_TEXTS | fields.COMPANY_TEXTS


def contains_words(field: str, text: str) -> list[Criterion]:
    """Match one text of the field that contains all words of the text; empty if it has no words."""
    required = text_words(field, text) if field in _ENTRIES else words(text)
    return [Words(field, tuple(required))] if required else []


def equals_text(field: str, text: str) -> list[Criterion]:
    """Match one text of the field that equals the text as a whole; empty if it is blank."""
    return [Term(field, key) for key in text_keys(field, text)[:1] if key]


@cache
def all_words(*searched: str) -> FilterParser[list[str]]:
    """Return the parser that matches words in any of these fields."""

    def parse(values: list[str], path: RequestPath) -> Criterion:
        return any_of(
            [
                criterion
                for value in values
                for field in searched
                for criterion in contains_words(field, value)
            ]
        )

    return parse


@cache
def whole_texts(field: str) -> FilterParser[list[str]]:
    """Return the parser that matches whole texts of a field."""

    def parse(values: list[str], path: RequestPath) -> Criterion:
        return any_of([criterion for value in values for criterion in equals_text(field, value)])

    return parse


def every_word(text: str, found_in: Callable[[str], Iterable[Criterion]]) -> list[Criterion]:
    """Match each word of a text in any of the criteria returned for it; empty if the text has no words."""
    found = [any_of(list(found_in(word))) for word in words(text)]
    return [all_of(found)] if found else []


def as_company_name(text: str) -> list[Criterion]:
    """Match the whole text as a company name, if company names drop words of it: the legal form in `Acme Inc`."""
    criteria = contains_words(fields.COMPANY_NAME, text)
    return [] if criteria == [Words(fields.COMPANY_NAME, tuple(words(text)))] else criteria


def unless_blank(text: str | UnsetType) -> str | UnsetType:
    """Return the text, or UNSET if it is blank; like an empty list, a blank text counts as absent."""
    return UNSET if text is UNSET or not text.strip() else text


def any_term(field: str, values: Sequence[str]) -> Criterion:
    return any_of([Term(field, value) for value in values])
