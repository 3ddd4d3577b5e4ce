"""People's names: folding, exact keys of full names, and blocking keys.

A look-up by name and company never scans all of an employer's people. A contact has a blocking key for each word of its
last name: a skeleton of consonants, independent of accents, case, vowels and doubled letters. A query uses the blocking
keys of both its parts, so swapped names match too. `matching.py` scores the contacts found.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

from firmograph.directory.normalise.plain_text import INVISIBLE

_LETTERS: Final = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h",
    "ı": "i", "ŋ": "n", "ŧ": "t", "ƒ": "f", "ĸ": "k", "ſ": "s", "&": " and ",
}  # fmt: skip
_APOSTROPHES: Final = frozenset("'`´‘’‛ʻʼʹʾʿ′＇")
_NO_PARTS: Final = _APOSTROPHES | frozenset(INVISIBLE)
"""Characters that neither are part of a word nor separate words."""
_MARKS: Final = (
    (0x0300, 0x036F), (0x0591, 0x05C7), (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F),
    (0x0670, 0x0670), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F),
)  # fmt: skip

HONORIFICS: Final = frozenset(
    "dr mr mrs ms miss mx prof professor sir dame lord lady rev reverend hon honorable honourable rep sen "
    "senator representative congressman congresswoman gov governor mayor capt captain col colonel general "
    "lt sgt major adm herr frau mme mlle dott dipl".split()
)
GENERATIONS: Final = {
    "jr": 2,
    "junior": 2,
    "sr": 1,
    "senior": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "2nd": 2,
    "3rd": 3,
}
TITLES_AFTER: Final = frozenset(
    "phd md esq esquire mba cpa cfa dds dvm jd llm llb edd pharmd msc bsc mph pmp cissp mphil dphil obe mbe "
    "cbe frs".split()
)
PARTICLES: Final = frozenset(
    "van von vander der den de del dela della di da do dos das du des la le las los lo el al ben bin ibn abu "
    "ter ten te zu zum zur af av st saint san santa mc mac o y e i dit".split()
)
_SUFFIXES: Final = TITLES_AFTER | GENERATIONS.keys()
BRACKETED: Final = re.compile(r"[(\[{].*?[)\]}]|[\"“”„«].*?[\"“”»]")


class _Folding(dict[int, str]):
    """Table for `str.translate`, filled with each character on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    if character in _NO_PARTS or unicodedata.category(character) == "Cf":
        return ""
    out = []
    decomposed = unicodedata.normalize("NFKD", character).casefold()
    for part in unicodedata.normalize("NFKD", decomposed):
        if part in _NO_PARTS or any(low <= ord(part) <= high for low, high in _MARKS):
            continue
        out.append(_LETTERS.get(part) or (part if unicodedata.category(part)[0] in "LMN" else " "))
    return unicodedata.normalize("NFC", "".join(out))


_FOLDING: Final = _Folding()
_ASCII_FOLDING: Final = bytes(ord(_fold_character(chr(code))[:1] or " ") for code in range(128)) + bytes(128)
_ASCII_APOSTROPHES: Final = "".join(sorted(filter(str.isascii, _APOSTROPHES))).encode()


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """Return words of letters and digits in lower case without accents, separated by one space, in any script.

    Special letters are spelt out (`ø` is o, `ß` is ss), an apostrophe joins (O'Brien is obrien), `&` is and, what
    nobody sees is ignored; every other character separates words. Empty only if there is no letter or digit.
    `fold(fold(x)) == fold(x)`.
    """
    if text.isascii():
        # by bytes, as transcripts are long
        spelt = text.replace("&", _LETTERS["&"]) if "&" in text else text
        return " ".join(spelt.encode().translate(_ASCII_FOLDING, _ASCII_APOSTROPHES).decode().split())
    folded = unicodedata.normalize("NFC", text).translate(_FOLDING)
    return " ".join(unicodedata.normalize("NFC", folded).split())


def share_script(one: str, other: str) -> bool:
    """Return whether two texts have letters of one script."""
    return not scripts_of(one).isdisjoint(scripts_of(other))


