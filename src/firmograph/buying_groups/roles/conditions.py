"""Conditions of the table of roles, in the terms of the search index."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from firmograph.directory.vocabulary import DEPARTMENTS, SENIORITIES
from firmograph.prospecting.engines.fields import DEPARTMENT, SENIORITY, TITLE_NORMAL
from firmograph.prospecting.engines.query import Term, Words
from firmograph.prospecting.indexing.analysis import normal_words

_SENIORITY_IDS: Final = {label: str(number) for number, label in SENIORITIES.items()}


@dataclass(frozen=True, slots=True)
class Condition:
    """Fact about one contact that the search index knows: words of the title, the seniority or a department."""

    kind: Literal["title", "seniority", "department"]
    text: str
    """The seniority, the department, or the words after the synonym table."""
    criterion: Term | Words


def title_condition(text: str) -> Condition:
    """Return the condition that a title has all words of a text, in any order. Raises ValueError without words."""
    words = tuple(dict.fromkeys(normal_words(text)))
    if not words:
        raise ValueError("it has no word")
    return Condition("title", " ".join(words), Words(TITLE_NORMAL, words))


def seniority_condition(text: str) -> Condition:
    """Return the condition of a seniority. Raises ValueError if there is none of that name."""
    if text not in _SENIORITY_IDS:
        raise ValueError(f"it is none of {', '.join(SENIORITIES.values())}")
    return Condition("seniority", text, Term(SENIORITY, _SENIORITY_IDS[text]))


def department_condition(text: str) -> Condition:
    """Return the condition of a department. Raises ValueError if there is none of that name."""
    if text not in DEPARTMENTS:
        raise ValueError(f"it is none of {', '.join(DEPARTMENTS)}")
    return Condition("department", text, Term(DEPARTMENT, text))


def match_conditions(
    conditions: Iterable[Condition], title: str | None, seniority: str | None, departments: Collection[str]
) -> list[bool]:
    """Return which conditions a contact meets, as the search index would find it."""
    terms = {(TITLE_NORMAL, word) for word in normal_words(title or "")}
    terms |= {(DEPARTMENT, department) for department in departments}
    if seniority in _SENIORITY_IDS:
        terms.add((SENIORITY, _SENIORITY_IDS[seniority]))
    return [_is_met(condition.criterion, terms) for condition in conditions]


def _is_met(criterion: Term | Words, terms: Collection[tuple[str, str]]) -> bool:
    values = criterion.words if isinstance(criterion, Words) else (criterion.value,)
    return all((criterion.field, value) in terms for value in values)
