"""Output of the commands `firmograph conversations`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import msgspec
import typer

from firmograph.cli.output import Column, printable, write_fields, write_table
from firmograph.conversations.service import ShownConversation
from firmograph.conversations.transcript import Transcript
from firmograph.conversations.types import NEVER, ConversationState, StoredConversation
from firmograph.kit.clock import iso


class SpeakerRow(NamedTuple):
    name: str
    segments: int
    words: int


def state_text(stored: StoredConversation) -> str:
    """Return the state of a conversation, with that of its next analysis."""
    state = ConversationState(stored.state).name.lower()
    if stored.failure:
        return f"{state}, failed" if stored.due_at >= NEVER else f"{state}, to be retried"
    return state


def listed_json(stored: StoredConversation) -> dict[str, Any]:
    details = stored.read_details()
    return {
        "id": stored.public_id,
        "title": stored.title,
        "startedAt": iso(stored.started_at),
        "durationSeconds": details.duration_seconds,
        "source": stored.source,
        "state": ConversationState(stored.state).name.lower(),
        "failures": stored.failures,
        "failure": stored.failure,
        "nextAnalysisAt": None if stored.due_at >= NEVER else iso(stored.due_at),
    }


def write_list(found: Sequence[StoredConversation]) -> None:
    """Write conversations as a table."""
    columns: list[Column[StoredConversation]] = [
        Column("ID", lambda one: one.public_id, whole=True),
        Column("TITLE", lambda one: one.title),
        Column("STARTED", lambda one: iso(one.started_at)[:16].replace("T", " "), 1, whole=True),
        Column("MINUTES", lambda one: round(one.read_details().duration_seconds / 60), 2),
        Column("SOURCE", lambda one: one.source, 3),
        Column("STATE", state_text, whole=True),
        Column("REASON", lambda one: one.failure or "", 1),
    ]
    write_table(found, columns, empty="No conversations yet")


def shown_json(shown: ShownConversation) -> dict[str, Any]:
    findings = None if shown.findings is None else msgspec.to_builtins(shown.findings)
    details = msgspec.to_builtins(shown.stored.read_details())
    return {**listed_json(shown.stored), "details": details, "analysis": findings}


def write_conversation(shown: ShownConversation) -> None:
    """Write a conversation with what its analysis found."""
    stored, details = shown.stored, shown.stored.read_details()
    company = " ".join(filter(None, (details.company_name, details.company_domain)))
    write_fields(
        [
            ("id", stored.public_id),
            ("title", stored.title),
            ("started", iso(stored.started_at)),
            ("duration", f"{details.duration_seconds // 60} min"),
            ("state", state_text(stored)),
            ("failure", stored.failure),
            ("company", company),
            ("participants", ", ".join(one.name for one in details.participants)),
            ("summary", shown.findings.summary if shown.findings else None),
            ("topics", ", ".join(shown.findings.topics) if shown.findings else None),
        ]
    )
    found = shown.findings
    if found is None:
        return
    _write_part("Chapters", (f"{_minutes(one.start_seconds)} {one.title}" for one in found.chapters))
    _write_part(
        "Action items",
        (
            f"{one.text}{f' ({one.owner})' if one.owner else ''}{f' until {one.due_date}' if one.due_date else ''}"
            for one in found.action_items
        ),
    )
    _write_part("Risks", (f"{one.text} ({one.severity or 'not assessed'})" for one in found.risks))
    _write_part(
        "Objections",
        (f"{one.text}{f' -> {one.response}' if one.response else ''}" for one in found.objections),
    )
    _write_part("Competitors", (one.name for one in found.competitors))
    if found.coaching:
        _write_part("Coaching", [f"overall score {found.coaching.overall_score}"])


def _write_part(head: str, lines: Iterable[str]) -> None:
    shown = list(lines)
    if shown:
        typer.echo(f"{head}:")
        for line in shown:
            typer.echo(f"  {printable(line)}")


def _minutes(seconds: int) -> str:
    return f"{seconds // 60:02}:{seconds % 60:02}"


def speakers_of(transcript: Transcript) -> list[SpeakerRow]:
    """Return the speakers with their segments and words, the most talkative first."""
    segments: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for one in transcript.segments:
        segments[one.speaker] += 1
        words[one.speaker] += len(one.text.split())
    return [SpeakerRow(name, segments[name], count) for name, count in words.most_common()]


def write_speakers(found: Sequence[SpeakerRow]) -> None:
    columns: list[Column[SpeakerRow]] = [
        Column("SPEAKER", lambda one: one.name),
        Column("SEGMENTS", lambda one: one.segments),
        Column("WORDS", lambda one: one.words),
    ]
    write_table(found, columns)


def write_competitors(competitors: Mapping[str, Sequence[str]]) -> None:
    columns: list[Column[tuple[str, Sequence[str]]]] = [
        Column("COMPETITOR", lambda one: one[0]),
        Column("ALSO", lambda one: ", ".join(one[1])),
    ]
    write_table(sorted(competitors.items()), columns, empty="No competitors given")


# --- transcripts ---


def write_captions(transcript: Transcript, form: str) -> str:
    """Return a transcript as `vtt`, `srt` or `txt`; `import conversations` reads the first two."""
    if form == "txt":
        return "".join(
            f"[{_timestamp(one.start_seconds, '.')[:8]}] {one.speaker + ': ' if one.speaker else ''}{one.text}\n"
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
        times = f"{_timestamp(one.start_seconds, mark)} --> {_timestamp(one.end_seconds, mark)}"
        cues.append(f"{number}\n{times}\n{text}\n")
    return ("WEBVTT\n\n" if is_vtt else "") + "\n".join(cues)


def _timestamp(seconds: float, mark: str) -> str:
    milliseconds = round(seconds * 1_000)
    whole, part = divmod(milliseconds, 1_000)
    return f"{whole // 3_600:02}:{whole // 60 % 60:02}:{whole % 60:02}{mark}{part:03}"
