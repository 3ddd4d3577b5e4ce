"""Conversation as it is imported: metadata, people, segments in the order of time."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Participant:
    """Person who took part, as the recorder names them."""

    name: str
    email: str | None = None
    company_domain: str | None = None
    is_internal: bool | None = None
    """Whether the address stands at a domain of the account's users; None without an address."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of one speaker without a break; times in seconds from the start."""

    speaker: str
    text: str
    start_seconds: float
    end_seconds: float


@dataclass(frozen=True, slots=True)
class Transcript:
    """Conversation to be stored and analysed; missing times are already spread (ruling J 3)."""

    title: str
    started_at: datetime
    duration_seconds: int
    segments: tuple[Segment, ...]
    participants: tuple[Participant, ...] = ()
    company_name: str | None = None
    company_domain: str | None = None
    provider: str | None = None
    language: str | None = None
    times_estimated: bool = field(default=False)
