"""The synonyms of job titles: `data/title_synonyms.toml` (decisions E, `normalizedJobTitles`).

Every spelling there becomes its canonical words, the longest spelling first at each word of a title, so that both
sides of a comparison say the same thing the same way.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

_LONGEST_WITH_DOTS: Final = 4
"""Up to here an abbreviation is also known with a dot behind each letter: V.P., C.E.O."""

_Words = tuple[str, ...]


@cache
def _table() -> dict[str, list[tuple[_Words, _Words]]]:
    """By the first word of a spelling: its words, and the canonical ones; longest spellings first.

    The canonical words are a spelling too: Chief Executive means what Chief Executive Officer does, and would
    otherwise take the first two words of it.
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
    """A title's words (`analysis.words`) with each spelling of the table replaced by its canonical words."""
    table, out, place = _table(), list[str](), 0
    while place < len(title):
        found = _spelling_at(table, title, place)
        out += found[1] if found else title[place : place + 1]
        place += len(found[0]) if found else 1
    return tuple(out)


def _spelling_at(
    table: dict[str, list[tuple[_Words, _Words]]], title: _Words, place: int
) -> tuple[_Words, _Words] | None:
    for row in table.get(title[place], ()):
        if title[place : place + len(row[0])] == row[0]:
            return row
    return None
