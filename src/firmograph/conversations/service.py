"""Search of conversations and transcripts, for calls and commands (docs/reference/conversations.md)."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UNSET

from firmograph.billing.charged_call import ChargedCall, ChargedCalls, ChargedWork, PricedContent
from firmograph.billing.idempotency import Memo
from firmograph.caller import Request
from firmograph.conversations import store
from firmograph.conversations.analysis.findings import Findings
from firmograph.conversations.own_hosts import read_own_hosts
from firmograph.conversations.search import ConversationFilters, FoundPlaces, search_filters, search_text
from firmograph.conversations.shapes import SearchConversations
from firmograph.conversations.transcript import Segment
from firmograph.conversations.types import StoredConversation, unpack_talk
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.kit.errors import BadRequest, NotFound

SEARCH_PRICE: Final = "conversationsSearch"
TRANSCRIPT_PRICE: Final = "conversationsTranscript"

_decode_findings = msgspec.json.Decoder(Findings).decode


class ShownConversation(NamedTuple):
    """Conversation with its analysis, as answers show it."""

    stored: StoredConversation
    findings: Findings | None


class ConversationPage(NamedTuple):
    """Content of an answer to a search."""

    conversations: list[ShownConversation]
    page: int
    page_size: int
    total: int
    own_hosts: frozenset[str]
    """Hosts of the account's users."""


class ShownTranscript(NamedTuple):
    """Content of an answer to a transcript call."""

    conversation_id: str
    segments: tuple[Segment, ...]


class ConversationSearchMemo(Memo, frozen=True):
    """Memo of a search for its replay."""

    ids: list[int]
    total: int


class TranscriptMemo(Memo, frozen=True):
    """Memo of a transcript for its replay."""

    id: int


class Conversations:
    """Service of the conversation calls."""

    def __init__(self, database: Database, calls: ChargedCalls) -> None:
        self._database = database
        self._calls = calls

    def search(self, request: Request, body: SearchConversations) -> ChargedCall[ConversationPage]:
        """Return the call of a search. Raises BadRequest for invalid filters, also where they are ignored."""
        return self._calls.ready(request, _Search(self._database, request, body))

    def transcript(self, request: Request, conversation_id: str) -> ChargedCall[ShownTranscript]:
        """Return the call of a transcript; it raises NotFound for every id without one."""
        return self._calls.ready(request, _Transcript(self._database, request, conversation_id))


def read_id(text: str) -> bytes | None:
    """Return the bytes of a public id; None for a text that is none."""
    try:
        found = UUID(text)
    except ValueError:
        return None
    return found.bytes if str(found) == text.lower() else None


def show_conversations(
    session: AccountSession, stored: Sequence[StoredConversation]
) -> list[ShownConversation]:
    """Return conversations with their analyses."""
    analyses = store.select_analyses(session, [one.id for one in stored])
    return [
        ShownConversation(one, _decode_findings(analyses[one.id].findings) if one.id in analyses else None)
        for one in stored
    ]


class _Search(ChargedWork[None, ConversationPage]):
    """Search of one call."""

    memo = ConversationSearchMemo
    price_key = SEARCH_PRICE
    reads = True

    def __init__(self, database: Database, request: Request, body: SearchConversations) -> None:
        self._database = database
        self._account_id = request.caller.account_id
        self._body = body
        self._filters = _read_filters(body)

    def read(self) -> ConversationPage:
        with self._database.read() as session:
            return self._search(session)

    def compute(self, session: Session, prepared: None) -> PricedContent[ConversationPage]:
        page = self._search(session)
        ids = [one.stored.id for one in page.conversations]
        return PricedContent(
            page, ConversationSearchMemo(ids, page.total), quantities={SEARCH_PRICE: len(ids)}
        )

    def replay(self, session: Session, prepared: None, memo: ConversationSearchMemo) -> ConversationPage:
        own = AccountSession(session, self._account_id)
        stored = store.select_by_id(own, memo.ids)
        held = [stored[number] for number in memo.ids if number in stored]
        return self._show(own, held, memo.total, read_own_hosts(own))

    def _search(self, session: Session) -> ConversationPage:
        own, body = AccountSession(session, self._account_id), self._body
        own_hosts = read_own_hosts(own)
        found: FoundPlaces
        if body.query is not UNSET:
            found = search_text(own, body.query, body.page, body.page_size)
        else:
            found = search_filters(own, self._filters, own_hosts, body.page, body.page_size)
        stored = store.select_by_place(own, found.places)
        return self._show(own, [stored[place] for place in found.places], found.total, own_hosts)

    def _show(
        self,
        own: AccountSession,
        stored: Sequence[StoredConversation],
        total: int,
        own_hosts: frozenset[str],
    ) -> ConversationPage:
        body = self._body
        return ConversationPage(show_conversations(own, stored), body.page, body.page_size, total, own_hosts)


class _Transcript(ChargedWork[None, ShownTranscript]):
    """Transcript of one call."""

    memo = TranscriptMemo
    price_key = TRANSCRIPT_PRICE
    reads = True

    def __init__(self, database: Database, request: Request, conversation_id: str) -> None:
        self._database = database
        self._account_id = request.caller.account_id
        self._uuid = read_id(conversation_id)

    def read(self) -> ShownTranscript:
        with self._database.read() as session:
            own = AccountSession(session, self._account_id)
            return self._show(own, self._find(own))

    def compute(self, session: Session, prepared: None) -> PricedContent[ShownTranscript]:
        own = AccountSession(session, self._account_id)
        stored = self._find(own)
        return PricedContent(
            self._show(own, stored), TranscriptMemo(stored.id), quantities={TRANSCRIPT_PRICE: 1}
        )

    def replay(self, session: Session, prepared: None, memo: TranscriptMemo) -> ShownTranscript:
        own = AccountSession(session, self._account_id)
        stored = store.select_by_id(own, [memo.id]).get(memo.id)
        if stored is None:
            raise _no_transcript()
        return self._show(own, stored)

    def _find(self, own: AccountSession) -> StoredConversation:
        found = store.select_by_uuid(own, [self._uuid]) if self._uuid else {}
        if not found:
            raise _no_transcript()
        return next(iter(found.values()))

    def _show(self, own: AccountSession, stored: StoredConversation) -> ShownTranscript:
        contents = store.select_transcripts(own, [stored.id])
        return ShownTranscript(stored.public_id, unpack_talk(contents[stored.id]))


def _no_transcript() -> NotFound:
    return NotFound("There is no transcript of this conversation")


def _read_filters(body: SearchConversations) -> ConversationFilters:
    """Return the filters of a body. Raises BadRequest for days that do not exist or run back."""
    days = {name: _read_day(body, name) for name in ("date_from", "date_to")}
    start, end = days["date_from"], days["date_to"]
    if start is not None and end is not None and start > end:
        problem = "dateFrom should not be after dateTo"
        raise BadRequest(problem, [problem])
    ids: list[str] = _read_list(body, "conversation_ids")
    return ConversationFilters(
        start,
        end,
        _read_list(body, "contact_names"),
        _read_list(body, "company_domains"),
        _read_list(body, "meeting_titles"),
        [uuid for one in ids if (uuid := read_id(one))] if ids else None,
    )


def _read_day(body: SearchConversations, name: str) -> date | None:
    text = body.filter_value(name)
    if text is UNSET:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        problem = f"{'dateFrom' if name == 'date_from' else 'dateTo'} should be a day of the calendar"
        raise BadRequest(problem, [problem]) from None


def _read_list(body: SearchConversations, name: str) -> list[Any]:
    values = body.filter_value(name)
    return [] if values is UNSET else values
