"""Stored forms of conversations."""

import zlib
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from firmograph.conversations.transcript import Participant, Segment, Transcript
from firmograph.kit.clock import moment_of

NEVER: Final = 1e15
"""Due time of a conversation for which no analysis waits."""

REMOVED: Final = "Removed participant"
"""Name of a suppressed person."""

_PACKING: Final = 1
"""Level of zlib; higher ones save a tenth and take three times as long."""


class ConversationState(IntEnum):
    """How far a conversation is."""

    READY = 1
    """Found by search, with its transcript."""
    ANALYSED = 2


class ConversationDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """Metadata of a conversation besides title and time."""

    duration_seconds: int
    participants: tuple[Participant, ...] = ()
    company_name: str | None = None
    company_domain: str | None = None
    provider: str | None = None
    language: str | None = None
    times_estimated: bool = False


class Talk(msgspec.Struct, frozen=True, array_like=True):
    """Transcript as it is packed: speakers by number."""

    speakers: tuple[str, ...]
    segments: tuple[tuple[int, str, float, float], ...]
    """Speaker, text, start and end in seconds."""


_encode = msgspec.json.encode
_decode_details = msgspec.json.Decoder(ConversationDetails).decode
_decode_talk = msgspec.json.Decoder(Talk).decode
_decode_names = msgspec.json.Decoder(dict[str, str]).decode


class StoredConversation(NamedTuple):
    """Conversation, in the order of its columns."""

    id: int
    uuid: bytes
    place: int
    source: str
    version: bytes
    state: int
    started_at: float
    title: str
    details: bytes
    speakers: bytes | None
    imported_at: float
    failures: int
    failure: str | None
    due_at: float

    @property
    def public_id(self) -> str:
        return str(UUID(bytes=self.uuid))

    def read_details(self) -> ConversationDetails:
        return _decode_details(self.details)

    def given_names(self) -> dict[str, str]:
        """Return the names given to speakers, by those that the recorder gave."""
        return _decode_names(self.speakers) if self.speakers else {}


def pack_talk(segments: Sequence[Segment]) -> bytes:
    """Return a transcript in its stored form."""
    numbers: dict[str, int] = {}
    rows = tuple(
        (numbers.setdefault(one.speaker, len(numbers)), one.text, one.start_seconds, one.end_seconds)
        for one in segments
    )
    return zlib.compress(_encode(Talk(tuple(numbers), rows)), _PACKING)


def unpack_talk(contents: bytes) -> tuple[Segment, ...]:
    """Return the segments of a stored transcript."""
    talk = _decode_talk(zlib.decompress(contents))
    return tuple(
        Segment(talk.speakers[number], text, start, end) for number, text, start, end in talk.segments
    )


def encode_details(transcript: Transcript) -> bytes:
    """Return the metadata of a transcript in its stored form."""
    names: dict[str, Any] = {
        name: getattr(transcript, name) for name in ConversationDetails.__struct_fields__
    }
    return _encode(ConversationDetails(**names))


def encode_names(names: dict[str, str]) -> bytes | None:
    """Return names given to speakers in their stored form."""
    return _encode(names) if names else None


def stored_transcript(stored: StoredConversation, contents: bytes) -> Transcript:
    """Return a stored conversation as a transcript."""
    details = stored.read_details()
    return Transcript(
        title=stored.title,
        started_at=moment_of(stored.started_at),
        segments=unpack_talk(contents),
        **{name: getattr(details, name) for name in ConversationDetails.__struct_fields__},
    )


class CompetitorName(NamedTuple):
    """Competitor with other names under which people speak of it."""

    name: str
    aliases: tuple[str, ...] = ()
