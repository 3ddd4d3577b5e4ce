"""Risks, and objections with the answer that follows: statements of the customer's side, by weighted patterns."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from firmograph.conversations.analysis.findings import Objection, Risk, Severity
from firmograph.conversations.analysis.rules import any_of, load_rules, lower
from firmograph.conversations.analysis.sentences import Sentence, quote

_Weights = tuple[tuple[str, float], ...]


class Concerns(NamedTuple):
    risks: list[Risk]
    objections: list[Objection]


class _Statement(NamedTuple):
    """Strongest one or two adjacent sentences of a segment."""

    weight: float
    text: str


def find_concerns(sentences: Sequence[Sentence]) -> Concerns:
    """Return risks and objections in order, at most one of either a segment.

    A segment with both has the one of the greater weight.
    """
    rules = load_rules()
    segments = [list(group) for _, group in groupby(sentences, key=lambda one: one.segment)]
    risks: list[Risk] = []
    objections: list[Objection] = []
    for number, spoken in enumerate(segments):
        is_internal = spoken[0].is_internal
        risk = _strongest(spoken, rules.risks.weights, rules.risks.least_words)
        objection = _strongest(spoken, rules.objections.weights, rules.objections.least_words)
        if not is_internal and objection.weight >= max(rules.objections.least, risk.weight):
            answer = _find_answer(spoken, segments[number + 1 : number + 1 + rules.objections.answer_turns])
            text = quote(objection.text)
            objections.append(Objection(text, spoken[0].segment, assess(objection.text), answer))
        elif risk.weight >= (rules.risks.from_seller if is_internal else rules.risks.least):
            risks.append(Risk(quote(risk.text), spoken[0].segment, assess(risk.text)))
    return Concerns(risks[: rules.risks.most], objections[: rules.objections.most])


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


def _strongest(spoken: Sequence[Sentence], weights: _Weights, least_words: int) -> _Statement:
    each = [_weigh(one.lower, weights) for one in spoken]
    best = _Statement(0.0, "")
    for at, weight in enumerate(each):
        if not weight:
            continue
        both = at + 1 < len(each) and each[at + 1] > 0
        total = weight + (each[at + 1] if both else 0.0)
        some = spoken[at : at + 2] if both else spoken[at : at + 1]
        if total > best.weight and sum(one.words for one in some) >= least_words:
            best = _Statement(total, " ".join(one.text for one in some))
    return best


def _weigh(text: str, weights: _Weights) -> float:
    any_one, each = _compiled(weights)
    if any_one.search(text) is None:
        return 0.0
    return sum(weight for expression, weight in each if expression.search(text))


@cache
def _compiled(weights: _Weights) -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], float]]]:
    return any_of(tuple(one for one, _ in weights)), [(any_of((one,)), weight) for one, weight in weights]


def _find_answer(objection: Sequence[Sentence], following: Sequence[Sequence[Sentence]]) -> str | None:
    """Return what the other side says next, unless it only asks or acknowledges."""
    rules = load_rules().objections
    asker = objection[0]
    for spoken in following:
        is_other = (
            spoken[0].is_internal if spoken[0].is_internal is not None else spoken[0].speaker != asker.speaker
        )
        said = [one for one in spoken if not one.is_question]
        if is_other and sum(one.words for one in said) >= rules.answer_words:
            return quote(" ".join(one.text for one in spoken), rules.answer_most_words)
    return None
