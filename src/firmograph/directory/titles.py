"""Departments and seniority derived from a job title, and their other spellings normalised.

A title is cut into words, and phrases of two readable tables are looked for in it, the longest first at each
word (`data/titles_departments.toml` and `data/titles_seniority.toml`, which tell their marks). What follows
"assistant to", "reporting to" and the like is somebody else's title and is cut off first.

Rulings: the heads of public bodies (governor, mayor, attorney general, secretary of state) are C-Suite, their
deputies Vice President, and members of legislatures and councils Director, as members of a board are;
an owner is a Founder; a title that shows no rank is Non-Manager.
"""

import tomllib
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any

from firmograph.directory.vocabulary import DEPARTMENTS, SENIORITIES

MAX_DEPARTMENTS = 3

_MARKS = {ord(mark): " , " for mark in ",;|/()[]–—:@•·\n\t"}
_MARKS |= {ord(mark): " " for mark in '-_"*!?\u00a0'} | {ord("&"): " and ", ord("+"): " and "}
_MARKS |= {ord(mark): "" for mark in ".'’`"}

_Words = tuple[str, ...]
_Entry = tuple[_Words, bool, Any]
"""The words of a phrase, whether it must be the whole title up to its first separator, and what it shows."""
_Index = dict[str, list[_Entry]]
"""Phrases by their first word, the longest first."""


def _words(text: str) -> _Words:
    """Words in lower case without accents; "," for each separator, but none at the ends."""
    text = text.casefold().replace(" - ", " , ").translate(_MARKS)
    if not text.isascii():
        text = "".join(
            char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)
        )
    return tuple(text.strip(" ,").split())


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((files("firmograph.directory") / "data" / name).read_text("utf-8"))


def _index(entries: Iterable[tuple[str, Any]]) -> _Index:
    index: _Index = {}
    for phrase, shown in entries:
        words = tuple(phrase.lstrip("=").split())
        index.setdefault(words[0], []).append((words, phrase.startswith("="), shown))
    for bucket in index.values():
        bucket.sort(key=lambda entry: (-len(entry[0]), not entry[1]))
    return index


def _at(index: _Index, words: _Words, place: int) -> _Entry | None:
    """The longest phrase that begins at this word, singular or plural."""
    word = words[place]
    bucket = index.get(word)
    if bucket is None and word.endswith("s"):
        bucket = index.get(word[:-1])
    for entry in bucket or ():
        phrase, whole, _ = entry
        end = place + len(phrase)
        if len(phrase) > 1 and words[place + 1 : end] != phrase[1:]:
            continue
        if not whole or (place == 0 and (end == len(words) or words[end] == ",")):
            return entry
    return None


_SERVING = frozenset(
    "assistant aide adviser advisor secretary pa ea counsel counselor liaison deputy reporting reports staff "
    "support".split()
)


def _own(words: _Words) -> _Words:
    """The title without the one of whoever this person serves: "Assistant to the CEO" is "Assistant"."""
    if "to" in words:
        place = words.index("to")
        if not _SERVING.isdisjoint(words[:place]):
            return words[:place]
    return words


# departments


def _department_index() -> _Index:
    shown: dict[str, tuple[list[str], list[str]]] = {}
    for department, kinds in _table("titles_departments.toml").items():
        for phrase in kinds.get("strong", ()):
            shown.setdefault(phrase, ([], []))[0].append(department)
        for phrase in kinds.get("weak", ()):
            shown.setdefault(phrase, ([], []))[1].append(department)
        for phrase in kinds.get("not", ()):
            shown.setdefault(phrase, ([], []))
    return _index(shown.items())


_DEPARTMENTS = _department_index()


@lru_cache(maxsize=65_536)
def _departments(title: str) -> tuple[str, ...]:
    words = _own(_words(title))
    strong: dict[str, None] = {}
    weak: dict[str, None] = {}
    place = 0
    while place < len(words):
        if entry := _at(_DEPARTMENTS, words, place):
            strong.update(dict.fromkeys(entry[2][0]))
            weak.update(dict.fromkeys(entry[2][1]))
            place += len(entry[0])
        else:
            place += 1
    if not words:
        return ()
    return tuple(strong or weak or ("Other",))[:MAX_DEPARTMENTS]


