"""The industry taxonomy (docs/reference/filters.md#industries) and the usual labels of other taxonomies mapped into it.

A label is looked up whole first, whatever its case and punctuation, in a table of the taxonomy's own labels
and of those of LinkedIn (2013), GICS, NAICS and SIC; then by ordered word rules. What neither knows stays
unmapped: a wrong industry is worse than none.
"""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec


class SubIndustry(msgspec.Struct, frozen=True):
    id: int
    name: str


class MainIndustry(msgspec.Struct, frozen=True):
    id: int
    name: str
    subs: tuple[SubIndustry, ...]


Place = tuple[str, str | None]
"""A main industry and, where it is known, a sub-industry of it."""

_DATA = files("firmograph.directory") / "data"
_SUB = re.compile(r"(\d+) (.+)")


def _taxonomy() -> tuple[MainIndustry, ...]:
    lines = (_DATA / "industries.tsv").read_text("utf-8").splitlines()
    mains = []
    for number, name, subs in (line.split("\t") for line in lines if not line.startswith("#")):
        pairs = [_SUB.fullmatch(sub) for sub in subs.split("; ")]
        found = tuple(SubIndustry(int(pair[1]), pair[2]) for pair in pairs if pair)
        mains.append(MainIndustry(int(number), name, found))
    return tuple(mains)


MAIN_INDUSTRIES = _taxonomy()
"""The 17 main industries in the order of their ids, each with its sub-industries."""

SUB_INDUSTRIES: dict[int, Place] = {
    sub.id: (main.name, sub.name) for main in MAIN_INDUSTRIES for sub in main.subs
}
"""The 134 sub-industries by id; `Other` is one of each main industry but two."""

_PUNCTUATION = re.compile(r"[^\w]+|_")
_LEVELS = re.compile(r"\s*(?:>|»|›|\||::|\s/\s|:)\s*")


def _key(label: str) -> str:
    return _PUNCTUATION.sub(" ", label.casefold().replace("&", " and ")).strip()


def _labels(tables: dict[str, dict[str, list[str]]]) -> dict[str, Place]:
    """Every known label; the taxonomy's own names are set last, so that no foreign label shadows them."""
    known: dict[str, Place] = {}
    for main, subs in tables.items():
        for sub, labels in subs.items():
            known |= {_key(label): (main, sub or None) for label in labels}
    for industry in MAIN_INDUSTRIES:
        known |= {_key(sub.name): (industry.name, sub.name) for sub in industry.subs if sub.name != "Other"}
    mains: dict[str, Place] = {_key(industry.name): (industry.name, None) for industry in MAIN_INDUSTRIES}
    # two main industries have one sub-industry of their own name, which says no less
    return known | {key: place for key, place in mains.items() if known.get(key, (None,))[0] != place[0]}


class _Rule(msgspec.Struct, frozen=True):
    exact: frozenset[str]
    stem: str
    place: Place

    def fits(self, words: frozenset[str]) -> bool:
        if not self.exact <= words:
            return False
        return not self.stem or any(word.startswith(self.stem) for word in words)


def _rules(tables: list[dict[str, Any]]) -> list[_Rule]:
    rules = []
    for table in tables:
        place = (table["industry"], table.get("sub"))
        for words in table["words"]:
            stems = [word[:-1] for word in words if word.endswith("*")]
            exact = frozenset(word for word in words if not word.endswith("*"))
            rules.append(_Rule(exact, "".join(stems), place))
    return rules


_TABLES: dict[str, Any] = tomllib.loads((_DATA / "industries_labels.toml").read_text("utf-8"))
_RULES = _rules(_TABLES.pop("rules"))
_KNOWN = _labels(_TABLES)
_OWN_SUBS = {(main.name, _key(sub.name)): sub.name for main in MAIN_INDUSTRIES for sub in main.subs}


@lru_cache(maxsize=8192)
def normalise_industry(label: str | None, sub_label: str | None = None) -> tuple[str | None, str | None]:
    """The main industry and sub-industry that the labels mean, None where nothing fits.

    The sub-label decides where it is known, being the more precise, unless only a word rule places it and
    the label names another main industry. A label of several levels (`A > B`) is read from its end.
    """
    place = _place(label)
    if not sub_label or not sub_label.strip():
        return place or (None, None)
    if place and (own := _OWN_SUBS.get((place[0], _key(sub_label)))):
        return place[0], own
    finer = _KNOWN.get(_key(sub_label))
    if finer is None:
        finer = _place(sub_label)
        if place and finer and finer[0] != place[0]:
            return place
    if finer and finer[1] is None and place and place[0] == finer[0]:
        return place
    return finer or place or (None, None)


def _place(label: str | None) -> Place | None:
    if not label or not label.strip():
        return None
    key = _key(label)
    if place := _KNOWN.get(key):
        return place
    levels = _LEVELS.split(label)
    if len(levels) > 1:
        return next((place for level in reversed(levels) if (place := _place(level))), None)
    words = frozenset(key.split())
    return next((rule.place for rule in _RULES if rule.fits(words)), None)
