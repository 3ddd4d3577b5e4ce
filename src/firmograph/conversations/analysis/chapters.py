"""Chapters: where the words change, and where somebody says so.

A turn is a likely beginning of a chapter if the words after it differ from those before (cohesion of neighbouring
units, as TextTiling measures it), if it has a cue, if longer talk follows, and if other people speak. The weights are
of a logistic regression (`rules.toml`).
"""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from firmograph.conversations.analysis.findings import Chapter
from firmograph.conversations.analysis.phrases import find_phrases
from firmograph.conversations.analysis.rules import any_of, load_rules, lower
from firmograph.conversations.analysis.sentences import SpokenSentence
from firmograph.conversations.analysis.summary import summarise
from firmograph.conversations.transcript import Transcript

_Numbers = NDArray[np.float64]
_LEAST_UNITS = 5
"""Fewer units show no change of subject."""


def find_chapters(
    transcript: Transcript, sentences: Sequence[SpokenSentence], *, is_english: bool
) -> list[Chapter]:
    """Return the chapters in order, at least one; titles are of English only, else numbers."""
    starts = [0, *find_boundaries(transcript, sentences, is_english=is_english)]
    ends = [*starts[1:], max(len(transcript.segments), 1)]
    parts = [
        [one for one in sentences if start <= one.segment < end]
        for start, end in zip(starts, ends, strict=True)
    ]
    titles = _titles(transcript, parts) if is_english else [""] * len(parts)
    return [
        Chapter(
            title=title or f"Part {number}",
            segment=start,
            start_seconds=int(transcript.segments[start].start_seconds) if transcript.segments else 0,
            summary=summarise(part, load_rules().summary.chapter_words),
        )
        for number, (start, part, title) in enumerate(zip(starts, parts, titles, strict=True), 1)
    ]


def _titles(transcript: Transcript, parts: Sequence[Sequence[SpokenSentence]]) -> list[str]:
    """Return for each chapter the phrases that are said in it rather than in the others."""
    rules = load_rules().chapters
    found = [find_phrases(part, transcript, least_count=1) for part in parts]
    spread = Counter(phrase for phrases in found for phrase in phrases)
    titles = []
    for phrases in found:
        best = sorted(phrases, key=lambda phrase: (-phrases[phrase] / spread[phrase], phrase))
        chosen: list[str] = []
        for phrase in best:
            if len(chosen) < rules.title_phrases and not any(
                {*phrase.split()} & {*one.split()} for one in chosen
            ):
                chosen.append(phrase)
        text = ", ".join(chosen)
        titles.append(text[:1].upper() + text[1:])
    return titles


