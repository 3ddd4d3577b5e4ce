"""JSON of recorders, and the native form, by one table of field names (docs/reference/conversations.md#recorders)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from firmograph.conversations.reading.building import SpokenText
from firmograph.conversations.reading.metadata import (
    LONGEST_TEXT,
    Metadata,
    TranscriptError,
    first_text,
    one_line,
    read_metadata,
    read_number,
    read_participants,
    read_time,
)

Path = tuple[str | int, ...]
_HIGHEST_NUMBER: Final = 1_000
"""Numbers of speakers below it are the recorder's own; others are ids without a meaning."""


class RecorderForm(NamedTuple):
    """Fields of one recorder; of several paths the first one with a value counts."""

    provider: str
    """As answers show it; empty for the native form, which states its own."""
    segments: Sequence[Path]
    text: Sequence[str] = ("text",)
    speaker: Sequence[str] = ("speaker",)
    start: Sequence[str] = ("start",)
    end: Sequence[str] = ("end",)
    unit: float = 1.0
    """Seconds of one unit of time."""
    parts: str = ""
    """List in each segment with texts and times of its own."""
    root: Sequence[Path] = ((),)
    """Object that the other paths begin at."""
    source_id: Sequence[Path] = ()
    title: Sequence[Path] = ()
    started_at: Sequence[Path] = ()
    duration: Sequence[Path] = ()
    duration_unit: float = 1.0
    language: Sequence[Path] = ()
    participants: Sequence[Path] = ()
    speaker_id: str = ""
    """IndexedField of a participant by which segments name the speaker."""


_DEEPGRAM: Final = RecorderForm(
    provider="deepgram",
    segments=(("results", "utterances"),),
    text=("transcript", "text"),
    source_id=(("metadata", "request_id"),),
    started_at=(("metadata", "created"),),
    duration=(("metadata", "duration"),),
)
FORMS: Final = (
    RecorderForm(
        provider="gong",
        segments=(("callTranscripts", 0, "transcript"), ("transcript",)),
        speaker=("speakerName", "speakerId"),
        unit=0.001,
        parts="sentences",
        source_id=(("callTranscripts", 0, "callId"), ("metaData", "id"), ("callId",)),
        title=(("metaData", "title"),),
        started_at=(("metaData", "started"), ("metaData", "scheduled")),
        duration=(("metaData", "duration"),),
        language=(("metaData", "language"),),
        participants=(("parties",),),
        speaker_id="speakerId",
    ),
    RecorderForm(
        provider="fireflies",
        root=(("data", "transcript"), ()),
        segments=(("sentences",),),
        text=("text", "raw_text"),
        speaker=("speaker_name", "speaker_id"),
        start=("start_time",),
        end=("end_time",),
        source_id=(("id",),),
        title=(("title",),),
        started_at=(("dateString",), ("date",)),
        duration=(("duration",),),
        duration_unit=60.0,
        participants=(("meeting_attendees",), ("participants",)),
    ),
    _DEEPGRAM,
    _DEEPGRAM._replace(
        segments=(("results", "channels", 0, "alternatives", 0, "paragraphs", "paragraphs"),),
        parts="sentences",
    ),
    # native, Whisper and WhisperX
    RecorderForm(
        provider="",
        segments=(("segments",),),
        start=("startSeconds", "start"),
        end=("endSeconds", "end"),
    ),
)
"""Forms of recorders, the most particular first."""

_WHISPER_MARKS: Final = frozenset(("tokens", "avg_logprob", "no_speech_prob", "words"))


def read_recording(content: Mapping[str, Any]) -> tuple[Metadata, list[SpokenText]]:
    """Return metadata and segments of one conversation. Raises TranscriptError if it is in no known form."""
    for form in FORMS:
        for path in form.root:
            root = _at(content, path)
            found = _first(root, form.segments)
            if _is_list_of(form, found):
                return _read(form, root, found)
    raise TranscriptError("it is in no known form of a recorder, and has no segments")


def _is_list_of(form: RecorderForm, found: object) -> bool:
    """Return whether a value is a list of segments of a form."""
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        return False
    return any(form.parts in one for one in found) if form.parts else bool(found)


def _read(
    form: RecorderForm, root: Mapping[str, Any], segments: Sequence[Mapping[str, Any]]
) -> tuple[Metadata, list[SpokenText]]:
    metadata = _metadata(form, root)
    if not form.provider and any(not _WHISPER_MARKS.isdisjoint(one) for one in segments):
        metadata = metadata._replace(provider=metadata.provider or "whisper")
    names = _SpeakerNames(form, _first(root, form.participants))
    spoken = [
        SpokenText(
            names.name_of(segment),
            first_text(part, form.text),
            _time(part, form.start, form.unit),
            _time(part, form.end, form.unit),
        )
        for segment in segments
        for part in _parts(form, segment)
    ]
    return metadata, spoken


def _metadata(form: RecorderForm, root: Mapping[str, Any]) -> Metadata:
    # options and sidecars of all forms use the native names, and some exports add them to a recorder's own
    given = read_metadata(root) if not form.provider else Metadata(provider=form.provider)
    duration = read_number(_first(root, form.duration))
    found = Metadata(
        source_id=one_line(_first(root, form.source_id)),
        title=one_line(_first(root, form.title))[:LONGEST_TEXT],
        started_at=read_time(_first(root, form.started_at)),
        duration_seconds=None if duration is None else duration * form.duration_unit,
        language=one_line(_first(root, form.language)),
        participants=read_participants(_first(root, form.participants)),
    )
    return given.over(found)


class _SpeakerNames:
    """Names of the speakers of one recording; a number or an id without a name is `Speaker` and a number."""

    def __init__(self, form: RecorderForm, participants: object) -> None:
        self._form = form
        self._numbers: dict[str, int] = {}
        self._known: dict[str, str] = {}
        people = participants if form.speaker_id and isinstance(participants, list) else []
        self._names = {
            one_line(one.get(form.speaker_id)): first_text(one, ("name", "emailAddress", "email"))
            for one in people
            if isinstance(one, Mapping)
        }

    def name_of(self, segment: Mapping[str, Any]) -> str:
        for field in self._form.speaker:
            given = segment.get(field)
            if given is None or given == "":
                continue
            if not isinstance(given, str):
                return self._show(given)
            if given not in self._known:
                self._known[given] = self._show(given)
            return self._known[given]
        return ""

    def _show(self, given: object) -> str:
        text = one_line(given)[:LONGEST_TEXT]
        if name := self._names.get(text):
            return name
        if not text.isdigit():
            return text
        if int(text) < _HIGHEST_NUMBER:
            return f"Speaker {text}"
        return f"Speaker {self._numbers.setdefault(text, len(self._numbers) + 1)}"


def _parts(form: RecorderForm, segment: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    parts = segment.get(form.parts) if form.parts else None
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else (segment,)


def _time(part: Mapping[str, Any], names: Sequence[str], unit: float) -> float | None:
    for name in names:
        number = read_number(part.get(name))
        if number is not None:
            return number * unit
    return None


def _first(root: object, paths: Sequence[Path]) -> Any:
    return next((found for path in paths if (found := _at(root, path)) not in (None, "", [])), None)


def _at(root: object, path: Path) -> Any:
    for step in path:
        if isinstance(step, int):
            root = root[step] if isinstance(root, list) and len(root) > step else None
        else:
            root = root.get(step) if isinstance(root, Mapping) else None
    return root
