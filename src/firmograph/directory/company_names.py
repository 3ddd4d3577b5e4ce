"""Keys of company names, equal for spellings that differ in legal form.

`ä ö ü å ø` are written as one letter or spelt out as two, so a name with them has two keys. `ae` and `ue` may stand
for one of these letters or not (Blue), so the loose key of such a name is for look-ups only.

`data/company_legal_forms.txt` lists the legal forms, folded. They are dropped from the end of a name, and from the
beginning where a language puts them there; never from the middle, and never as the only word left. So Limited Brands,
SA Power and The Limited stay names.
"""

import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from firmograph.directory.names import fold

_UNSPACED: Final = (
    "株式会社", "有限会社", "合同会社", "合名会社", "合資会社", "股份有限公司", "有限责任公司",
    "有限責任公司", "有限公司", "주식회사", "유한회사", "유한책임회사",
)  # fmt: skip
"""Legal forms in scripts without spaces between words."""
_BRACKETED: Final = re.compile(r"\((株|有|同|주|유)\)|[㈱㈲㈜]")
_STATE: Final = re.compile(r"(?<=\S )(.*?)\s*[/\\]\s*([A-Za-z]{2,3}|[A-Za-z ]{2,20}[/\\])\s*$")
"""State of incorporation after a name in filings: WELLS FARGO & COMPANY/MN, TROOPS INC /NC/."""
_AS_WRITTEN: Final = re.compile(
    r"(?<=\S)[\s,]+(?:e\.\s?[KU]\.?|eK|Ky|d\.\s?d\.|s\.\s?p\.|i\.\s?(?:L|G|Gr|I|Abw)\.|\(i\.\s?L\.\)|G\.K\.|C\.I\.C\.)\s*\Z"
)
"""Legal forms that are words or regions if written in another way: e.U. in Austria, not EU in Acme EU; Ky, not KY."""
_PRIVATE: Final = re.compile(r"(?<=\S)\s*\(P\)(?=\s*(?:Ltd|Limited)\b)", re.IGNORECASE)
"""Mark of private companies in India: Acme (P) Ltd."""
_CONJUNCTIONS: Final = frozenset(("and", "und", "et"))


class _Forms(NamedTuple):
    behind: frozenset[tuple[str, ...]]
    before: frozenset[tuple[str, ...]]
    whole: frozenset[tuple[str, ...]]
    """Beginnings of names that look like legal forms."""
    last_words: frozenset[str]
    first_words: frozenset[str]
    longest: int


@lru_cache(maxsize=1)
def _forms() -> _Forms:
    behind, before, whole = set(), set(), set()
    text = files("firmograph.directory").joinpath("data/company_legal_forms.txt").read_text("utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        words = tuple(line.lstrip("^= ").split())
        if line.startswith("="):
            whole.add(words)
            continue
        if line.startswith("^"):
            before.add(words)
        if not line.startswith("^^"):
            behind.add(words)
    return _Forms(
        frozenset(behind),
        frozenset(before),
        frozenset(whole),
        frozenset(words[-1] for words in behind),
        frozenset(words[0] for words in before),
        max(map(len, behind | before)),
    )


_SPELT_OUT: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}
    | {"Ä": "ae", "Ö": "oe", "Ü": "ue", "Å": "aa", "Ø": "oe"}
)
_PAIR: Final = re.compile("([aou])e")
_LONGEST_ACRONYM: Final = 5


class _SpeltOut(str):
    """Folded word with its spelling in which two letters stand for one."""

    __slots__ = ("as_two",)
    as_two: str


@lru_cache(maxsize=65_536)
def company_keys(name: str) -> tuple[str, ...]:
    """Return `company_key` and, if different, the same key spelt out: `muller` and `mueller` for `müller`.

    Empty if the name has no letter or digit.
    """
    words = company_words(name)
    keys = "".join(words), "".join(getattr(word, "as_two", word) for word in words)
    return tuple(dict.fromkeys(key for key in keys if key))


