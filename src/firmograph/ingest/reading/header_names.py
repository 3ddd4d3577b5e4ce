"""Names of columns as exports write them, and the fields that they stand for (`data/columns.toml`)."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from firmograph.security.record_ids import Entity

_SECTION = {Entity.CONTACT: "contacts", Entity.COMPANY: "companies"}
_MARKS = re.compile(r"[\u0300-\u036f]")
_SIGNS = re.compile(r"[^\w]|_")
_FIGURES = re.compile(r"\d+")
_TYPED = re.compile(r"\.\+(\w*)")


_SIMILAR = 70
"""Percent."""


class Guess(NamedTuple):
    path: str
    """With `+` for the next free place in a list; "" for a column that is left out."""
    type: str
    rank: int
    """Of several columns for one field, the one with the lowest rank goes first."""


Names = Mapping[str, Guess]
"""By plain name."""

_Section = dict[str, list[str]]


class _Tool(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    when: list[list[str]]
    contacts: _Section = {}
    companies: _Section = {}


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    contacts: dict[str, _Section]
    """By language."""
    companies: dict[str, _Section]
    tool: list[_Tool]


class Tool(NamedTuple):
    name: str
    signatures: list[frozenset[str]]
    names: Names

    def wrote(self, header: AbstractSet[str]) -> bool:
        """Whether a header, as plain names, has all columns of one signature."""
        return any(signature <= header for signature in self.signatures)


def plain(name: str) -> str:
    """A name without case, accents, spaces and signs."""
    if not name.isascii():
        name = _MARKS.sub("", unicodedata.normalize("NFKD", name))
    return _SIGNS.sub("", name.casefold())


@cache
def _table() -> _Table:
    text = (files(__package__) / "data" / "columns.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _Table)


@cache
def general_names(entity: Entity) -> Names:
    """The names that mean the same in the exports of all programs."""
    sections: dict[str, _Section] = getattr(_table(), _SECTION[entity])
    return _by_name(sections.values(), 0)


@cache
def tools(entity: Entity) -> list[Tool]:
    """The programs whose exports have names of their own, in the order in which they have their say."""
    return [
        Tool(
            tool.name,
            [frozenset(map(plain, names)) for names in tool.when],
            _by_name([getattr(tool, _SECTION[entity])], -1000),
        )
        for tool in _table().tool
    ]


def names_of(header: Iterable[str], entity: Entity) -> list[Names]:
    """The tables that count for a file with this header, the ones that go first in front."""
    written = {plain(name) for name in header}
    return [*(tool.names for tool in tools(entity) if tool.wrote(written)), general_names(entity)]


def find(name: str, tables: Iterable[Names]) -> Guess | None:
    """What a column's name stands for; figures in it are ignored where no table has a name with them."""
    written = plain(name)
    bare = _FIGURES.sub("", written)
    for names in tables:
        if (guess := names.get(written) or names.get(bare)) is not None:
            return guess
    return None


@cache
def _every_name() -> frozenset[str]:
    tables = [general_names(entity) for entity in Entity]
    tables += [tool.names for entity in Entity for tool in tools(entity)]
    return frozenset(name for names in tables for name in names)


def nearest(name: str, entity: Entity) -> str:
    """The field whose column is most often called similarly; "" where none is."""
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import extractOne

    names = general_names(entity)
    found = extractOne(plain(name), names.keys(), scorer=ratio, score_cutoff=_SIMILAR)
    return names[found[0]].path if found else ""


def is_known(name: str) -> bool:
    """Whether any export has a column of this name."""
    written = plain(name)
    return bool(written) and (written in _every_name() or _FIGURES.sub("", written) in _every_name())


def _by_name(sections: Iterable[_Section], lowest: int) -> Names:
    """The first field that has a name keeps it; ranks go through all languages."""
    found: dict[str, Guess] = {}
    ranks: dict[str, int] = {}
    for section in sections:
        for written, names in section.items():
            typed = _TYPED.search(written)
            path = _TYPED.sub(".+", written)
            for name in names:
                rank = ranks.get(path, lowest)
                ranks[path] = rank + 1
                found.setdefault(plain(name), Guess(path, typed[1] if typed else "", rank))
    return found
