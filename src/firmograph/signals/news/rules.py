"""Articles to events: sentence by sentence, by the table of rules (docs/reference/signals.md#news).

Pure, and of bounded time however long or hostile the text: only the beginning is read, in sentences of bounded length.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from firmograph.signals.news.mentions import Marked, mark
from firmograph.signals.news.patterns import STEM, Pattern, compiled, lines
from firmograph.signals.news.sentences import Sentence, sentences
from firmograph.signals.news.spans import Mention
from firmograph.signals.news.table import packaged

_YEAR: Final = re.compile(r"(?<![^ ])(1[89]\d\d|20\d\d) ")
_MARK: Final = re.compile(r"[A-Z](\d+) ")
_EARLY: Final = 3
"""Months of a year in which news may still tell of the year before."""


class Event(NamedTuple):
    """One event that one sentence shows."""

    event: str
    """One of `types.NEWS_EVENT_TYPES`."""
    sentence: Sentence
    companies: tuple[Mention, ...]
    """Those that it is about, in the order of the sentence."""


class Article(NamedTuple):
    events: list[Event]
    mentions: list[Mention]
    """Everything that may be a company's name in what was read."""
    opening: tuple[Mention, ...]
    """Those of the title or, where it has none, of the first sentence that has."""
    sentences: list[str]
    """What was read: the title, then the first sentences."""


class _Rule(NamedTuple):
    event: str
    business: bool
    patterns: list[Pattern]
    unless: list[Pattern]


def read(title: str, text: str, day: str = "") -> Article:
    """What an article tells; `day` is its date, against which years in the text are held."""
    marked = mark(list(sentences(title, text)))
    words = packaged().context["business"]
    business = any(token.lower() in words for one in marked for token in one.sentence.tokens)
    events = [event for one in marked for event in _events(one, day, business)]
    named = [tuple(one.mentions[number] for number in sorted(one.companies)) for one in marked]
    mentions = [mention for some in named for mention in some]
    opening = next((some for some in named if some), ())
    return Article(events, mentions, opening, [one.sentence.text for one in marked])


def _events(marked: Marked, day: str, business: bool) -> Iterator[Event]:
    text = marked.text
    if not marked.companies or text.rstrip().endswith("?") or _is_past(text, day):
        return
    stems = frozenset(word[:STEM] for word in text.split())
    if any(_finds(pattern, _harmless().sub(" ", text), stems) for pattern in _never()):
        return
    for rule in _rules():
        about = {number for pattern in rule.patterns for number in _about(pattern, marked, stems)}
        if rule.business and not business and marked.shown.isdisjoint(about):
            continue
        if about and not any(_finds(pattern, text, stems) for pattern in rule.unless):
            companies = tuple(marked.mentions[number] for number in sorted(about))
            yield Event(rule.event, marked.sentence, companies)


def _about(pattern: Pattern, marked: Marked, stems: frozenset[str]) -> Iterator[int]:
    """The companies that an event of this pattern is about."""
    if pattern.stems.isdisjoint(stems):
        return
    for found in pattern.expression.finditer(marked.text):
        places = [_companies(group, marked) for group in found.groups() if group]
        yield from (number for numbers in places for number in numbers)


def _companies(group: str, marked: Marked) -> list[int]:
    return [number for number in map(int, _MARK.findall(group)) if number in marked.companies]


def _finds(pattern: Pattern, text: str, stems: frozenset[str]) -> bool:
    return not pattern.stems.isdisjoint(stems) and pattern.expression.search(text) is not None


def _is_past(text: str, day: str) -> bool:
    """Whether the sentence tells of an earlier year, and of none since."""
    years = [int(year) for year in _YEAR.findall(text)]
    if not years or not day:
        return False
    return max(years) < int(day[:4]) - (int(day[5:7]) <= _EARLY)


@cache
def _rules() -> Sequence[_Rule]:
    return [
        _Rule(rule.event, rule.business, _compiled(rule.patterns), _compiled(rule.unless))
        for rule in packaged().rules
    ]


@cache
def _never() -> Sequence[Pattern]:
    return [
        pattern
        for name, text in packaged().never.items()
        if name != "harmless"
        for pattern in _compiled(text)
    ]


@cache
def _harmless() -> re.Pattern[str]:
    patterns = _compiled(packaged().never["harmless"])
    return re.compile("|".join(pattern.expression.pattern for pattern in patterns))


def _compiled(text: str) -> list[Pattern]:
    return [compiled(line) for line in lines(text)]
