"""Column names of common exports and their fields (`data/columns.toml`)."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from firmograph.ingest.reading.clean_texts import clean_text
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.security.record_ids import Entity

_MARKS = re.compile(r"[\u0300-\u036f]")
_SIGNS = re.compile(r"[^\w]|_")
_FIGURES = re.compile(r"\d+")
_TYPED = re.compile(r"\.\+(\w*)")


_CONSENT = re.compile(
    r"consent|opt(?:ed)?in|permission|permit|agree|approv|allow|okto|maycall|docall|einwillig|zustimm|erlaub|zulass|"
    r"accord|autoris|autoriz|permis|acept|accett|toestem|mail|sms|text|fax|newsletter|marketing|date|datum|fecha"
)
"""Signs of a column that says yes to calls, is of another channel, or is no mark but its date."""
_MIN_SIMILARITY = 85
"""Similarity in percent that a suggestion needs: a typing error or two, not another word (`Stage`, `Owner`)."""


class Guess(NamedTuple):
    path: str
    """Field path, with `+` for the next free item of a list; "" for a column to leave out."""
    type: str
    rank: int
    """Priority among columns for the same field; the lowest rank goes first."""


NameTable = Mapping[str, Guess]
"""Guesses by plain name."""

_Section = dict[str, list[str]]


class _ToolSection(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    when: list[list[str]]
    contacts: _Section = {}
    companies: _Section = {}


class _ColumnsFile(msgspec.Struct, forbid_unknown_fields=True):
    contacts: dict[str, _Section]
    """Sections by language."""
    companies: dict[str, _Section]
    tool: list[_ToolSection]


class ExportTool(NamedTuple):
    name: str
    signatures: list[frozenset[str]]
    names: NameTable

    def wrote(self, header: AbstractSet[str]) -> bool:
        """Return whether a header, as plain names, has all columns of one signature."""
        return any(signature <= header for signature in self.signatures)


def plain_name(name: str) -> str:
    """Return a name without case, accents, spaces and signs."""
    if not name.isascii():
        name = _MARKS.sub("", unicodedata.normalize("NFKD", name))
    return _SIGNS.sub("", name.casefold())


@cache
def _columns_file() -> _ColumnsFile:
    text = (files(__package__) / "data" / "columns.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _ColumnsFile)


@cache
def general_names(entity: Entity) -> NameTable:
    """Return the names that mean the same in all programs' exports."""
    sections: dict[str, _Section] = getattr(_columns_file(), entity.plural)
    return _index_by_name(sections.values(), 0)


@cache
def export_tools(entity: Entity) -> list[ExportTool]:
    """Return the programs whose exports have names of their own, by priority."""
    return [
        ExportTool(
            tool.name,
            [frozenset(map(plain_name, names)) for names in tool.when],
            _index_by_name([getattr(tool, entity.plural)], -1000),
        )
        for tool in _columns_file().tool
    ]


def name_tables(header: Iterable[str], entity: Entity) -> list[NameTable]:
    """Return the name tables for a file with this header, by priority."""
    written = {plain_name(name) for name in header}
    return [*(tool.names for tool in export_tools(entity) if tool.wrote(written)), general_names(entity)]


def find_guess(name: str, tables: Iterable[NameTable]) -> Guess | None:
    """Return the field of a column's name; digits are ignored if no table has the name with them."""
    written = plain_name(name)
    bare = _FIGURES.sub("", written)
    for names in tables:
        if (guess := names.get(written) or names.get(bare)) is not None:
            return guess
    return None


@cache
def _all_names() -> frozenset[str]:
    tables = [general_names(entity) for entity in Entity]
    tables += [tool.names for entity in Entity for tool in export_tools(entity)]
    return frozenset(name for names in tables for name in names)


def nearest_field(name: str, entity: Entity) -> str:
    """Return the field with the most similar column name; "" if none is similar."""
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import extractOne

    names = general_names(entity)
    found = extractOne(plain_name(name), names.keys(), scorer=ratio, score_cutoff=_MIN_SIMILARITY)
    path = names[found[0]].path if found else ""
    if path.startswith(("optedOut", "optedIn")):
        # a name that is only like one may say the opposite
        return ""
    return "" if path.startswith("doNotCall") and _CONSENT.search(plain_name(name)) else path


def header_name(cell: object) -> str:
    """Return the column name in a cell of a header."""
    return "" if cell is None or cell is UNREADABLE else clean_text(str(cell)).strip()


def simple_name(name: str) -> str:
    """Return a name without case, blanks, hyphens and underscores, much faster than `plain_name`."""
    return name.lower().replace(" ", "").replace("_", "").replace("-", "")


@cache
def listed_spellings() -> frozenset[str]:
    """Return the plain and the simple names of all columns of any export."""
    general = _columns_file().contacts, _columns_file().companies
    sections = [section for each in general for section in each.values()]
    sections += [section for tool in _columns_file().tool for section in (tool.contacts, tool.companies)]
    written = (name for section in sections for names in section.values() for name in names)
    return _all_names().union(map(simple_name, written))


def is_listed(name: str) -> bool:
    """Return whether any export has a column of this name, digits included."""
    return plain_name(name) in _all_names()


def is_known(name: str) -> bool:
    """Return whether any export has a column of this name, or one that differs from it in digits."""
    written = plain_name(name)
    return bool(written) and (written in _all_names() or _FIGURES.sub("", written) in _all_names())


def _index_by_name(sections: Iterable[_Section], lowest: int) -> NameTable:
    """Return guesses by plain name; of several fields with the same name the first one gets it.

    Ranks continue across languages.
    """
    found: dict[str, Guess] = {}
    ranks: dict[str, int] = {}
    for section in sections:
        for written, names in section.items():
            typed = _TYPED.search(written)
            path = _TYPED.sub(".+", written)
            for name in names:
                rank = ranks.get(path, lowest)
                ranks[path] = rank + 1
                found.setdefault(plain_name(name), Guess(path, typed[1] if typed else "", rank))
    return found
