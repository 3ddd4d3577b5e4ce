"""Coaching: what the seller's side did in the four parts of a call, by the checks of the table, and the overall score.

Each part is rated by the share of its checks that are met. The score is the sum of these shares by their points, and of
the points for the balance of talk; this file and `[coaching]` of `rules.toml` hold all of the formula.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from firmograph.conversations.analysis.findings import ActionItem, Coaching, CoachingSection, SpeakerFigures
from firmograph.conversations.analysis.rules import Check, any_of, load_rules
from firmograph.conversations.analysis.sentences import SpokenSentence, quote

SECTIONS: Final = ("opening", "qualification", "demo", "closing")
_Evidence = Mapping[str, Sequence[SpokenSentence]]


class Section(NamedTuple):
    """Evidence of a section by the names of its checks; a check without any is not met."""

    name: str
    checks: tuple[Check, ...]
    evidence: _Evidence

    @property
    def share(self) -> float:
        return sum(bool(self.evidence[check.name]) for check in self.checks) / len(self.checks)

    @property
    def segments(self) -> list[int]:
        return sorted({one.segment for each in self.evidence.values() for one in each})


def coach(
    sentences: Sequence[SpokenSentence], items: Sequence[ActionItem], speakers: Sequence[SpeakerFigures]
) -> Coaching | None:
    """Return the coaching; None where the seller's side is not known or nothing was said."""
    sections = find_evidence(sentences, items)
    if not sections:
        return None
    described = {name: _describe(section) for name, section in sections.items()}
    return Coaching(overall_score=_score(sections, speakers), **described)


def _score(sections: Mapping[str, Section], speakers: Sequence[SpeakerFigures]) -> int:
    rules = load_rules().coaching
    points = {
        "opening": rules.opening,
        "qualification": rules.qualification,
        "demo": rules.demo,
        "closing": rules.closing,
    }
    talk = sum(one.talk_share for one in speakers if one.is_internal)
    outside = max(rules.talk_share_low - talk, talk - rules.talk_share_high, 0.0)
    balance = max(0.0, 1 - outside / rules.talk_share_low)
    return round(
        sum(points[name] * section.share for name, section in sections.items()) + rules.balance * balance
    )


def find_evidence(sentences: Sequence[SpokenSentence], items: Sequence[ActionItem]) -> dict[str, Section]:
    """Return the sections with their evidence; empty where the seller's side is not known or did not speak."""
    rules = load_rules().coaching
    total = sum(one.words for one in sentences)
    spoken: list[tuple[SpokenSentence, float]] = []
    words = 0
    for sentence in sentences:
        if sentence.is_internal:
            spoken.append((sentence, words / total if total else 0.0))
        words += sentence.words
    if not spoken:
        return {}
    by_section: dict[str, Section] = {}
    for name in SECTIONS:
        checks = tuple(check for check in rules.checks if check.section == name)
        inside = [one for one, at in spoken if _is_inside(name, at)]
        by_section[name] = Section(name, checks, {check.name: list(_find(check, inside)) for check in checks})
    return by_section | {
        "demo": _with_dialogue(by_section["demo"], sentences),
        "closing": _with_items(
            by_section["closing"], [one for one, at in spoken if _is_inside("closing", at)], items
        ),
    }


def _is_inside(section: str, at: float) -> bool:
    """Return whether a sentence at a share of the talk may belong to a section."""
    rules = load_rules().coaching
    if section == "opening":
        return at <= rules.window_opening
    return section != "closing" or at >= rules.window_closing


def _find(check: Check, inside: Sequence[SpokenSentence]) -> Iterator[SpokenSentence]:
    expression, never = any_of(check.patterns), any_of(check.never)
    for sentence in inside:
        counts = (sentence.is_question or not check.question) and expression.search(sentence.lower)
        if counts and not never.search(sentence.lower):
            yield sentence


def _with_dialogue(demo: Section, sentences: Sequence[SpokenSentence]) -> Section:
    """Return the section with questions of the customer's side that directly follow something shown."""
    shown = {one.segment for one in demo.evidence["shown"]}
    asked = any(one.is_question and not one.is_internal and one.segment - 1 in shown for one in sentences)
    return demo._replace(evidence={**demo.evidence, "dialogue": demo.evidence["shown"] if asked else []})


def _with_items(closing: Section, inside: Sequence[SpokenSentence], items: Sequence[ActionItem]) -> Section:
    """Return the section with the tasks that the seller's side speaks of."""
    named = {item.segment for item in items}
    dated = {item.segment for item in items if item.due_date}
    return closing._replace(
        evidence={
            **closing.evidence,
            "tasks": [one for one in inside if one.segment in named],
            "dates": [one for one in inside if one.segment in dated],
        }
    )


def _describe(section: Section) -> CoachingSection:
    rules = load_rules().coaching
    met = [check for check in section.checks if section.evidence[check.name]]
    missing = [check for check in section.checks if not section.evidence[check.name]]
    if not met:
        happened = "Nothing of this part was found in what the seller's side said."
        return CoachingSection(
            happened, "Nothing to keep was found.", " ".join(one.improve for one in missing)
        )
    first = min((section.evidence[check.name][0] for check in met), key=lambda one: one.segment)
    happened = (
        f"The seller's side {_listed([check.keep for check in met])}. "
        f"{first.speaker}: “{quote(first.text, rules.quote_words)}”"
    )
    best = section.evidence[met[0].name][0]
    keep = f"Keep that it {met[0].keep}: “{quote(best.text, rules.quote_words)}”"
    improve = " ".join(one.improve for one in missing) or "Nothing of this part was missing."
    return CoachingSection(happened, keep, improve)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