def derive_departments(title: str) -> list[str]:
    """Up to three of the 16 departments in the title's order; `Other` where none fits, none for no title."""
    return list(_departments(title))


# seniority

_NOTHING, _NON_MANAGER, _PARTNER, _C_SUITE = 0, 3, 7, 9
_RANK = {label: rank for rank, label in SENIORITIES.items()} | {"nothing": _NOTHING}


def _seniority_index() -> _Index:
    entries = _table("titles_seniority.toml").items()
    return _index(
        (phrase.rstrip("!"), (_RANK[label], phrase.endswith("!")))
        for label, phrases in entries
        for phrase in phrases
    )


_SENIORITIES = _seniority_index()

_AFTER_PARTNER = frozenset(", and of at in for".split())
_OFFICE = frozenset("assistant secretary aide office advisor adviser liaison".split())
_OFFICER_WITHIN = 7
"""Words after "chief" among which "officer" is looked for: Chief Information Security and Privacy Officer."""


def _head(words: _Words) -> _Words:
    """The title without the office it is in: "Director, Office of the CEO" is "Director"."""
    for place, word in enumerate(words[:-1]):
        if word == "office" and words[place + 1] == "of":
            return words[:place]
    return words


def own_title_words(title: str) -> _Words:
    """The words of a title, as they tell of this person's own post, "," for each separator."""
    return _head(_own(_words(title)))


def _is_chief_officer(words: _Words) -> bool:
    if "chief" not in words:
        return False
    after = words[words.index("chief") + 1 :][:_OFFICER_WITHIN]
    return "officer" in (after[: after.index(",")] if "," in after else after)


@lru_cache(maxsize=65_536)
def derive_seniority(title: str) -> str | None:
    """The label of the highest rank that the title shows, Non-Manager if none; None for no title."""
    words = own_title_words(title)
    if not words:
        return None
    highest = _C_SUITE if _is_chief_officer(words) else _NOTHING
    place = 0
    while place < len(words):
        entry = _at(_SENIORITIES, words, place)
        if entry is None:
            follows = words[place + 1] if place + 1 < len(words) else ","
            if words[place] == "partner" and follows in _AFTER_PARTNER:
                highest = max(highest, _PARTNER)
            place += 1
            continue
        rank, decisive = entry[2]
        if decisive:
            return SENIORITIES[rank]
        place += len(entry[0])
        if rank > highest and not (rank == _C_SUITE and place < len(words) and words[place] in _OFFICE):
            highest = rank
    return SENIORITIES[highest or _NON_MANAGER]


# other spellings


def _spelling(text: str) -> str:
    return " ".join(word for word in _words(text.replace("_", " ")) if word != ",")


def _known(spellings: dict[str, list[str]], labels: Iterable[str]) -> dict[str, str]:
    known = {_spelling(text): label for label, texts in spellings.items() for text in texts}
    return known | {_spelling(label): label for label in labels}


_SPELLINGS = _table("titles_spellings.toml")
_KNOWN_SENIORITIES = _known(_SPELLINGS["seniorities"], SENIORITIES.values())
_KNOWN_DEPARTMENTS = _known(_SPELLINGS["departments"], DEPARTMENTS)


def normalise_department(text: str) -> str | None:
    """One of the 16 departments, from any usual spelling or case; None where it is none of them."""
    return _KNOWN_DEPARTMENTS.get(_spelling(text))


def normalise_seniority(value: str | int) -> str | None:
    """The label of records, from any usual spelling, catalogue name (`entry`) or id (`9`); else None."""
    text = str(value).strip()
    if text.isascii() and text.isdigit():
        return SENIORITIES.get(int(text))
    return _KNOWN_SENIORITIES.get(_spelling(text))