def find_boundaries(
    transcript: Transcript, sentences: Sequence[SpokenSentence], *, is_english: bool
) -> list[int]:
    """Return the segments at which a chapter other than the first begins."""
    rules = load_rules().chapters
    count = len(transcript.segments)
    words = sum(sentence.words for sentence in sentences)
    most = min(words // rules.words_each, rules.most) + words // rules.more_each
    if not most or count < 3:
        return []
    scores = _score_turns(transcript, sentences, is_english=is_english)
    apart = rules.least_gap * count
    chosen: list[int] = []
    for turn in np.argsort(-scores, kind="stable").tolist():
        if len(chosen) == most:
            break
        inside = turn > rules.first_gap * count and count - turn > rules.last_gap * count
        if inside and all(abs(turn - other) >= apart for other in chosen):
            chosen.append(turn)
    return sorted(chosen)


def _score_turns(
    transcript: Transcript, sentences: Sequence[SpokenSentence], *, is_english: bool
) -> _Numbers:
    """Return for each segment how likely a chapter begins there."""
    weights = load_rules().chapters
    of_features = (
        *weights.depths,
        weights.speakers,
        weights.following,
        weights.previous,
        *((weights.cue, weights.opener, weights.thanks) if is_english else ()),
    )
    scores: _Numbers = features(transcript, sentences, is_english=is_english) @ np.array(of_features)
    return scores


def features(transcript: Transcript, sentences: Sequence[SpokenSentence], *, is_english: bool) -> _Numbers:
    """Return a row for each segment, a column for each weight."""
    rules = load_rules().chapters
    lengths = np.zeros(len(transcript.segments))
    for sentence in sentences:
        lengths[sentence.segment] += sentence.words
    sums = np.concatenate(([0.0], np.cumsum(lengths)))
    positions = np.arange(len(lengths))
    following = sums[np.minimum(positions + rules.following_turns, len(lengths))] - sums[positions]
    columns = [
        *_depths(sentences, len(lengths)),
        _standard(_speaker_changes([one.speaker for one in transcript.segments], lengths)),
        np.log1p(following),
        np.log1p(np.concatenate(([0.0], lengths[:-1]))),
    ]
    if is_english:
        begins = [lower(one.text[: rules.cue_letters * 2]) for one in transcript.segments]
        cue, opener = any_of(rules.cues), any_of(rules.openers)
        columns += [
            np.array([cue.search(text, 0, rules.cue_letters) is not None for text in begins], dtype=float),
            np.array([opener.match(text) is not None for text in begins], dtype=float),
            np.array(["thank" in text for text in begins], dtype=float),
        ]
    return np.column_stack(columns)


def _depths(sentences: Sequence[SpokenSentence], count: int) -> list[_Numbers]:
    """Return how much less the words before and after each segment have in common than those around it, by width."""
    rules = load_rules().chapters
    units, starts = _units(sentences)
    if len(units) < _LEAST_UNITS:
        return [np.zeros(count) for _ in rules.widths]
    having = Counter(term for unit in units for term in set(unit))
    repeated = [term for term, times in having.most_common(rules.most_terms) if times > 1]
    numbers = {term: number for number, term in enumerate(repeated)}
    weighted = np.zeros((len(units), len(numbers)))
    for row, unit in enumerate(units):
        for term in unit:
            if (number := numbers.get(term)) is not None:
                weighted[row, number] += 1
    weighted *= np.log((len(units) + 1) / np.array([having[term] for term in repeated]))
    sums = np.vstack([np.zeros(weighted.shape[1]), np.cumsum(weighted, axis=0)])
    at = np.arange(count)
    return [_standard(np.interp(at, starts, _depth(_cohesion(sums, width), width))) for width in rules.widths]


def _units(sentences: Sequence[SpokenSentence]) -> tuple[list[list[str]], list[int]]:
    """Return the words in units of about the same length, each with the segment at which it begins."""
    rules = load_rules().chapters
    least = max(rules.unit_words, sum(len(one.terms) for one in sentences) // rules.most_units)
    units: list[list[str]] = []
    starts: list[int] = []
    is_full = True
    for segment, group in groupby(sentences, key=lambda one: one.segment):
        terms = [term for one in group for term in one.terms]
        if is_full and terms:
            units.append(terms)
            starts.append(segment)
        elif terms:
            units[-1] += terms
        is_full = not units or len(units[-1]) >= least
    return units, starts


def _cohesion(sums: _Numbers, width: int) -> _Numbers:
    """Return the cosine between the units before and after each unit's beginning."""
    count = len(sums) - 1
    at = np.arange(count)
    before = sums[at] - sums[np.maximum(at - width, 0)]
    after = sums[np.minimum(at + width, count)] - sums[at]
    size = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    same = np.einsum("ij,ij->i", before, after)
    cohesion: _Numbers = np.divide(same, size, out=np.zeros(count), where=size > 0)
    cohesion[0] = 1.0
    return cohesion


def _depth(cohesion: _Numbers, width: int) -> _Numbers:
    """Return how deep each value lies below the highest near it on either side."""
    depths = np.zeros(len(cohesion))
    for at in range(2, len(cohesion) - 2):
        before = cohesion[max(1, at - 2 * width) : at].max()
        after = cohesion[at + 1 : at + 2 * width].max()
        depths[at] = max(0.0, before - cohesion[at]) + max(0.0, after - cohesion[at])
    return depths


def _speaker_changes(speakers: Sequence[str], lengths: _Numbers) -> _Numbers:
    """Return how much the shares of the speakers differ before and after each segment."""
    count = len(speakers)
    names = {name: number for number, name in enumerate(dict.fromkeys(speakers))}
    spoken = np.zeros((count + 1, len(names)))
    spoken[np.arange(1, count + 1), [names[one] for one in speakers]] = lengths
    sums = np.cumsum(spoken, axis=0)
    width = max(load_rules().chapters.speakers_turns, count // 40)
    at = np.arange(count)
    before = sums[at] - sums[np.maximum(at - width, 0)]
    after = sums[np.minimum(at + width, count)] - sums[at]
    shares = [part / np.maximum(part.sum(axis=1, keepdims=True), 1.0) for part in (before, after)]
    changes: _Numbers = np.abs(shares[0] - shares[1]).sum(axis=1) / 2
    changes[:1] = 0.0
    return changes


def _standard(values: _Numbers) -> _Numbers:
    deviation = float(values.std())
    return (values - values.mean()) / deviation if deviation else np.zeros(len(values))
