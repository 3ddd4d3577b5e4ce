"""Detector of events in articles, sentence by sentence, by the table of rules (docs/reference/signals.md#news).

Pure and of bounded time for any text: only the beginning is read, in sentences of bounded length.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from firmograph.directory.names_in_text.mentions import MarkedSentence, mark_sentences
from firmograph.directory.names_in_text.sentences import Sentence, split_sentences
from firmograph.directory.names_in_text.spans import Mention
from firmograph.signals.news.patterns import STEM, Pattern, compile_pattern, split_patterns
from firmograph.signals.news.table import load_rules, plain_words

_YEAR: Final = re.compile(r"(?<![^ ])(1[89]\d\d|20\d\d) ")
_MARK: Final = re.compile(r"[A-Z](\d+) ")
_EARLY: Final = 3
"""Months of a year in which news may still report on the year before."""


class ArticleEvent(NamedTuple):
    """Event found in a sentence."""

    event: str
    """One of `types.NEWS_EVENT_TYPES`."""
    sentence: Sentence
    companies: tuple[Mention, ...]
    """Companies of the event, in sentence order."""


class Article(NamedTuple):
    events: list[ArticleEvent]
    mentions: list[Mention]
    """All possible company names of the sentences read."""
    opening: tuple[Mention, ...]
    """Names in the title or, if it has none, in the first sentence with any."""
    sentences: list[str]
    """Sentences read: the title, then the first sentences of the text."""


class _Rule(NamedTuple):
    event: str
    business: bool
    patterns: list[Pattern]
    unless: list[Pattern]


def read_article(title: str, text: str, day: str = "") -> Article:
    """Find the events of an article. `day` is its date, with which years in the text are compared."""
    marked = mark_sentences(list(split_sentences(title, text)), plain_words())
    words = load_rules().business
    business = any(token.lower() in words for one in marked for token in one.sentence.tokens)
    events = [event for one in marked for event in _events(one, day, business)]
    named = [tuple(one.mentions[number] for number in sorted(one.companies)) for one in marked]
    mentions = [mention for some in named for mention in some]
    opening = next((some for some in named if some), ())
    return Article(events, mentions, opening, [one.sentence.text for one in marked])


def _events(marked: MarkedSentence, day: str, business: bool) -> Iterator[ArticleEvent]:
    text = marked.text
    if not marked.companies or text.rstrip().endswith("?") or _is_past(text, day):
        return
    stems = frozenset(word[:STEM] for word in text.split())
    if any(_finds(pattern, _harmless().sub(" ", text), stems) for pattern in _never()):
        return
    for rule in _rules():
        about = {number for pattern in rule.patterns for number in _about(pattern, marked, stems)}
        if rule.business and not business and marked.confirmed.isdisjoint(about):
            continue
        if about and not any(_finds(pattern, text, stems) for pattern in rule.unless):
            companies = tuple(marked.mentions[number] for number in sorted(about))
            yield ArticleEvent(rule.event, marked.sentence, companies)


def _about(pattern: Pattern, marked: MarkedSentence, stems: frozenset[str]) -> Iterator[int]:
    """Yield the numbers of the companies of an event with this pattern."""
    if pattern.stems.isdisjoint(stems):
        return
    for found in pattern.expression.finditer(marked.text):
        for group in filter(None, found.groups()):
            yield from _companies(group, marked)


def _companies(group: str, marked: MarkedSentence) -> list[int]:
    return [number for number in map(int, _MARK.findall(group)) if number in marked.companies]


def _finds(pattern: Pattern, text: str, stems: frozenset[str]) -> bool:
    return not pattern.stems.isdisjoint(stems) and pattern.expression.search(text) is not None


def _is_past(text: str, day: str) -> bool:
    """Return whether a sentence names earlier years only."""
    years = [int(year) for year in _YEAR.findall(text)]
    if not years or not day:
        return False
    return max(years) < int(day[:4]) - (int(day[5:7]) <= _EARLY)


@cache
def _rules() -> Sequence[_Rule]:
    return [
        _Rule(rule.event, rule.business, _compiled(rule.patterns), _compiled(rule.unless))
        for rule in load_rules().rules
    ]


@cache
def _never() -> Sequence[Pattern]:
    return [
        pattern
        for name, text in load_rules().never.items()
        if name != "harmless"
        for pattern in _compiled(text)
    ]


@cache
def _harmless() -> re.Pattern[str]:
    patterns = _compiled(load_rules().never["harmless"])
    return re.compile("|".join(pattern.expression.pattern for pattern in patterns))


def _compiled(text: str) -> list[Pattern]:
    return [compile_pattern(line) for line in split_patterns(text)]
