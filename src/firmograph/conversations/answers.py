"""Answers on conversations (docs/reference/conversations.md#record)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.directory.previews import ResponsePart

_Count = Annotated[int, Meta(ge=0)]
_Seconds = Annotated[float, Meta(ge=0)]
_Moment = Annotated[str, Meta(description="UTC, ISO 8601", extra_json_schema={"format": "date-time"})]
_Uuid = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
_SeverityValue = Annotated[
    Literal["low", "medium", "high"] | None, Meta(description="Null where nothing assessed it")
]


class ConversationParticipant(ResponsePart):
    name: str
    email: str | UnsetType = UNSET
    company_domain: str | UnsetType = UNSET
    is_internal: (
        Annotated[bool, Meta(description="Whether the address is at a domain of the account's users")]
        | UnsetType
    ) = UNSET


class ConversationCompany(ResponsePart):
    name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET


class FoundActionItem(ResponsePart):
    text: str
    owner: str | UnsetType = UNSET
    due_date: Annotated[str, Meta(extra_json_schema={"format": "date"})] | UnsetType = UNSET


class FoundRisk(ResponsePart):
    text: str
    severity: _SeverityValue


class FoundObjection(ResponsePart):
    text: str
    severity: _SeverityValue
    response: Annotated[str, Meta(description="The answer that followed it")] | UnsetType = UNSET


class NamedCompetitor(ResponsePart):
    name: str
    context: Annotated[str, Meta(description="The sentence that names it first")] | UnsetType = UNSET


class CoachingPart(ResponsePart):
    what_happened: str
    keep: str
    improve: str


class CoachingView(ResponsePart):
    overall_score: Annotated[int, Meta(ge=0, le=100)]
    opening: CoachingPart
    qualification: CoachingPart
    demo: CoachingPart
    closing: CoachingPart


class ChapterView(ResponsePart):
    title: str
    start_seconds: _Count
    summary: str | UnsetType = UNSET


class SpeakerView(ResponsePart):
    name: str
    talk_share: Annotated[float, Meta(ge=0, le=1, description="Of all words")]
    longest_monologue_seconds: _Seconds
    questions: _Count
    words_per_minute: Annotated[float, Meta(ge=0)]
    is_internal: bool | UnsetType = UNSET


class ConversationAnalytics(ResponsePart):
    speakers: list[SpeakerView]


class ConversationView(ResponsePart, kw_only=True):
    """Conversation with its analysis; `summary` and `coaching` are null, and `chapters` empty, until there is one."""

    id: _Uuid
    conversation_id: Annotated[_Uuid, Meta(description="The same as `id`")]
    title: str
    started_at: _Moment
    duration_seconds: _Count
    provider: str | UnsetType = UNSET
    language: str | UnsetType = UNSET
    times_estimated: (
        Annotated[bool, Meta(description="True where the transcript had no times")] | UnsetType
    ) = UNSET
    participants: list[ConversationParticipant]
    company: ConversationCompany | UnsetType = UNSET
    summary: str | None
    topics: list[str]
    action_items: list[FoundActionItem]
    risks: list[FoundRisk]
    objections: list[FoundObjection]
    competitors: list[NamedCompetitor]
    coaching: CoachingView | None
    chapters: list[ChapterView]
    analytics: ConversationAnalytics | UnsetType = UNSET


class ConversationPagination(ResponsePart):
    page: _Count
    page_size: Annotated[int, Meta(ge=1)]
    total: _Count


class ConversationsAnswer(ResponsePart, kw_only=True):
    request_id: str
    results: list[ConversationView]
    pagination: ConversationPagination
    billing: Billing


class TranscriptSegment(ResponsePart):
    """Words of one speaker without a break."""

    speaker: Annotated[str, Meta(description="As the recorder names them; empty where it names nobody")]
    text: str
    start_seconds: _Seconds
    end_seconds: _Seconds


class TranscriptAnswer(ResponsePart, kw_only=True):
    request_id: str
    conversation_id: _Uuid
    segments: list[TranscriptSegment]
    billing: Billing
