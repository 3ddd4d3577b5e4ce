"""Industry taxonomy (docs/reference/filters.md#industries) and the mapping of other taxonomies to it.

A whole label is looked up first, regardless of case and punctuation, among the labels of the taxonomy itself and of
LinkedIn (2013), GICS, NAICS and SIC; then ordered word rules apply. Other labels stay unmapped: a wrong industry is
worse than none.
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


Classification = tuple[str, str | None]
"""A main industry and, if known, one of its sub-industries."""

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
"""The 17 main industries by ascending id, each with its sub-industries."""

SUB_INDUSTRIES: dict[int, Classification] = {
    sub.id: (main.name, sub.name) for main in MAIN_INDUSTRIES for sub in main.subs
}
"""The 134 sub-industries by id; all but two main industries have one named `Other`."""

_PUNCTUATION = re.compile(r"[^\w]+|_")
_LEVELS = re.compile(r"\s*(?:>|»|›|\||::|\s/\s|:)\s*")


def _key(label: str) -> str:
    return _PUNCTUATION.sub(" ", label.casefold().replace("&", " and ")).strip()


def _labels(tables: dict[str, dict[str, list[str]]]) -> dict[str, Classification]:
    """Return every known label; the taxonomy's own names come last, so that no foreign label hides them."""
    known: dict[str, Classification] = {}
    for main, subs in tables.items():
        for sub, labels in subs.items():
            known |= {_key(label): (main, sub or None) for label in labels}
    for industry in MAIN_INDUSTRIES:
        known |= {_key(sub.name): (industry.name, sub.name) for sub in industry.subs if sub.name != "Other"}
    mains: dict[str, Classification] = {
        _key(industry.name): (industry.name, None) for industry in MAIN_INDUSTRIES
    }
    # a main industry with a sub-industry of the same name stays that sub-industry
    return known | {
        key: classification
        for key, classification in mains.items()
        if known.get(key, (None,))[0] != classification[0]
    }


class _Rule(msgspec.Struct, frozen=True):
    exact: frozenset[str]
    stem: str
    classification: Classification

    def fits(self, words: frozenset[str]) -> bool:
        if not self.exact <= words:
            return False
        return not self.stem or any(word.startswith(self.stem) for word in words)


def _rules(tables: list[dict[str, Any]]) -> list[_Rule]:
    rules = []
    for table in tables:
        classification = (table["industry"], table.get("sub"))
        for words in table["words"]:
            stems = [word[:-1] for word in words if word.endswith("*")]
            exact = frozenset(word for word in words if not word.endswith("*"))
            rules.append(_Rule(exact, "".join(stems), classification))
    return rules


_TABLES: dict[str, Any] = tomllib.loads((_DATA / "industries_labels.toml").read_text("utf-8"))
_RULES = _rules(_TABLES.pop("rules"))
_KNOWN = _labels(_TABLES)
_OWN_SUBS = {(main.name, _key(sub.name)): sub.name for main in MAIN_INDUSTRIES for sub in main.subs}


@lru_cache(maxsize=8192)
def normalise_industry(label: str | None, sub_label: str | None = None) -> tuple[str | None, str | None]:
    """Return the main industry and sub-industry of the labels, None where nothing fits.

    A known sub-label decides, because it is more precise, unless only a word rule recognises it and the label names
    another main industry. A label with several levels (`A > B`) is read from its end.
    """
    classification = _classify(label)
    if not sub_label or not sub_label.strip():
        return classification or (None, None)
    if classification and (own := _OWN_SUBS.get((classification[0], _key(sub_label)))):
        return classification[0], own
    finer = _KNOWN.get(_key(sub_label))
    if finer is None:
        finer = _classify(sub_label)
        if classification and finer and finer[0] != classification[0]:
            return classification
    if finer and finer[1] is None and classification and classification[0] == finer[0]:
        return classification
    return finer or classification or (None, None)


def _classify(label: str | None) -> Classification | None:
    if not label or not label.strip():
        return None
    key = _key(label)
    if classification := _KNOWN.get(key):
        return classification
    levels = _LEVELS.split(label)
    if len(levels) > 1:
        return next(
            (classification for level in reversed(levels) if (classification := _classify(level))), None
        )
    words = frozenset(key.split())
    return next((rule.classification for rule in _RULES if rule.fits(words)), None)
