"""WebVTT and SRT: cues by `webvtt-py`, with what it passes over in silence set right or refused.

It reads no cue where a comma is the decimal sign of WebVTT, returns the first of several voices of a cue, and accepts
times that run back.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from firmograph.conversations.reading.building import SpokenText
from firmograph.conversations.reading.metadata import TranscriptError, one_line
from firmograph.conversations.reading.name_prefixes import split_prefixes

_TIMING: Final = re.compile(
    r"^(\s*)((?:\d+:)?\d{1,2}:\d{1,2}(?:[.,]\d+)?)\s*-->\s*((?:\d+:)?\d{1,2}:\d{1,2}(?:[.,]\d+)?)(.*)$"
)
_VOICE: Final = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^>]+)>")
_TAG: Final = re.compile(
    r"</?(?:b|i|u|c|v|font|lang|ruby|rt|span)(?:[.\s][^<>]*)?>|<\d[\d:.]*>|</?>", re.IGNORECASE
)
_BACK_SECONDS: Final = 1.0
"""By how much a cue may begin before the one above it: two speakers at once."""


def is_captions(head: str) -> bool:
    """Return whether a text begins like WebVTT or SRT."""
    lines = [line for line in head.splitlines() if line.strip()][:2]
    return head.startswith("WEBVTT") or any("-->" in line for line in lines)


def read_captions(text: str) -> list[SpokenText]:
    """Return the segments of WebVTT or SRT. Raises TranscriptError."""
    is_vtt = text.startswith("WEBVTT")
    lines, expected = _set_right(text.splitlines(), is_vtt=is_vtt)
    cues = _read_cues("\n".join(lines) + "\n", is_vtt=is_vtt)
    if len(cues) != expected:
        raise TranscriptError(f"{abs(expected - len(cues)):,} of {expected:,} cues cannot be read")
    before = 0.0
    for _, start, end in cues:
        if end < start or start < before - _BACK_SECONDS:
            raise TranscriptError("its times run back")
        before = max(before, start)
    voices = [one for cue in cues for one in _split_voices(*cue)]
    if any(one.speaker for one in voices):
        return [one._replace(text=" ".join(one.text.split())) for one in voices]
    return split_prefixes(voices)


def _set_right(lines: Sequence[str], *, is_vtt: bool) -> tuple[list[str], int]:
    """Return lines whose times the library reads, and the number of cues with a text."""
    fixed: list[str] = []
    expected = number = 0
    for index, line in enumerate(lines):
        found = _TIMING.match(line)
        if found is None:
            fixed.append(line if line.strip() else "")
            continue
        number += 1
        _, start, end, rest = found.groups()
        if not is_vtt and not (fixed and fixed[-1].strip().isdigit()):
            # programs leave out the numbers of cues
            fixed += ["", str(number)]
        fixed.append(f"{_full_time(start, is_vtt)} --> {_full_time(end, is_vtt)}{rest if is_vtt else ''}")
        expected += index + 1 < len(lines) and bool(lines[index + 1].strip())
    arrows = sum("-->" in line for line in lines)
    if arrows > number:
        raise TranscriptError(f"{arrows - number:,} of {arrows:,} cues have times that cannot be read")
    while fixed and not fixed[0].strip():
        del fixed[0]
    return fixed, expected


def _full_time(time: str, is_vtt: bool) -> str:
    """Return a time with hours and milliseconds, with the decimal sign of the format."""
    whole, _, part = time.replace(",", ".").partition(".")
    if whole.count(":") == 1:
        whole = f"00:{whole}"
    hours, minutes, seconds = whole.split(":")
    return f"{hours:0>2}:{minutes:0>2}:{seconds:0>2}{'.' if is_vtt else ','}{part[:3]:0<3}"


def _read_cues(text: str, *, is_vtt: bool) -> list[tuple[str, float, float]]:
    """Return text with tags, start and end of each cue with a text."""
    import io

    import webvtt
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    try:
        captions = webvtt.from_buffer(io.StringIO(text), format="vtt" if is_vtt else "srt")
    except (MalformedCaptionError, MalformedFileError):
        raise TranscriptError("it is no WebVTT or SRT that can be read") from None
    return [
        (one.raw_text, one.start_time.in_milliseconds() / 1_000, one.end_time.in_milliseconds() / 1_000)
        for one in captions.captions
        if one.raw_text.strip()
    ]


def _split_voices(text: str, start: float, end: float) -> Iterator[SpokenText]:
    """Yield the words of each voice of a cue."""
    before, *rest = _VOICE.split(text)
    if words := _plain(before):
        yield SpokenText("", words, start, end)
    for voice, said in zip(rest[::2], rest[1::2], strict=True):
        if words := _plain(said):
            yield SpokenText(one_line(voice), words, start, end)


def _plain(text: str) -> str:
    """Return the text of a cue without tags and entities; its lines stay apart."""
    lines = (one_line(line) for line in _TAG.sub("", text).splitlines())
    return "\n".join(line for line in lines if line)
