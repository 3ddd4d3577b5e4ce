"""Endpoints of conversations."""

from typing import Any, Final

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import Billing
from firmograph.conversations import answers, shapes
from firmograph.conversations.rendering import show_page, show_segments
from firmograph.conversations.service import ConversationPage, Conversations, ShownTranscript
from firmograph.kit.errors import Busy, Conflict, NotFound, PaymentRequired

_ERRORS: Final = (PaymentRequired, Conflict, Busy)
_EXAMPLES: Final[dict[str, Any]] = {
    "words of transcripts": {"query": "pricing objection", "pageSize": 10},
    "filters": {"dateFrom": "2026-01-01", "dateTo": "2026-03-31", "companyDomains": ["acme.com"]},
    "everything": {},
}


def routes(service: Conversations) -> list[Endpoint]:
    def search_conversations(call: Call[shapes.SearchConversations]) -> ChargedResponse | Deferred:
        return respond(service.search(call.request, call.body), _render_page)

    def get_transcript(call: Call[None]) -> ChargedResponse | Deferred:
        return respond(service.transcript(call.request, call.segments.conversation_id), _render_transcript)

    return [
        Endpoint(
            name="search_conversations",
            method="POST",
            path="/v3/account/conversations/search",
            function=search_conversations,
            body=shapes.SearchConversations,
            answer=answers.ConversationsAnswer,
            tags=["Conversations"],
            summary="Search the account's conversations",
            description="With `query`, the conversations whose transcripts have any of its words, the best first, and"
            " all filters are ignored, although they must be valid. Without it, those that pass all filters, the"
            " newest first. A conversation is found as soon as it is imported: until its analysis is ready,"
            " `summary` and `coaching` are null and `chapters` is empty. Each started 25 results are charged.",
            charges=True,
            errors=_ERRORS,
            examples=_EXAMPLES,
        ),
        Endpoint(
            name="get_conversation_transcript",
            method="GET",
            path="/v3/account/conversations/{conversation_id}/transcript",
            function=get_transcript,
            segments=shapes.ConversationPath,
            answer=answers.TranscriptAnswer,
            tags=["Conversations"],
            summary="Get the transcript of a conversation",
            description="Charged for each success, repeats too, unless they have the same `Idempotency-Key`. 404, free"
            " of charge, for every id without a transcript: unknown, malformed, or another account's.",
            charges=True,
            errors=(*_ERRORS, NotFound),
        ),
    ]


def _render_page(content: ConversationPage, request_id: str, credits: int) -> answers.ConversationsAnswer:
    return answers.ConversationsAnswer(
        request_id=request_id,
        results=show_page(content),
        pagination=answers.ConversationPagination(content.page, content.page_size, content.total),
        billing=Billing(credits, len(content.conversations)),
    )


def _render_transcript(content: ShownTranscript, request_id: str, credits: int) -> answers.TranscriptAnswer:
    return answers.TranscriptAnswer(
        request_id=request_id,
        conversation_id=content.conversation_id,
        segments=show_segments(content.segments),
        billing=Billing(credits, 1),
    )