def loose_key(name: str) -> str:
    """Return the key with `ae oe ue` as `a o u`: `muller` for Mueller and Muller.

    Empty for an acronym, because a different letter makes a different acronym.
    """
    key = company_key(name)
    if len(key) <= _LONGEST_ACRONYM and name.isupper():
        return ""
    return _PAIR.sub(r"\1", key)


@lru_cache(maxsize=65_536)
def company_key(name: str) -> str:
    """Return the name without spaces, accents, case, punctuation, `and`, a leading `the` and legal forms.

    Red Hat, Inc. and RedHat share `redhat`; Smith & Sons Ltd and The Smith and Sons Company `smithsons`.
    Empty only if the name has no letter or digit.
    """
    return "".join(company_words(name))


def company_words(name: str) -> list[str]:
    """Return the significant words of a name in order, the parts of `company_key`."""
    if "/" in name or "\\" in name:
        name = _STATE.sub(r"\1", name)
    if not name.isascii():
        name = _BRACKETED.sub(" ", name).strip() or name
    if "." in name or name.endswith(("eK", "Ky")):
        name = _AS_WRITTEN.sub("", name)
    if "(" in name:
        name = _PRIVATE.sub(" ", name)
    words = _joined_letters(_folded(name))
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    if len(words) > 1 and words[-1] == "the":  # "Limited, The"
        words = words[:-1]
    words = _without_forms(words)
    if not name.isascii():
        words = [_without_unspaced(word) for word in words if word not in _UNSPACED] or words
    return [word for word in words if word not in _CONJUNCTIONS] or words


def ends_with_form(name: str) -> bool:
    """Return whether a name ends with a legal form behind another word."""
    words = _joined_letters(fold(name).split())
    return bool(words) and words[-1] in _forms().last_words and _form_size(words, _forms()) > 0


def _folded(name: str) -> list[str]:
    """Return the folded words of a name, with spelt-out forms where a letter has one."""
    words = fold(name).split()
    if name.isascii():
        return words
    as_two = fold(unicodedata.normalize("NFC", name).translate(_SPELT_OUT)).split()
    return [_spelt(one, two) for one, two in zip(words, as_two, strict=True)]


def _spelt(one: str, two: str) -> str:
    if one == two:
        return one
    word = _SpeltOut(one)
    word.as_two = two
    return word


def _joined_letters(words: list[str]) -> list[str]:
    """Join runs of single letters into a word: s a becomes sa, u s steel becomes us steel."""
    if not any(len(word) == 1 for word in words):
        return words
    joined: list[str] = []
    run = False
    for word in words:
        single = len(word) == 1 and word.isalpha()
        if single and run:
            joined[-1] += word
        else:
            joined.append(word)
        run = single
    return joined


def _without_forms(words: list[str]) -> list[str]:
    forms = _forms()
    while len(words) > 1:
        if words[-1] in _CONJUNCTIONS:
            words = words[:-1]
        elif words[-1] in forms.last_words and (size := _form_size(words, forms)):
            words = words[:-size]
        else:
            break
    if len(words) > 1 and words[0] in forms.first_words and not _is_whole(words, forms):
        for size in range(min(forms.longest, len(words) - 1), 0, -1):
            if tuple(words[:size]) in forms.before:
                return words[size:]
    return words


def _is_whole(words: list[str], forms: _Forms) -> bool:
    return any(tuple(words[: len(whole)]) == whole for whole in forms.whole)


def _form_size(words: list[str], forms: _Forms) -> int:
    """Return the number of last words in the longest legal form that leaves a word; 0 if there is none."""
    for size in range(min(forms.longest, len(words) - 1), 0, -1):
        if tuple(words[-size:]) in forms.behind:
            return size
    return 0


def _without_unspaced(word: str) -> str:
    for form in _UNSPACED:
        if word != form and word.endswith(form):
            return word[: -len(form)]
        if word != form and word.startswith(form):
            return word[len(form) :]
    return word
