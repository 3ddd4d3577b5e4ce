"""Packaged rules of the local analyser; `rules.toml` describes them."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

_SET: Final = re.compile(r"<(\w+)>")
_GAP: Final = re.compile(r"(?<![\\\w])(\.\.\.?) ")
_GAPS: Final = {"...": 5, "..": 2}
_STRAIGHT: Final[dict[int, str | int]] = {
    ord("’"): "'",
    ord("‘"): "'",
    **{number: number + 32 for number in range(65, 91)},
}


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Part of the table."""


class LanguageRules(Part, frozen=True):
    words: frozenset[str]
    least_share: float
    read_words: int


class SentenceRules(Part, frozen=True):
    longest_words: int
    cut_before: frozenset[str]
    fillers: frozenset[str]
    padding: tuple[str, ...]
    openers: frozenset[str]


class StopRules(Part, frozen=True):
    words: frozenset[str]
    stem: int
    shortest: int


class SummaryRules(Part, frozen=True):
    words: int
    least_words: int
    most_words: int
    length_power: float
    repeat: float
    chapter_words: int


class ChapterRules(Part, frozen=True):
    unit_words: int
    most_units: int
    most_terms: int
    widths: tuple[int, ...]
    least_gap: float
    first_gap: float
    last_gap: float
    words_each: int
    most: int
    more_each: int
    cue: float
    opener: float
    thanks: float
    following: float
    previous: float
    speakers: float
    depths: tuple[float, ...]
    following_turns: int
    speakers_turns: int
    openers: tuple[str, ...]
    cues: tuple[str, ...]
    cue_letters: int
    title_phrases: int


class TopicRules(Part, frozen=True):
    most: int
    least_count: int
    before: frozenset[str]
    pair: float


class ActionRules(Part, frozen=True):
    most: int
    promises: tuple[str, ...]
    deliveries: tuple[str, ...]
    requests: tuple[str, ...]
    named: tuple[str, ...]
    never: tuple[str, ...]
    refusals: tuple[str, ...]
    weak: tuple[str, ...]


class RiskRules(Part, frozen=True):
    most: int
    weights: tuple[tuple[str, float], ...]
    least: float
    from_seller: float
    least_words: int


class ObjectionRules(Part, frozen=True):
    most: int
    weights: tuple[tuple[str, float], ...]
    least: float
    least_words: int
    single: float
    without_sides: float
    concession: float
    concessions: tuple[str, ...]
    answer_turns: int
    answer_words: int
    answer_most_words: int


class SeverityRules(Part, frozen=True):
    high: tuple[str, ...]
    medium: tuple[str, ...]
    low: tuple[str, ...]


class CompetitorRules(Part, frozen=True):
    before: frozenset[str]
    after: tuple[str, ...]


class QuestionRules(Part, frozen=True):
    begins: tuple[str, ...]


class Check(Part, frozen=True):
    """Check of a section of coaching."""

    section: str
    name: str
    patterns: tuple[str, ...]
    keep: str
    improve: str
    question: bool = False
    """Whether only questions count."""
    never: tuple[str, ...] = ()
    """Patterns of sentences that do not count."""


class CoachingRules(Part, frozen=True):
    window_opening: float
    window_closing: float
    quote_words: int
    opening: int
    qualification: int
    demo: int
    closing: int
    balance: int
    talk_share_low: float
    talk_share_high: float
    checks: tuple[Check, ...]


class Rules(Part, frozen=True):
    language: LanguageRules
    sentences: SentenceRules
    stop: StopRules
    summary: SummaryRules
    chapters: ChapterRules
    topics: TopicRules
    sets: dict[str, tuple[str, ...]]
    actions: ActionRules
    risks: RiskRules
    objections: ObjectionRules
    severity: SeverityRules
    competitors: CompetitorRules
    questions: QuestionRules
    coaching: CoachingRules


@cache
def load_rules() -> Rules:
    raw = tomllib.loads(files(__package__).joinpath("rules.toml").read_text("utf-8"))
    for part, names in {
        "language": ("words",),
        "sentences": ("cut_before", "fillers", "openers"),
        "stop": ("words",),
        "topics": ("before",),
    }.items():
        raw[part] |= {name: raw[part][name].split() for name in names}
    return msgspec.convert(raw, Rules)


def lower(text: str) -> str:
    """Return a text in the form that patterns match, of the same length."""
    return text.translate(_STRAIGHT)


def pattern(text: str) -> str:
    """Return the regular expression of a pattern of the table."""
    text = _SET.sub(lambda found: f"(?:{'|'.join(load_rules().sets[found[1]])})", text)
    return _GAP.sub(lambda found: rf"(?:\S+ ){{0,{_GAPS[found[1]]}}}?", text)


@cache
def any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return one expression for several patterns; it matches nothing where there are none."""
    return re.compile(
        rf"(?:(?<!\w)|(?='))(?:{'|'.join(map(pattern, patterns))})(?!\w)" if patterns else r"(?!)"
    )
