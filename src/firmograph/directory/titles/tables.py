"""Tables of phrases of job titles, one for each language, and the parts of compounds."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Generic, NamedTuple, TypeVar

from firmograph.directory.titles.words import Words, title_words
from firmograph.directory.vocabulary import SENIORITIES

LANGUAGES = ("english", "german", "french", "spanish", "italian", "portuguese", "dutch", "polish", "nordic")
"""Files of phrases; a phrase has the meaning of the first language that has it."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})
RANKS = {label: rank for rank, label in SENIORITIES.items()} | {"nothing": 0}


T = TypeVar("T")


class Rank(NamedTuple):
    rank: int
    decisive: bool = False
    """Whether it decides whatever else the title has."""
    is_head: bool = False
    """Whether it is Director with the name of a function, else Manager."""


class Meaning(NamedTuple):
    """Departments of a phrase or part of a word."""

    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


NO_RANK, NO_MEANING = Rank(0), Meaning()


class PhraseEntry(NamedTuple, Generic[T]):
    words: Words
    whole: bool
    """Whether the phrase must be the whole title up to the first separator."""
    meaning: T


class PhraseIndex(Generic[T]):
    """Phrases by their first word, the longest first."""

    def __init__(self, phrases: Iterable[tuple[str, T]], has_feminine: bool = True) -> None:
        self._has_feminine = has_feminine
        self._entries: dict[str, list[PhraseEntry[T]]] = {}
        for phrase, meaning in phrases:
            words = tuple(phrase.lstrip("=").split())
            self._entries.setdefault(words[0], []).append(PhraseEntry(words, phrase.startswith("="), meaning))
        for bucket in self._entries.values():
            bucket.sort(key=lambda entry: (-len(entry.words), not entry.whole))

        self._firsts = {form for word in self._entries for form in (word, f"{word}s", f"{word}in")}

    def may_be_in(self, words: Words) -> bool:
        """Return whether a word of the title begins any phrase."""
        return not self._firsts.isdisjoint(words)

    def at(self, words: Words, position: int) -> PhraseEntry[T] | None:
        """Return the longest phrase that begins at this word, singular or plural, feminine or not."""
        word = words[position]
        bucket = self._entries.get(word)
        if bucket is None and word.endswith("s"):
            bucket = self._entries.get(word[:-1])
        elif bucket is None and self._has_feminine and word.endswith("in"):
            bucket = self._entries.get(word[:-2])
        for entry in bucket or ():
            end = position + len(entry.words)
            if len(entry.words) > 1 and words[position + 1 : end] != entry.words[1:]:
                continue
            if not entry.whole or (position == 0 and (end == len(words) or words[end] == ",")):
                return entry
        return None


@dataclass
class Compounds:
    """Parts of compounds ("Vertriebs-leiter"), in lower case without accents."""

    ranks: dict[str, Rank] = field(default_factory=dict)
    """Last parts with a rank."""
    small: set[str] = field(default_factory=set)
    """First parts that name no function of a company, but a team, a site or the like."""
    endings: dict[str, Meaning] = field(default_factory=dict)
    beginnings: dict[str, Meaning] = field(default_factory=dict)


@dataclass
class TitleTables:
    seniorities: PhraseIndex[Rank]
    departments: PhraseIndex[Meaning]
    assistants: PhraseIndex[None]
    """Phrases after which another person's title follows."""
    compounds: Compounds


def read_table(name: str) -> dict[str, Any]:
    path = files("firmograph.directory.titles") / "data" / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8"))


def load_tables(languages: Iterable[str] = LANGUAGES) -> TitleTables:
    ranks: dict[str, Rank] = {}
    meanings: dict[str, Meaning] = {}
    assistants: dict[str, None] = {}
    compounds = Compounds()
    for language in languages:
        table = read_table(language)
        for phrase, rank in _ranks(table["seniority"]):
            ranks.setdefault(phrase, rank)
        for phrase in _forms(table["seniority"].get("assistants", ())):
            assistants[phrase] = None
        for phrase, meaning in department_phrases(table["departments"]).items():
            meanings.setdefault(phrase, meaning)
        _add_compounds(compounds, table)
    return TitleTables(
        PhraseIndex(ranks.items()), PhraseIndex(meanings.items()), PhraseIndex(assistants.items()), compounds
    )


def load_former_tables() -> TitleTables:
    """Return the tables of English phrases by which earlier releases derived."""
    ranks = dict(_ranks(read_table("former/seniority")))
    meanings = department_phrases(read_table("former/departments"))
    return TitleTables(
        PhraseIndex(ranks.items(), has_feminine=False),
        PhraseIndex(meanings.items(), has_feminine=False),
        PhraseIndex(()),
        Compounds(),
    )


def _ranks(table: Mapping[str, list[str]]) -> Iterator[tuple[str, Rank]]:
    for label, phrases in table.items():
        if label == "assistants":
            continue
        for phrase in phrases:
            for form in _forms([phrase.rstrip("!")]):
                yield form, _rank(label, phrase)


def _rank(label: str, phrase: str) -> Rank:
    if label == "heads":
        return Rank(RANKS["Manager"], is_head=True)
    return Rank(RANKS[label], phrase.endswith("!"))


def department_phrases(table: Mapping[str, Mapping[str, list[str]]]) -> dict[str, Meaning]:
    """Return the departments of each phrase, in the order of the table."""
    found = _meanings(table, "strong", "weak", "also")
    for kinds in table.values():
        for phrase in _forms(kinds.get("not", ())):
            found.setdefault(phrase, Meaning())
    return found


def _meanings(table: Mapping[str, Mapping[str, list[str]]], *names: str) -> dict[str, Meaning]:
    """Return the departments of each phrase under keys for strong, weak and further ones."""
    found: dict[str, Meaning] = {}
    for department, kinds in table.items():
        for kind, name in zip(Meaning._fields, names, strict=False):
            for phrase in _forms(kinds.get(name, ())):
                meaning = found.get(phrase, Meaning())
                found[phrase] = meaning._replace(**{kind: (*getattr(meaning, kind), department)})
    return found


def _add_compounds(compounds: Compounds, table: Mapping[str, Any]) -> None:
    for label, parts in table.get("compounds", {}).items():
        for part in parts:
            for form in _forms([part.rstrip("!")]):
                if label == "small":
                    compounds.small.add(form)
                else:
                    compounds.ranks.setdefault(form, _rank(label, part))
    departments = table["departments"]
    for part, meaning in _meanings(departments, "endings", "weak_endings").items():
        compounds.endings.setdefault(part, meaning)
    for part, meaning in _meanings(departments, "beginnings", "weak_beginnings").items():
        compounds.beginnings.setdefault(part, meaning)


def _forms(phrases: Iterable[str]) -> Iterator[str]:
    """Yield phrases as words of titles have them: without accents, and with two letters for an umlaut."""
    for phrase in phrases:
        mark = "=" if phrase.startswith("=") else ""
        for form in dict.fromkeys((phrase, phrase.translate(_UMLAUTS))):
            yield mark + " ".join(title_words(form.lstrip("=")))
