"""Departments and seniority from job titles, and their other spellings.

A title is split into words and searched for the phrases of two tables, the longest first at each word
(`data/titles_departments.toml` and `data/titles_seniority.toml`, which explain their marks). The rest after "assistant
to", "reporting to" and similar phrases is another person's title and is cut off first.

Heads of public bodies (governor, mayor, attorney general, secretary of state) are C-Suite, their deputies Vice
President; members of legislatures, councils and boards are Director; an owner is a Founder; a title without a rank is
Non-Manager.
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
"""Words of a phrase, whether it must be the whole title up to the first separator, and its meaning."""
_Index = dict[str, list[_Entry]]
"""Phrases by first word, the longest first."""


def _words(text: str) -> _Words:
    """Return the words in lower case without accents; "," for each separator, but none at the ends."""
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
    for phrase, meaning in entries:
        words = tuple(phrase.lstrip("=").split())
        index.setdefault(words[0], []).append((words, phrase.startswith("="), meaning))
    for bucket in index.values():
        bucket.sort(key=lambda entry: (-len(entry[0]), not entry[1]))
    return index


def _at(index: _Index, words: _Words, position: int) -> _Entry | None:
    """Return the longest phrase that begins at this word, singular or plural."""
    word = words[position]
    bucket = index.get(word)
    if bucket is None and word.endswith("s"):
        bucket = index.get(word[:-1])
    for entry in bucket or ():
        phrase, whole, _ = entry
        end = position + len(phrase)
        if len(phrase) > 1 and words[position + 1 : end] != phrase[1:]:
            continue
        if not whole or (position == 0 and (end == len(words) or words[end] == ",")):
            return entry
    return None


_SERVING = frozenset(
    "assistant aide adviser advisor secretary pa ea counsel counselor liaison deputy reporting reports staff "
    "support".split()
)


def _without_superior(words: _Words) -> _Words:
    """Return the title without that of a superior: "Assistant" for "Assistant to the CEO"."""
    if "to" in words:
        position = words.index("to")
        if not _SERVING.isdisjoint(words[:position]):
            return words[:position]
    return words


# departments


def _department_index() -> _Index:
    meaning: dict[str, tuple[list[str], list[str]]] = {}
    for department, kinds in _table("titles_departments.toml").items():
        for phrase in kinds.get("strong", ()):
            meaning.setdefault(phrase, ([], []))[0].append(department)
        for phrase in kinds.get("weak", ()):
            meaning.setdefault(phrase, ([], []))[1].append(department)
        for phrase in kinds.get("not", ()):
            meaning.setdefault(phrase, ([], []))
    return _index(meaning.items())


_DEPARTMENTS = _department_index()


@lru_cache(maxsize=65_536)
def _departments(title: str) -> tuple[str, ...]:
    words = _without_superior(_words(title))
    strong: dict[str, None] = {}
    weak: dict[str, None] = {}
    position = 0
    while position < len(words):
        if entry := _at(_DEPARTMENTS, words, position):
            strong.update(dict.fromkeys(entry[2][0]))
            weak.update(dict.fromkeys(entry[2][1]))
            position += len(entry[0])
        else:
            position += 1
    if not words:
        return ()
    return tuple(strong or weak or ("Other",))[:MAX_DEPARTMENTS]


def derive_departments(title: str) -> list[str]:
    """Return up to three of the 16 departments in the title's order; `Other` if none fits, none for an empty title."""
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
"""Number of words after "chief" that may include "officer": Chief Information Security and Privacy Officer."""


def _without_office(words: _Words) -> _Words:
    """Return the title without its office: "Director" for "Director, Office of the CEO"."""
    for position, word in enumerate(words[:-1]):
        if word == "office" and words[position + 1] == "of":
            return words[:position]
    return words


def own_title_words(title: str) -> _Words:
    """Return the words of a title about the person's own position, "," for each separator."""
    return _without_office(_without_superior(_words(title)))


def _is_chief_officer(words: _Words) -> bool:
    if "chief" not in words:
        return False
    after = words[words.index("chief") + 1 :][:_OFFICER_WITHIN]
    return "officer" in (after[: after.index(",")] if "," in after else after)


@lru_cache(maxsize=65_536)
def derive_seniority(title: str) -> str | None:
    """Return the label of the title's highest rank, Non-Manager without one; None for an empty title."""
    words = own_title_words(title)
    if not words:
        return None
    highest = _C_SUITE if _is_chief_officer(words) else _NOTHING
    position = 0
    while position < len(words):
        entry = _at(_SENIORITIES, words, position)
        if entry is None:
            follows = words[position + 1] if position + 1 < len(words) else ","
            if words[position] == "partner" and follows in _AFTER_PARTNER:
                highest = max(highest, _PARTNER)
            position += 1
            continue
        rank, decisive = entry[2]
        if decisive:
            return SENIORITIES[rank]
        position += len(entry[0])
        if rank > highest and not (rank == _C_SUITE and position < len(words) and words[position] in _OFFICE):
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
    """Return the department of any usual spelling or case; None if it is none of the 16."""
    return _KNOWN_DEPARTMENTS.get(_spelling(text))


def normalise_seniority(value: str | int) -> str | None:
    """Return the seniority label of any usual spelling, catalogue name (`entry`) or id (`9`); else None."""
    text = str(value).strip()
    if text.isascii() and text.isdigit():
        return SENIORITIES.get(int(text))
    return _KNOWN_SENIORITIES.get(_spelling(text))
