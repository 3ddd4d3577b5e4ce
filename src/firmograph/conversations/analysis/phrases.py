"""Phrases that say what a conversation, or a part of it, is about."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from firmograph.conversations.analysis.rules import load_rules, lower
from firmograph.conversations.analysis.sentences import SpokenSentence
from firmograph.conversations.transcript import Transcript

_PART: Final = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*|[^\s\w]")


def find_topics(sentences: Sequence[SpokenSentence], transcript: Transcript) -> list[str]:
    """Return the phrases said most, the most frequent first; a word of a longer phrase does not stand alone."""
    rules = load_rules().topics
    phrases = find_phrases(sentences, transcript, least_count=rules.least_count)
    topics: list[str] = []
    for phrase in sorted(phrases, key=lambda one: (-phrases[one], one)):
        if len(topics) == rules.most:
            break
        if not any({*phrase.split()} & {*topic.split()} for topic in topics):
            topics.append(phrase)
    return topics


def find_phrases(
    sentences: Sequence[SpokenSentence], transcript: Transcript, *, least_count: int
) -> Mapping[str, float]:
    """Return words and pairs of adjacent words that are no stop words, each with its weight.

    The names of speakers and participants are left out, as they say who speaks and not of what.
    """
    stop = load_rules().stop
    people = {one.name for one in transcript.participants} | {one.speaker for one in transcript.segments}
    names = {word for name in people for word in _PART.findall(lower(name))}
    rules = load_rules().topics
    counts: Counter[str] = Counter()
    nouns: set[str] = set()
    for sentence in sentences:
        parts = _PART.findall(sentence.lower)
        nouns.update(word for before, word in pairwise(parts) if before in rules.before)
        words = [
            word if len(word) >= stop.shortest and word not in stop.words and word not in names else ""
            for word in parts
        ]
        counts.update(filter(None, words))
        counts.update(f"{one} {other}" for one, other in pairwise(words) if one and other and one != other)
    return {
        phrase: count * (rules.pair if " " in phrase else 1.0)
        for phrase, count in counts.items()
        if count >= max(least_count, 2 if " " in phrase else 1) and not nouns.isdisjoint(phrase.split())
    }
