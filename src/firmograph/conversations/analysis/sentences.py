"""Sentences of a transcript, in the forms that the parts of an analysis need."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from firmograph.conversations.analysis.rules import any_of, load_rules, lower
from firmograph.conversations.transcript import Transcript

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_END: Final = re.compile(r"(?<=[.?!])[\"”')\]]*\s+|(?<=[。！？؟।])")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|no|vs|prof|approx|e\.g|i\.e|inc|ltd|co)|\b[a-z])\.$", re.IGNORECASE
)
_NOTE: Final = re.compile(r"\{\w+\}|\[[\w ]+\]|<\w+>")
"""Notes of recorders: {laughter}, [inaudible]."""
_LONGEST_WORD: Final = 200
"""Characters of a word, or of a sentence without spaces, that are quoted."""
_SPACE: Final = re.compile(r"\s+")
_BEFORE_SIGN: Final = re.compile(r"\s+(?=[,.?!;:](?:\s|$))")
_REPEATED: Final = re.compile(r"\b([^\W\d_]+)(?: \1(?![\w'’]))+", re.IGNORECASE)
_COMMAS: Final = re.compile(r"(?:,\s*)+,|^[\s,.;:–-]+")


class SpokenSentence(NamedTuple):
    """Sentence of a segment."""

    segment: int
    speaker: str
    is_internal: bool | None
    """Whether the speaker is of the seller's side; None where no side is known."""
    text: str
    """As spoken, on one line."""
    lower: str
    """The same in lower case, letter by letter, for patterns."""
    words: int
    terms: tuple[str, ...]
    """Words that say something about the subject, by their beginnings."""
    is_question: bool


def split_transcript(
    transcript: Transcript, internal: Collection[str], *, is_english: bool
) -> list[SpokenSentence]:
    """Return the sentences of all segments, in order."""
    return [
        _sentence(
            number, segment.speaker, segment.speaker in internal if internal else None, text, is_english
        )
        for number, segment in enumerate(transcript.segments)
        for text in _split(segment.text)
    ]


def _sentence(
    segment: int, speaker: str, is_internal: bool | None, text: str, is_english: bool
) -> SpokenSentence:
    lowered = lower(text)
    words = _WORD.findall(lowered)
    is_question = text.rstrip("\"”') ").endswith(("?", "？", "؟")) or (
        is_english and text[-1:].isalnum() and _begins_like_question().match(lowered) is not None
    )
    return SpokenSentence(
        segment,
        speaker,
        is_internal,
        text,
        lowered,
        _count(words),
        tuple(_terms(words, is_english)),
        is_question,
    )


def _terms(words: Sequence[str], is_english: bool) -> Iterator[str]:
    stop = load_rules().stop
    for word in words:
        word = word.removesuffix("'s")
        if len(word) >= stop.shortest and not word.isdigit() and not (is_english and word in stop.words):
            yield word[: stop.stem]


@cache
def _begins_like_question() -> re.Pattern[str]:
    return any_of(load_rules().questions.begins)


def _split(text: str) -> Iterator[str]:
    """Yield the sentences of a segment; one without signs, as machines write them, is cut where it gets too long."""
    text = _SPACE.sub(" ", _NOTE.sub(" ", text)).strip()
    text = _BEFORE_SIGN.sub("", text)
    start = 0
    for found in _END.finditer(text):
        if _ABBREVIATION.search(text, max(start, found.start() - 8), found.start()):
            continue
        yield from _cut(text[start : found.start()])
        start = found.end()
    yield from _cut(text[start:])


def _cut(text: str) -> Iterator[str]:
    rules = load_rules().sentences
    words = text.split()
    start = 0
    while len(words) - start > rules.longest_words:
        latest = start + rules.longest_words
        end = next(
            (
                at
                for at in range(start + rules.longest_words // 2, latest)
                if words[at - 1].endswith((",", ";", ":")) or words[at].lower() in rules.cut_before
            ),
            latest,
        )
        yield " ".join(words[start:end])
        start = end
    if start < len(words):
        yield " ".join(words[start:])


def quote(text: str, most_words: int = 0) -> str:
    """Return a sentence as it is quoted: without fillers, repetitions and small words at its beginning."""
    text = _REPEATED.sub(
        r"\1", _COMMAS.sub(lambda found: "," if found.start() else "", _without_fillers(text))
    )
    words = [word[:_LONGEST_WORD] for word in text.split()]
    openers = load_rules().sentences.openers
    while len(words) > 3 and words[0].strip(",.!").lower() in openers:
        del words[0]
    if most_words and len(words) > most_words:
        words = [*words[:most_words], "…"]
    text = " ".join(words).replace(" …", "…")
    return text[:1].upper() + text[1:]


def _without_fillers(text: str) -> str:
    found = _fillers().sub(" ", text)
    return _BEFORE_SIGN.sub("", _SPACE.sub(" ", found)).strip() or text


@cache
def _fillers() -> re.Pattern[str]:
    rules = load_rules().sentences
    words = "|".join(map(re.escape, sorted((*rules.fillers, *rules.padding))))
    return re.compile(rf"(?<![\w'’-])(?:{words})(?![\w'’-]),?", re.IGNORECASE)


def count_words(text: str) -> int:
    return _count(_WORD.findall(text))


def _count(words: Sequence[str]) -> int:
    """Return the number of words; Chinese and Japanese, without spaces, have about one for two characters."""
    return sum(max(1, len(word) // 2) if "\u3040" <= word[0] < "\ua000" else 1 for word in words)


def is_english(transcript: Transcript) -> bool:
    """Return whether the rules for English apply: the language says so, or its small words are there."""
    rules = load_rules().language
    if transcript.language and transcript.language.lower().partition("-")[0].partition("_")[0] not in (
        "en",
        "eng",
        "english",
    ):
        return False
    words: list[str] = []
    for segment in transcript.segments:
        words += _WORD.findall(lower(segment.text))
        if len(words) >= rules.read_words:
            break
    return bool(words) and sum(word in rules.words for word in words) >= rules.least_share * len(words)
