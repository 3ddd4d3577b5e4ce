"""Write the names of countries, months and weekdays in many languages, from Babel's CLDR data.

    python scripts/cldr_names.py

Read at run time, the locale data of a hundred languages would cost a process half a second and 80 MB.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import babel
from babel import Locale, UnknownLocaleError
from babel.languages import get_official_languages

from firmograph.directory.normalise.gazetteer import countries, fold_label

DATA = Path(__file__).parents[1] / "src" / "firmograph" / "directory" / "normalise" / "data"
LARGER = (
    "en de fr es it pt nl pl ru uk sv da nb fi cs sk hu ro bg el hr sr"
    " tr he ar fa hi bn ja ko zh zh_Hant id vi th"
).split()
"""Languages in which exports from anywhere name countries."""
WRITTEN_DATES = "en en_GB de de_AT fr es it pt nl pl sv da nb fi cs sk hu ro tr id".split()


def country_names() -> Iterator[str]:
    """Yield a line for each country: code, its names in its own languages, and those in the larger ones."""
    for code in sorted(countries().names):
        own = _unknown(code, get_official_languages(code, regional=True, de_facto=True))
        others = [name for name in _unknown(code, LARGER) if name not in own]
        if own or others:
            yield f"{code}\t{';'.join(own)}\t{';'.join(others)}"


def _unknown(code: str, languages: Iterable[str]) -> list[str]:
    """Return the names that are in no other table."""
    names = (_territories(language).get(code, "") for language in languages)
    known = countries().codes
    return list(
        dict.fromkeys(name for name in names if len(fold_label(name)) > 1 and fold_label(name) not in known)
    )


def _territories(language: str) -> dict[str, str]:
    try:
        return dict(Locale.parse(language).territories)
    except (UnknownLocaleError, ValueError):
        return {}


def date_names() -> Iterator[str]:
    """Yield a line for each month, by its number, and one for all weekdays; ambiguous month names are left out."""
    months: dict[str, set[int]] = {"mrz": {3}}
    for number, name in _named("months"):
        months.setdefault(name, set()).add(number)
    for month in range(1, 13):
        yield f"{month}\t{' '.join(sorted(name for name, numbers in months.items() if numbers == {month}))}"
    yield f"weekday\t{' '.join(sorted({name for _, name in _named('days')}))}"


def _named(kind: str) -> Iterator[tuple[int, str]]:
    for language in WRITTEN_DATES:
        contexts = getattr(Locale.parse(language), kind)
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                yield from ((number, fold_label(name)) for number, name in contexts[context][width].items())


def tables() -> dict[str, str]:
    """Return the text of each file by its name."""
    head = f"# Unicode CLDR as of Babel {babel.__version__}, written by scripts/cldr_names.py.\n"
    return {
        name: head + "".join(f"{line}\n" for line in lines)
        for name, lines in (("country_names.tsv", country_names()), ("date_names.tsv", date_names()))
    }


if __name__ == "__main__":
    for name, text in tables().items():
        (DATA / name).write_text(text, "utf-8")
