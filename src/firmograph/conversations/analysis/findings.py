"""Result of an analysis, the same of every analyser (specification 2.9, ruling J 3)."""

import datetime
from typing import Literal, TypeAlias

import msgspec

Severity: TypeAlias = Literal["low", "medium", "high"]


class ActionItem(msgspec.Struct, frozen=True):
    """Task that somebody took on, with its segment as evidence."""

    text: str
    segment: int
    owner: str | None = None
    due_date: datetime.date | None = None


class Risk(msgspec.Struct, frozen=True):
    """Statement that endangers the purchase; severity is None where nothing assessed it."""

    text: str
    segment: int
    severity: Severity | None = None


class Objection(msgspec.Struct, frozen=True):
    """Objection of the customer's side, with the answer that followed it."""

    text: str
    segment: int
    severity: Severity | None = None
    response: str | None = None


class CompetitorMention(msgspec.Struct, frozen=True):
    """Named competitor with the sentence that names it first."""

    name: str
    segment: int
    context: str | None = None


class Chapter(msgspec.Struct, frozen=True):
    """Part of the conversation on one subject."""

    title: str
    segment: int
    start_seconds: int
    summary: str | None = None


class CoachingSection(msgspec.Struct, frozen=True):
    """One of the four fixed parts of coaching."""

    what_happened: str
    keep: str
    improve: str


class Coaching(msgspec.Struct, frozen=True):
    """Coaching of the seller's side; the overall score runs from 0 to 100."""

    overall_score: int
    opening: CoachingSection
    qualification: CoachingSection
    demo: CoachingSection
    closing: CoachingSection


class SpeakerFigures(msgspec.Struct, frozen=True):
    """Figures of one speaker: share of the words, longest monologue, questions, pace."""

    name: str
    talk_share: float
    longest_monologue_seconds: float
    questions: int
    words_per_minute: float
    is_internal: bool | None = None


class Findings(msgspec.Struct, frozen=True):
    """All that an analysis finds; at least one chapter."""

    summary: str | None
    topics: tuple[str, ...]
    action_items: tuple[ActionItem, ...]
    risks: tuple[Risk, ...]
    objections: tuple[Objection, ...]
    competitors: tuple[CompetitorMention, ...]
    coaching: Coaching | None
    chapters: tuple[Chapter, ...]
    speakers: tuple[SpeakerFigures, ...]
