"""Conversations as answers show them."""

from collections.abc import Collection, Iterable

from msgspec import UNSET, UnsetType

from firmograph.conversations import answers
from firmograph.conversations.analysis.findings import Coaching, CoachingSection, Findings
from firmograph.conversations.own_hosts import is_internal
from firmograph.conversations.service import ConversationPage, ShownConversation
from firmograph.conversations.transcript import Participant, Segment
from firmograph.conversations.types import ConversationDetails
from firmograph.kit.clock import iso

_NOTHING = Findings(None, (), (), (), (), (), None, (), ())


def show_page(page: ConversationPage) -> list[answers.ConversationView]:
    """Return the conversations of a page."""
    return [show_conversation(one, page.own_hosts) for one in page.conversations]


def show_conversation(one: ShownConversation, own_hosts: Collection[str]) -> answers.ConversationView:
    """Return a conversation as JSON shows it."""
    stored, details = one.stored, one.stored.read_details()
    found, public_id = one.findings or _NOTHING, stored.public_id
    return answers.ConversationView(
        id=public_id,
        conversation_id=public_id,
        title=stored.title,
        started_at=iso(stored.started_at),
        duration_seconds=details.duration_seconds,
        provider=details.provider or UNSET,
        language=details.language or UNSET,
        times_estimated=details.times_estimated or UNSET,
        participants=[_participant(each, own_hosts) for each in details.participants],
        company=_company(details),
        summary=found.summary,
        topics=list(found.topics),
        action_items=[
            answers.FoundActionItem(
                each.text, each.owner or UNSET, each.due_date.isoformat() if each.due_date else UNSET
            )
            for each in found.action_items
        ],
        risks=[answers.FoundRisk(each.text, each.severity) for each in found.risks],
        objections=[
            answers.FoundObjection(each.text, each.severity, each.response or UNSET)
            for each in found.objections
        ],
        competitors=[answers.NamedCompetitor(each.name, each.context or UNSET) for each in found.competitors],
        coaching=_coaching(found.coaching),
        chapters=[
            answers.ChapterView(each.title, each.start_seconds, each.summary or UNSET)
            for each in found.chapters
        ],
        analytics=_analytics(found) if one.findings else UNSET,
    )


def show_segments(segments: Iterable[Segment]) -> list[answers.TranscriptSegment]:
    """Return the segments of a transcript."""
    return [
        answers.TranscriptSegment(one.speaker, one.text, one.start_seconds, one.end_seconds)
        for one in segments
    ]


def _participant(one: Participant, own_hosts: Collection[str]) -> answers.ConversationParticipant:
    internal = is_internal(one, own_hosts)
    return answers.ConversationParticipant(
        one.name, one.email or UNSET, one.company_domain or UNSET, UNSET if internal is None else internal
    )


def _company(details: ConversationDetails) -> answers.ConversationCompany | UnsetType:
    if not (details.company_name or details.company_domain):
        return UNSET
    return answers.ConversationCompany(details.company_name or UNSET, details.company_domain or UNSET)


def _coaching(found: Coaching | None) -> answers.CoachingView | None:
    if found is None:
        return None

    def part(one: CoachingSection) -> answers.CoachingPart:
        return answers.CoachingPart(one.what_happened, one.keep, one.improve)

    return answers.CoachingView(
        found.overall_score,
        part(found.opening),
        part(found.qualification),
        part(found.demo),
        part(found.closing),
    )


def _analytics(found: Findings) -> answers.ConversationAnalytics:
    return answers.ConversationAnalytics(
        [
            answers.SpeakerView(
                each.name,
                each.talk_share,
                each.longest_monologue_seconds,
                each.questions,
                each.words_per_minute,
                UNSET if each.is_internal is None else each.is_internal,
            )
            for each in found.speakers
        ]
    )
