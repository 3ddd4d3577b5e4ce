"""Figures of each speaker: share of the words, longest monologue, questions, pace."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from firmograph.conversations.analysis.findings import SpeakerFigures
from firmograph.conversations.analysis.sentences import SpokenSentence
from firmograph.conversations.transcript import Transcript


def measure_speakers(
    transcript: Transcript, sentences: Sequence[SpokenSentence], internal: Collection[str]
) -> list[SpeakerFigures]:
    """Return the figures of the speakers, in the order in which they first speak.

    A monologue goes on over adjacent segments of one speaker.
    """
    words: Counter[str] = Counter()
    questions: Counter[str] = Counter()
    for sentence in sentences:
        words[sentence.speaker] += sentence.words
        questions[sentence.speaker] += sentence.is_question
    seconds: defaultdict[str, float] = defaultdict(float)
    longest: defaultdict[str, float] = defaultdict(float)
    speaker, start = "", 0.0
    for segment in transcript.segments:
        seconds[segment.speaker] += max(0.0, segment.end_seconds - segment.start_seconds)
        if segment.speaker != speaker:
            speaker, start = segment.speaker, segment.start_seconds
        longest[speaker] = max(longest[speaker], segment.end_seconds - start)
    total = words.total()
    return [
        SpeakerFigures(
            name=name,
            talk_share=round(words[name] / total, 3) if total else 0.0,
            longest_monologue_seconds=round(longest[name], 1),
            questions=questions[name],
            words_per_minute=round(words[name] * 60 / seconds[name], 1) if seconds[name] else 0.0,
            is_internal=name in internal if internal else None,
        )
        for name in longest
    ]
