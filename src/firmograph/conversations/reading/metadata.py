"""Metadata of a conversation, as files state it and options replace it."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from firmograph.conversations.transcript import Participant
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import email_domain, is_free_mail, normalise_email
from firmograph.ingest.reading.clean_texts import clean_text

LONGEST_TEXT: Final = 500
"""Characters of a title or name that are kept."""
MOST_PARTICIPANTS: Final = 500

_ADDRESSED: Final = re.compile(r"\s*(?P<name>[^<>]*?)\s*<(?P<email>[^<>]+)>\s*")
_MILLISECONDS_FROM: Final = 1e11
"""Epoch times from here on are in milliseconds."""
_LATEST: Final = 4_102_444_800.0
"""First moment of 2100."""


class TranscriptError(Exception):
    """Conversation that cannot be imported, with the reason; it quotes no words of it."""


class Metadata(NamedTuple):
    """What is known of a conversation besides its segments."""

    source_id: str = ""
    title: str = ""
    started_at: datetime | None = None
    duration_seconds: float | None = None
    provider: str = ""
    language: str = ""
    participants: tuple[Participant, ...] = ()
    company_name: str = ""
    company_domain: str = ""

    def over(self, other: "Metadata") -> "Metadata":
        """Return this metadata, completed by another one."""
        return self._replace(
            **{name: value for name, value in other._asdict().items() if not getattr(self, name)}
        )


def one_line(value: object) -> str:
    """Return a text on one line, cleaned; a number as its digits; empty for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(int(value)) if math.isfinite(value) and value == int(value) else str(value)
    return " ".join(clean_text(value).split()) if isinstance(value, str) else ""


def read_time(value: object) -> datetime | None:
    """Return a time: ISO 8601 (UTC without a zone), or seconds or milliseconds since the epoch.

    Raises TranscriptError for a value that is no time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str) and re.fullmatch(r"\d{9,13}(\.\d+)?", value.strip()):
        value = float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1_000 if value >= _MILLISECONDS_FROM else float(value)
        if 0 < seconds < _LATEST:
            return datetime.fromtimestamp(seconds, UTC)
    elif isinstance(value, str):
        try:
            read = datetime.fromisoformat(value.strip())
            read = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
            if 0 < read.timestamp() < _LATEST:
                return read
        except (ValueError, OverflowError):
            pass
    raise TranscriptError("the start is no date and time, such as 2026-03-31T14:00:00Z")


def read_number(value: object) -> float | None:
    """Return a number that is not negative; None for anything else."""
    if type(value) is float and 0.0 <= value < math.inf:
        return value
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def read_participant(given: object) -> Participant | None:
    """Return a participant: an object, a name, an address, or `Name <address>`; None if it has neither."""
    fields: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    if isinstance(given, str):
        found = _ADDRESSED.fullmatch(given)
        fields = found.groupdict() if found else {"email" if "@" in given else "name": given}
    address = normalise_email(first_text(fields, ("email", "emailAddress", "userEmail")))
    name = first_text(fields, ("name", "displayName", "fullName"))[:LONGEST_TEXT] or address or ""
    domain = host_of(first_text(fields, ("companyDomain",)))
    if domain is None and address is not None and not is_free_mail(email_domain(address)):
        domain = email_domain(address)
    return Participant(name, address, domain) if name else None


def first_text(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of some fields that holds a text, on one line."""
    return next((text for name in names if (text := one_line(fields.get(name)))), "")


def read_participants(given: object) -> tuple[Participant, ...]:
    """Return the participants of a list; one that stands twice counts once."""
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, list):
        return ()
    found = [one for each in given[:MOST_PARTICIPANTS] if (one := read_participant(each)) is not None]
    by_address = {one.email: one for one in found if one.email and one.name != one.email}
    kept = [by_address.get(one.email, one) if one.email else one for one in found]
    return tuple(dict.fromkeys(kept))


def read_metadata(given: Mapping[str, Any]) -> Metadata:
    """Return the metadata of an object in the native form. Raises TranscriptError for a start that is no time."""
    company = given.get("company")
    fields: Mapping[str, Any] = company if isinstance(company, Mapping) else {"name": company}
    return Metadata(
        source_id=one_line(given.get("sourceId")),
        title=one_line(given.get("title"))[:LONGEST_TEXT],
        started_at=read_time(given.get("startedAt")),
        duration_seconds=read_number(given.get("durationSeconds")),
        provider=one_line(given.get("provider"))[:LONGEST_TEXT],
        language=one_line(given.get("language"))[:LONGEST_TEXT],
        participants=read_participants(given.get("participants")),
        company_name=one_line(fields.get("name"))[:LONGEST_TEXT],
        company_domain=host_of(one_line(fields.get("domain"))) or "",
    )
