"""Transcripts as WebVTT, SRT or text."""

from html import escape
from typing import Literal

from firmograph.conversations.transcript import Transcript

TranscriptFormat = Literal["vtt", "srt", "txt"]


def write_captions(transcript: Transcript, form: TranscriptFormat) -> str:
    """Return a transcript in a format of files; `import conversations` reads the first two."""
    if form == "txt":
        return "".join(
            f"[{_time(one.start_seconds, '.')[:8]}] {one.speaker + ': ' if one.speaker else ''}{one.text}\n"
            for one in transcript.segments
        )
    is_vtt = form == "vtt"
    mark = "." if is_vtt else ","
    cues = []
    for number, one in enumerate(transcript.segments, 1):
        if is_vtt:
            text = escape(one.text, quote=False)
            text = f"<v {escape(one.speaker, quote=False)}>{text}</v>" if one.speaker else text
        else:
            text = f"{one.speaker}: {one.text}" if one.speaker else one.text
        times = f"{_time(one.start_seconds, mark)} --> {_time(one.end_seconds, mark)}"
        cues.append(f"{number}\n{times}\n{text}\n")
    return ("WEBVTT\n\n" if is_vtt else "") + "\n".join(cues)


def _time(seconds: float, mark: str) -> str:
    milliseconds = round(seconds * 1_000)
    whole, part = divmod(milliseconds, 1_000)
    return f"{whole // 3_600:02}:{whole // 60 % 60:02}:{whole % 60:02}{mark}{part:03}"
