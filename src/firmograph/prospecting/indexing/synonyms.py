"""Synonyms of job titles, from `data/title_synonyms.toml`.

See docs/reference/prospecting.md#text.

Every spelling is replaced by its canonical words, longest spelling first at each word of a title, so that both
sides of a comparison use the same words.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

_LONGEST_WITH_DOTS: Final = 4
"""Longest abbreviation that is also recognised with dots: V.P., C.E.O."""

_Words = tuple[str, ...]


@cache
def _table() -> dict[str, list[tuple[_Words, _Words]]]:
    """Return the spellings by first word, each with its canonical words; longest spellings first.

    The canonical words are a spelling too. Otherwise Chief Executive, a spelling of Chief Executive Officer, would
    match the first two words of it.
    """
    text = files(__package__).joinpath("data/title_synonyms.toml").read_text("utf-8")
    table: dict[str, list[tuple[_Words, _Words]]] = {}
    for canonical, spellings in tomllib.loads(text).items():
        for spelling in (canonical, *spellings):
            for written in _written(spelling):
                table.setdefault(written[0], []).append((written, tuple(canonical.split())))
    for rows in table.values():
        rows.sort(key=lambda row: -len(row[0]))
    return table


def _written(spelling: str) -> Iterator[_Words]:
    yield tuple(spelling.split())
    if 1 < len(spelling) <= _LONGEST_WITH_DOTS and spelling.isalpha():
        yield tuple(spelling)


def with_canonical_words(title: _Words) -> _Words:
    """Return a title's words (`analysis.words`) with each spelling of the table replaced by its canonical words."""
    table, out, index = _table(), list[str](), 0
    while index < len(title):
        found = _spelling_at(table, title, index)
        out += found[1] if found else title[index : index + 1]
        index += len(found[0]) if found else 1
    return tuple(out)


def _spelling_at(
    table: dict[str, list[tuple[_Words, _Words]]], title: _Words, index: int
) -> tuple[_Words, _Words] | None:
    for row in table.get(title[index], ()):
        if title[index : index + len(row[0])] == row[0]:
            return row
    return None
