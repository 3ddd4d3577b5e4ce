"""Transcript from what a reader found: times, limits, speakers without a name (ruling J 2, J 3)."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from firmograph.conversations.reading.metadata import Metadata, TranscriptError
from firmograph.conversations.transcript import Segment, Transcript

MOST_SEGMENTS: Final = 20_000
MOST_SECONDS: Final = 86_400
WORDS_PER_SECOND: Final = 2.5
"""Pace of a transcript without any times: 150 words a minute."""


class SpokenText(NamedTuple):
    """Segment as a reader found it."""

    speaker: str
    """Empty where the file names none."""
    text: str
    start: float | None = None
    end: float | None = None


def build_transcript(metadata: Metadata, spoken: Sequence[SpokenText]) -> Transcript:
    """Return the transcript of a conversation. Raises TranscriptError, with the reason."""
    spoken = [one for one in spoken if one.text]
    if metadata.started_at is None:
        raise TranscriptError("it has no date; give --started-at, or startedAt in a file FILE.meta.json")
    if not spoken:
        raise TranscriptError("it has no words")
    if len(spoken) > MOST_SEGMENTS:
        raise TranscriptError(f"it has {len(spoken):,} segments; the most is {MOST_SEGMENTS:,}")
    duration = metadata.duration_seconds
    is_estimated = any(one.start is None for one in spoken)
    segments = _spread(spoken, duration) if is_estimated else _complete(spoken)
    end = max(one.end_seconds for one in segments)
    length = end if duration is None else duration
    if max(end, length) > MOST_SECONDS:
        raise TranscriptError("it is longer than 24 hours")
    return Transcript(
        title=metadata.title,
        started_at=metadata.started_at,
        duration_seconds=round(length),
        segments=tuple(segments),
        participants=metadata.participants,
        company_name=metadata.company_name or None,
        company_domain=metadata.company_domain or None,
        provider=metadata.provider or None,
        language=metadata.language or None,
        times_estimated=is_estimated,
    )


def _spread(spoken: Sequence[SpokenText], duration: float | None) -> list[Segment]:
    """Spread segments by their words over the duration, or at the usual pace without one."""
    counts = [max(len(one.text.split()), 1) for one in spoken]
    pace = sum(counts) / duration if duration else WORDS_PER_SECOND
    segments, said = [], 0
    for one, count in zip(spoken, counts, strict=True):
        segments.append(
            Segment(one.speaker, one.text, _rounded(said / pace), _rounded((said + count) / pace))
        )
        said += count
    return segments


def _complete(spoken: Iterable[SpokenText]) -> list[Segment]:
    """Order segments by their start; one without an end lasts until the next begins, or by its words."""
    ordered = sorted(spoken, key=lambda one: one.start or 0.0)
    if any(one.end is not None and one.end < (one.start or 0.0) for one in ordered):
        raise TranscriptError("a segment ends before it begins")
    following = [one.start or 0.0 for one in ordered[1:]]
    segments = []
    for index, one in enumerate(ordered):
        start, end = one.start or 0.0, one.end
        if end is None:
            by_words = start + len(one.text.split()) / WORDS_PER_SECOND
            end = min(by_words, following[index]) if index < len(following) else by_words
        segments.append(Segment(one.speaker, one.text, _rounded(start), _rounded(end)))
    return segments


def _rounded(seconds: float) -> float:
    return round(seconds, 3)