@lru_cache(maxsize=65_536)
def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts of the letters, by the first word of their Unicode names: LATIN, CYRILLIC, CJK."""
    letters = set(filter(str.isalpha, fold(text)))
    if letters and text.isascii():
        return _LATIN
    return frozenset(unicodedata.name(letter, "UNKNOWN").split()[0].partition("-")[0] for letter in letters)


_LATIN: Final = frozenset(("LATIN",))


def name_words(part: str) -> list[str]:
    """Return the folded words of a first or last name without leading honorifics and trailing degrees.

    Generations (Jr, III) stay: `matching.py` compares them. At least one word stays, so that Ms Ma and Lord Major keep
    a name.
    """
    words = fold(part).split()
    while len(words) > 1 and words[0] in HONORIFICS:
        del words[0]
    for letters in (3, 2):
        if len(words) > letters and "".join(words[-letters:]) in TITLES_AFTER:
            del words[-letters:]
    while len(words) > 1 and words[-1] in TITLES_AFTER:
        words.pop()
    return words


def without_generation(words: list[str]) -> list[str]:
    """Return the words without a trailing Jr, Sr or III; at least one word stays."""
    end = len(words)
    while end > 1 and words[end - 1] in GENERATIONS:
        end -= 1
    return words[:end]


def without_brackets(part: str) -> str:
    """Remove quoted and bracketed text from a name part, unless there is no other text."""
    return BRACKETED.sub(" ", part).strip() or part


def full_name_key(first: str, last: str) -> str:
    """Return the exact key of a full name: folded, without honorifics, degrees, generations and quoted nicknames.

    Merging and suppression use it for "the same name at the same employer". Jane O'Neil PhD, Dr. Jane ONeil and
    JANE O’NEIL share one key. Empty only if neither part has a letter or digit.
    """
    parts = (without_generation(name_words(without_brackets(part))) for part in (first, last) if part)
    return " ".join(word for words in parts for word in words)


def full_name_keys(first: str, last: str) -> list[str]:
    """Return the key of a full name and, if the first name has several words, the key with only the first of them.

    Jane Marie Doe is also known as Jane Doe, and J. Robert Roe as Robert Roe.
    """
    words = [word for word in name_words(without_brackets(first)) if len(word) > 1]
    short = full_name_key(words[0], last) if words and last else ""
    return list(dict.fromkeys(key for key in (full_name_key(first, last), short) if key))


@lru_cache(maxsize=131_072)
def blocking_key(word: str) -> str:
    """Return a folded word's blocking key: its first letter and the later consonants by sound, doubles collapsed.

    Short words and words of other scripts are their own keys; otherwise half of the common East Asian surnames would
    share a key.
    """
    if len(word) <= 3 or not word.isascii():
        return word
    sound = word.replace("ph", "f").translate(_SOUNDS)
    letters = [sound[0]]
    letters += [b for a, b in pairwise(sound) if b not in "aeiouyh" and b != a]
    return "".join(letters) if len(letters) > 1 else word


_SOUNDS: Final = str.maketrans({"c": "k", "q": "k", "z": "s", "w": "v", "j": "j"})


def _blocking_keys(last: str) -> list[str]:
    words = without_generation(name_words(last)) if last else []
    if len(words) == 1:
        return [blocking_key(words[0])]
    content = [word for word in words if word not in PARTICLES and len(word) > 1] or words
    keys = [blocking_key(word) for word in content]
    if len(content) < len(words):
        keys.append(blocking_key("".join(words)))
    return list(dict.fromkeys(keys))


def stored_blocking_keys(first: str, last: str) -> list[str]:
    """Return the blocking keys of a stored contact: usually one, two for a double last name.

    De la Cruz is stored under Cruz and under Delacruz. Without a last name, the first name is used.
    """
    return _blocking_keys(last) or _blocking_keys(first)


def query_blocking_keys(first: str, last: str) -> list[str]:
    """Return the blocking keys of a query: those of its last name and, for swapped names, of its first name."""
    swapped = [key for key in _blocking_keys(without_brackets(first)) if len(key) > 1 or not key.isascii()]
    return list(dict.fromkeys((_blocking_keys(last) or _blocking_keys(first)) + swapped))[:8]


def split_full_name(full: str) -> tuple[str, str]:
    """Return the first and last name of a full name; the last name is empty if there is only one word.

    `Galvin, Alyse` is reversed, `Ludwig van Beethoven` keeps its particle, degrees and generations stay with the last
    name (`King Jr`), leading honorifics are dropped.
    """
    head, comma, tail = full.partition(",")
    if comma and tail.strip() and not all(_is_suffix(word) for word in tail.replace(",", " ").split()):
        return " ".join(_without_honorifics(tail.replace(",", " ").split())), " ".join(head.split())
    words = _without_honorifics(full.replace(",", " ").split())
    end = len(words)
    while end > 2 and _is_suffix(words[end - 1]):
        end -= 1
    start = end - 1
    while start > 1 and fold(words[start - 1]) in PARTICLES:
        start -= 1
    if start < 1:
        return " ".join(words), ""
    return " ".join(words[:start]), " ".join(words[start:])


def _is_suffix(word: str) -> bool:
    return fold(word).replace(" ", "") in _SUFFIXES


def _without_honorifics(words: list[str]) -> list[str]:
    while len(words) > 1 and fold(words[0]) in HONORIFICS:
        words = words[1:]
    return words
