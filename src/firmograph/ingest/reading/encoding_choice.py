"""Choice of the encoding that most likely wrote some words.

Each encoding makes other texts of the same bytes. The cost of a text, the negative logarithm of its probability, is
that of its letters in the language that fits best. The costs of two encodings differ by how much likelier one is.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from firmograph.ingest.reading.encoding_ideographs import IDEOGRAPHIC, ideographic_costs
from firmograph.ingest.reading.encoding_signs import SIGN_LETTERS, sign_cost
from firmograph.ingest.reading.letter_statistics import fold_case, letters_of

_WESTERN = ("cp1252", "iso8859-15", "mac-roman", "cp850", "cp437")
_CENTRAL = ("cp1250", "iso8859-2", "cp852")
_CYRILLIC = ("cp1251", "koi8-r", "cp866")
_TURKISH = ("cp1254", "iso8859-9")

_LANGUAGES: dict[str, tuple[float, tuple[str, ...]]] = {
    "Albanian": (3, _WESTERN),
    "Catalan": (2, _WESTERN),
    "Croatian": (1.5, _CENTRAL),
    "Czech": (1, _CENTRAL),
    "Danish": (1, _WESTERN),
    "Dutch": (1, _WESTERN),
    "Estonian": (2, ("cp1257", *_WESTERN)),
    "Finnish": (1, _WESTERN),
    "French": (0, _WESTERN),
    "German": (0, _WESTERN),
    "Hungarian": (1, _CENTRAL),
    "Icelandic": (4, _WESTERN),
    "Italian": (0.5, _WESTERN),
    "Norwegian": (1, _WESTERN),
    "Polish": (0.5, _CENTRAL),
    "Portuguese": (0.5, _WESTERN),
    "Romanian": (1, _CENTRAL),
    "Slovak": (1.5, _CENTRAL),
    "Slovenian": (2, _CENTRAL),
    "Spanish": (0, _WESTERN),
    "Swedish": (1, _WESTERN),
    "Turkish": (0.5, _TURKISH),
    "Latvian": (2, ("cp1257",)),
    "Lithuanian": (2, ("cp1257",)),
    "Vietnamese": (1, ("cp1258",)),
    "Bulgarian": (1.5, _CYRILLIC),
    "Macedonian": (3, ("cp1251",)),
    "Russian": (0, _CYRILLIC),
    "Serbian": (2.5, ("cp1251",)),
    "Ukrainian": (1, _CYRILLIC),
    "Greek": (1, ("cp1253",)),
    "Hebrew": (1, ("cp1255",)),
    "Arabic": (1, ("cp1256",)),
    "Persian": (2, ("cp1256",)),
}
"""How rare each language is in files of customers, as a cost, and the encodings that are usual for it."""
_UNUSUAL = 8.0
"""Cost of a language in an encoding that is made for others."""

CANDIDATES: dict[str, float] = {
    "cp1252": 0,
    "cp1250": 0,
    "cp1251": 0,
    "cp1253": 0,
    "cp1254": 0,
    "cp1255": 0,
    "cp1256": 0,
    "cp1257": 0,
    "cp1258": 0,
    "iso8859-15": 1,
    "iso8859-2": 1,
    "iso8859-9": 1,
    "mac-roman": 2,
    "cp850": 2,
    "cp437": 2.5,
    "cp852": 2,
    "cp866": 1.5,
    "koi8-r": 1.5,
    "cp932": 0,
    "euc_jp": 1.5,
    "cp949": 0,
    "gb18030": 0,
    "cp950": 0.5,
}
"""How rare each encoding is, as a cost."""

_MARGIN = 4.0
"""Costs that differ by less leave it open which encoding it is."""
_MARGIN_OF_KINDS = 6.0
"""The same where letters are compared with ideographs, whose costs are reckoned otherwise."""
_MAX_UNIT_COST = 9.0
"""Cost of a byte at which a text counts as garbage in any encoding."""
_MAX_SLACK = 9.0
"""What a text as a whole may cost more, so that a sign that stands alone counts."""
_POOR_FIT = 7.0
"""Cost of a byte from which no encoding fits."""

_MIXED_SCRIPTS = 12.0
_ASCII = 3.0
_GLUED = 6.0
"""Cost of a word that begins or ends at a digit."""
_LONE = 2.0
"""Cost of a single letter where words have several."""
_SIGNS_ALONE = 8.0
"""Cost of signs and single letters without words in an encoding that is made for other languages than western ones."""
_PART = re.compile(rf"[^\W\d_¹²³¼½¾{SIGN_LETTERS}]+|.", re.DOTALL)


_FIRST_UNITS = 40
_HOPELESS = 100.0
"""Encodings that cost so much more for the first texts are not tried with the others."""


class Fit(NamedTuple):
    """Encoding with its cost and the texts that it makes."""

    encoding: str
    cost: float
    texts: tuple[str, ...]


def rank(units: Sequence[bytes]) -> list[Fit]:
    """Return the encodings by their costs, the likeliest first; of those that make the same texts only one."""
    first = _ranked(CANDIDATES, units[:_FIRST_UNITS])
    possible = [fit.encoding for fit in first if fit.cost < first[0].cost + _HOPELESS]
    best: dict[tuple[str, ...], Fit] = {}
    for fit in _ranked(possible, units) if len(units) > _FIRST_UNITS else first:
        best.setdefault(fit.texts, fit)
    return list(best.values())


def _ranked(encodings: Iterable[str], units: Sequence[bytes]) -> list[Fit]:
    return sorted((_fit(encoding, units) for encoding in encodings), key=lambda one: one.cost)


def open_choices(ranked: Sequence[Fit]) -> list[Fit]:
    """Return the encodings that are about as likely as the first, with it."""
    best = ranked[0]
    return [fit for fit in ranked if fit.cost - best.cost < _margin(best, fit)]


def _margin(best: Fit, other: Fit) -> float:
    same_kind = (best.encoding in IDEOGRAPHIC) == (other.encoding in IDEOGRAPHIC)
    return _MARGIN if other is best or same_kind else _MARGIN_OF_KINDS


def is_poor(fit: Fit, units: Sequence[bytes]) -> bool:
    """Return whether the texts fit no language."""
    return fit.cost > _MAX_SLACK + _POOR_FIT * sum(map(len, units))


def _fit(encoding: str, units: Sequence[bytes]) -> Fit:
    texts = tuple(unicodedata.normalize("NFC", unit.decode(encoding, "replace")) for unit in units)
    costs = (ideographic_costs if encoding in IDEOGRAPHIC else _letter_costs)(encoding, texts)
    bounded = (
        min(cost, _MAX_SLACK + _MAX_UNIT_COST * len(unit)) for cost, unit in zip(costs, units, strict=True)
    )
    return Fit(encoding, CANDIDATES[encoding] + sum(bounded), texts)


# --- letters ---


def _letter_costs(encoding: str, texts: Sequence[str]) -> list[float]:
    parsed = [_parse(text) for text in texts]
    rarity = {
        name: rare + (0 if encoding in usual else _UNUSUAL) for name, (rare, usual) in _LANGUAGES.items()
    }
    by_language = {name: [sum(map(letters_of(name).cost, words)) for _, words in parsed] for name in rarity}
    any_language = [
        min(costs[position] + rarity[name] for name, costs in by_language.items())
        for position in range(len(texts))
    ]
    # most words are in the main language, some in any
    mixed = {
        name: [min(cost + 0.1, other + 2.3) for cost, other in zip(costs, any_language, strict=True)]
        for name, costs in by_language.items()
    }
    main = min(mixed, key=lambda name: rarity[name] + sum(mixed[name]))
    found = [fixed + cost for (fixed, _), cost in zip(parsed, mixed[main], strict=True)]
    found[0] += rarity[main]
    if encoding not in _WESTERN and not any(len(word) > 1 for _, words in parsed for word in words):
        found[0] += _SIGNS_ALONE
    return found


def _parse(text: str) -> tuple[float, list[str]]:
    """Return the cost of everything but the words beyond ASCII, and those words in lower case."""
    cost, words = 0.0, []
    for found in _PART.finditer(text):
        part = found[0]
        if part.isascii():
            cost += _ASCII * len(part)
        elif part.isalpha() and part not in SIGN_LETTERS:
            before, after = _surroundings(found)
            cost += _case_cost(part) + _LONE * (len(part) == 1)
            cost += _GLUED * (before[-1:].isdecimal() + after[:1].isdecimal())
            cost += _MIXED_SCRIPTS * _mixes_scripts(before + part + after)
            words.append(fold_case(part))
        else:
            cost += sign_cost(part, *_surroundings(found))
    return cost, words


def _surroundings(found: re.Match[str]) -> tuple[str, str]:
    """Return the letters and digits on both sides of a part."""
    text = found.string
    start, end = found.span()
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[start : found.start()], text[found.end() : end]


def _mixes_scripts(word: str) -> bool:
    """Return whether a word has letters of ASCII and some of another script than Latin."""
    return any(letter.isascii() and letter.isalpha() for letter in word) and any(
        "\u0370" <= letter < "\u1e00" for letter in word
    )


def _case_cost(word: str) -> float:
    if word.islower() or word.isupper() or word[1:].islower():
        return 0.0
    cost = 0.0
    for first, second in pairwise(word):
        if first.islower() and second.isupper():
            cost += 9.0
        elif first.isupper() and second.islower() and first is not word[0]:
            cost += 4.0
    return cost
