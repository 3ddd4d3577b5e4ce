"""What the analyser finds in the labelled calls, compared with the labels."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from evaluation.conversations.gold import Call
from firmograph.conversations.analysis.coaching import SECTIONS, find_evidence
from firmograph.conversations.analysis.findings import Findings
from firmograph.conversations.analysis.local import analyse
from firmograph.conversations.analysis.sentences import split_transcript

_NEAR = 1
"""Segments by which a finding may lie apart from its label: a request and its acceptance are two segments."""
_SAME = 0.5
"""Share of the words of the shorter text that two texts must have in common."""


class Located(Protocol):
    @property
    def segment(self) -> int: ...

    @property
    def text(self) -> str: ...


class _WithAnswer(Located, Protocol):
    @property
    def response(self) -> Located | None: ...


Want = TypeVar("Want", bound=Located)
Got = TypeVar("Got", bound=Located)


class Count(NamedTuple):
    labelled: int = 0
    found: int = 0
    right: int = 0
    errors: tuple[str, ...] = ()

    def plus(self, other: "Count") -> "Count":
        return Count(
            self.labelled + other.labelled,
            self.found + other.found,
            self.right + other.right,
            self.errors + other.errors,
        )


def compare(calls: Sequence[Call]) -> dict[str, Count]:
    """Return the counts of each part over the calls."""
    counts: dict[str, Count] = {}
    for call in calls:
        for name, count in _compare(call):
            counts[name] = counts.get(name, Count()).plus(count)
    return counts


def _compare(call: Call) -> Iterator[tuple[str, Count]]:
    labels = call.labels
    findings = analyse(call.transcript, call.competitors, labels.internal_speakers)
    pairs = _pairs(labels.action_items, findings.action_items)
    name = labels.source_id
    yield "action items", _count(name, labels.action_items, findings.action_items, pairs)
    owners = [(want, got) for want, got in pairs if want.owner or got.owner]
    yield "... their owner", _attribute(name, [(want.owner, got.owner) for want, got in owners])
    yield "... their due date", _attribute(name, [(want.due_date, got.due_date) for want, got in pairs])
    yield "risks", _count(name, labels.risks, findings.risks, _pairs(labels.risks, findings.risks))
    objections = _pairs(labels.objections, findings.objections)
    yield "objections", _count(name, labels.objections, findings.objections, objections)
    yield "... their answer", _answers(name, labels.objections, findings)
    found = {one.name for one in findings.competitors}
    wanted = set(labels.mentioned)
    errors = tuple(f"{name}: missed {one}" for one in wanted - found) + tuple(
        f"{name}: wrong {one}" for one in found - wanted
    )
    yield "competitors", Count(len(wanted), len(found), len(wanted & found), errors)
    sentences = split_transcript(call.transcript, labels.internal_speakers, is_english=True)
    sections = find_evidence(sentences, findings.action_items)
    for section in SECTIONS:
        got, want = set(sections[section].segments), set(labels.coaching[section])
        texts = [one.text for one in call.transcript.segments]
        errors = tuple(f"{name}: missed {texts[one]}" for one in want - got) + tuple(
            f"{name}: wrong {texts[one]}" for one in got - want
        )
        yield f"coaching: {section}", Count(len(want), len(got), len(want & got), errors)


def _pairs(wanted: Sequence[Want], found: Sequence[Got]) -> list[tuple[Want, Got]]:
    """Return labels and findings that are the same: near each other, each once, the same segment first."""
    near = sorted(
        (abs(want.segment - got.segment), -_overlap(want.text, got.text), first, second)
        for first, want in enumerate(wanted)
        for second, got in enumerate(found)
        if abs(want.segment - got.segment) <= _NEAR
    )
    pairs: dict[int, int] = {}
    for _, _, first, second in near:
        if first not in pairs and second not in pairs.values():
            pairs[first] = second
    return [(wanted[first], found[second]) for first, second in sorted(pairs.items())]


def _count(
    name: str, wanted: Sequence[Located], found: Sequence[Located], pairs: Sequence[tuple[Located, Located]]
) -> Count:
    right_wanted, right_found = [one for one, _ in pairs], [one for _, one in pairs]
    errors = tuple(f"{name}: missed {one.text}" for one in wanted if one not in right_wanted)
    errors += tuple(f"{name}: wrong {one.text}" for one in found if one not in right_found)
    return Count(len(wanted), len(found), len(pairs), errors)


def _attribute(name: str, pairs: Sequence[tuple[object, object]]) -> Count:
    return Count(
        sum(want is not None for want, _ in pairs),
        sum(got is not None for _, got in pairs),
        sum(want is not None and want == got for want, got in pairs),
        tuple(f"{name}: {got} for {want}" for want, got in pairs if want != got),
    )


def _answers(name: str, wanted: Sequence[_WithAnswer], findings: Findings) -> Count:
    """Return the answers of objections: right if the objection is, and the texts have the same words."""
    answered = [one for one in wanted if one.response]
    found = [one for one in findings.objections if one.response]
    right = [
        want
        for want, got in _pairs(answered, found)
        if want.response and got.response and _overlap(want.response.text, got.response) >= _SAME
    ]
    return Count(
        len(answered),
        len(found),
        len(right),
        tuple(f"{name}: {one.text}" for one in answered if one not in right),
    )


def _overlap(one: str, other: str) -> float:
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(first & second) / (min(len(first), len(second)) or 1)
