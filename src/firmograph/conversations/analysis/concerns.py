"""Risks, and objections with the answer that follows: statements of the customer's side, by weighted patterns."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Final, NamedTuple, TypeVar

from firmograph.conversations.analysis.findings import Objection, Risk, Severity
from firmograph.conversations.analysis.rules import any_of, load_rules, lower
from firmograph.conversations.analysis.sentences import SpokenSentence, quote

_Weights = tuple[tuple[str, float], ...]
_Concern = TypeVar("_Concern", Risk, Objection)


class Concerns(NamedTuple):
    risks: list[Risk]
    objections: list[Objection]


class _Statement(NamedTuple):
    """Strongest one or two adjacent sentences of a segment."""

    weight: float
    single: float
    """Weight of the strongest pattern."""
    text: str


_NONE: Final = _Statement(0.0, 0.0, "")


def find_concerns(sentences: Sequence[SpokenSentence]) -> Concerns:
    """Return risks and objections in order, at most one of either a segment, and of many the strongest.

    A segment with both has the one of the greater weight.
    """
    rules = load_rules()
    segments = [list(group) for _, group in groupby(sentences, key=lambda one: one.segment)]
    risks: list[tuple[float, Risk]] = []
    objections: list[tuple[float, Objection]] = []
    for number, spoken in enumerate(segments):
        side = spoken[0].is_internal
        following = segments[number + 1 : number + 1 + rules.objections.answer_turns]
        risk = _strongest(spoken, rules.risks.weights, rules.risks.least_words)
        objection = (
            _NONE if side else _strongest(spoken, rules.objections.weights, rules.objections.least_words)
        )
        if objection.weight and _gives_in(spoken, following):
            bonus = rules.objections.concession
            objection = _Statement(objection.weight + bonus, objection.single + bonus, objection.text)
        least = rules.objections.least if side is False else rules.objections.without_sides
        if objection.single >= rules.objections.single and objection.weight >= max(least, risk.weight):
            answer = _find_answer(spoken, following)
            found = Objection(quote(objection.text), spoken[0].segment, assess(objection.text), answer)
            objections.append((objection.weight, found))
        elif risk.weight >= (rules.risks.least if side is False else rules.risks.from_seller):
            risks.append((risk.weight, Risk(quote(risk.text), spoken[0].segment, assess(risk.text))))
    return Concerns(_best(risks, rules.risks.most), _best(objections, rules.objections.most))


def _best(found: Sequence[tuple[float, _Concern]], most: int) -> list[_Concern]:
    """Return those of the greatest weight, in order."""
    chosen = sorted(range(len(found)), key=lambda number: (-found[number][0], number))[:most]
    return [found[number][1] for number in sorted(chosen)]


def assess(text: str) -> Severity | None:
    """Return the severity that the words of a statement say; None if they say none."""
    rules = load_rules().severity
    levels: tuple[tuple[Severity, tuple[str, ...]], ...] = (
        ("high", rules.high),
        ("medium", rules.medium),
        ("low", rules.low),
    )
    lowered = lower(text)
    return next((level for level, patterns in levels if any_of(patterns).search(lowered)), None)


def _strongest(spoken: Sequence[SpokenSentence], weights: _Weights, least_words: int) -> _Statement:
    each = [_weigh(one.lower, weights) for one in spoken]
    best = _NONE
    for at, found in enumerate(each):
        if not found:
            continue
        both = at + 1 < len(each) and bool(each[at + 1])
        found = [*found, *each[at + 1]] if both else found
        some = spoken[at : at + 2] if both else spoken[at : at + 1]
        if sum(found) > best.weight and sum(one.words for one in some) >= least_words:
            best = _Statement(sum(found), max(found), " ".join(one.text for one in some))
    return best


def _weigh(text: str, weights: _Weights) -> list[float]:
    """Return the weights of the patterns that a sentence has."""
    any_one, each = _compiled(weights)
    if any_one.search(text) is None:
        return []
    return [weight for expression, weight in each if expression.search(text)]


@cache
def _compiled(weights: _Weights) -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], float]]]:
    return any_of(tuple(one for one, _ in weights)), [(any_of((one,)), weight) for one, weight in weights]


def _gives_in(objection: Sequence[SpokenSentence], following: Sequence[Sequence[SpokenSentence]]) -> bool:
    """Return whether the other side begins its next turn as one answers an objection."""
    if not following or not _is_other(objection[0], following[0][0]):
        return False
    return any_of(load_rules().objections.concessions).match(following[0][0].lower) is not None


def _is_other(one: SpokenSentence, other: SpokenSentence) -> bool:
    return other.is_internal if other.is_internal is not None else other.speaker != one.speaker


def _find_answer(
    objection: Sequence[SpokenSentence], following: Sequence[Sequence[SpokenSentence]]
) -> str | None:
    """Return what the other side says next, unless it only asks or acknowledges."""
    rules = load_rules().objections
    for spoken in following:
        said = [one for one in spoken if not one.is_question]
        if _is_other(objection[0], spoken[0]) and sum(one.words for one in said) >= rules.answer_words:
            return quote(" ".join(one.text for one in spoken), rules.answer_most_words)
    return None
