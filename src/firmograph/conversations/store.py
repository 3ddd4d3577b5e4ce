"""SQL of conversations, their transcripts, people, analyses and settings. Functions run in the caller's transaction."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.conversations.tables import (
    conversation_analyses,
    conversation_people,
    conversation_settings,
    conversation_transcripts,
    conversation_words,
    conversations,
)
from firmograph.conversations.tables import conversation_blocks as blocks
from firmograph.conversations.types import NEVER, StoredConversation
from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import replacing

_c, _a, _s = conversations.c, conversation_analyses.c, conversation_settings.c
_account = bindparam("account", type_=sa.BigInteger)
_columns = [_c[name] for name in StoredConversation._fields]
_OF_UUIDS = sa.select(*_columns).where(_c.account_id == _account, column_in(_c.uuid, "uuids"))
_OF_PLACES = sa.select(*_columns).where(_c.account_id == _account, column_in(_c.place, "places"))
_OF_IDS = sa.select(*_columns).where(_c.account_id == _account, column_in(_c.id, "ids"))
_source = bindparam("source", type_=sa.Text)
_NEWEST = (
    sa.select(*_columns)
    .where(_c.account_id == _account, sa.or_(_source.is_(None), _c.source == _source))
    .order_by(_c.started_at.desc(), _c.uuid)
    .limit(bindparam("most", type_=sa.Integer))
)
_STARTED_BEFORE = (
    sa.select(*_columns)
    .where(_c.account_id == _account, _c.started_at < bindparam("before", type_=sa.Double))
    .limit(bindparam("most", type_=sa.Integer))
)
_FAILED = sa.select(_c.id).where(_c.account_id == _account, _c.failure != "")
_NAMED = sa.select(*_columns).where(_c.account_id == _account, _c.speakers.is_not(None)).order_by(_c.id)
_NEXT_PLACE = sa.select(sa.func.coalesce(sa.func.max(_c.place), -1) + 1).where(_c.account_id == _account)
_NEW_COLUMNS = (
    *("uuid", "place", "source", "version", "state", "started_at", "title", "details", "speakers"),
    *("imported_at", "failures", "failure", "due_at"),
)
_INSERT = (
    sa.insert(conversations)
    .values(
        account_id=_account,
        lease_until=0.0,
        fence=0,
        **{name: bindparam(name, type_=_c[name].type) for name in _NEW_COLUMNS},
    )
    .returning(_c.id)
)
_CHANGED_COLUMNS = (
    *("version", "state", "started_at", "title", "details", "speakers"),
    *("imported_at", "failures", "failure", "due_at"),
)
# the fence moves on, so that a worker that has read what was there before records nothing
_UPDATE = (
    sa.update(conversations)
    .where(_c.account_id == _account, _c.id == bindparam("number"))
    .values(
        lease_until=0.0,
        fence=_c.fence + 1,
        **{name: bindparam(name, type_=_c[name].type) for name in _CHANGED_COLUMNS},
    )
)
_DELETE = sa.delete(conversations).where(_c.account_id == _account, column_in(_c.id, "ids"))
_COUNT = sa.select(sa.func.count()).where(_c.account_id == _account)


def _delete(table: sa.Table) -> sa.Delete:
    return sa.delete(table).where(table.c.account_id == _account, column_in(table.c.conversation_id, "ids"))


_PUT_TRANSCRIPT = replacing(conversation_transcripts, account_id=_account)
_PUT_PEOPLE = replacing(conversation_people, account_id=_account)
_PUT_ANALYSIS = replacing(conversation_analyses, account_id=_account)
_DELETE_PARTS = [
    _delete(conversation_transcripts),
    _delete(conversation_people),
    _delete(conversation_analyses),
]
_DELETE_ANALYSES = _DELETE_PARTS[-1]
_TRANSCRIPTS = sa.select(
    conversation_transcripts.c.conversation_id, conversation_transcripts.c.contents
).where(
    conversation_transcripts.c.account_id == _account,
    column_in(conversation_transcripts.c.conversation_id, "ids"),
)
_ANALYSES = sa.select(_a.conversation_id, _a.analyser, _a.analysed_at, _a.findings).where(
    _a.account_id == _account, column_in(_a.conversation_id, "ids")
)
_DELETE_ALL = [
    sa.delete(table).where(table.c.account_id == _account)
    for table in (
        *(conversation_words, blocks, conversation_analyses, conversation_people),
        *(conversation_transcripts, conversation_settings, conversations),
    )
]
_SETTINGS = sa.select(_s.analyser, _s.competitors, _s.tokens_day, _s.tokens).where(_s.account_id == _account)
_PUT_SETTINGS = replacing(conversation_settings, account_id=_account)
_DUE = (
    sa.update(conversations)
    .where(_c.account_id == _account, column_in(_c.id, "ids"))
    .values(due_at=bindparam("due", type_=sa.Double), failures=0, failure=None)
)
_encode = msgspec.json.encode


class StoredAnalysis(NamedTuple):
    """Analysis of a conversation; the findings are JSON."""

    analyser: str
    analysed_at: float
    findings: bytes


class AccountSettings(NamedTuple):
    """Settings of one account."""

    analyser: str = "local"
    competitors: Mapping[str, Sequence[str]] = {}
    """Aliases by name."""
    tokens_day: int = 0
    tokens: int = 0
    """Tokens of a model used on that UTC day."""


def select_by_uuid(session: AccountSession, uuids: Collection[bytes]) -> dict[bytes, StoredConversation]:
    """Return the account's conversations with these public ids."""
    rows = map(StoredConversation._make, session.all_in(_OF_UUIDS, "uuids", sorted(uuids)))
    return {bytes(each.uuid): each for each in rows}


def select_by_place(session: AccountSession, places: Collection[int]) -> dict[int, StoredConversation]:
    """Return conversations by place."""
    rows = map(StoredConversation._make, session.all_in(_OF_PLACES, "places", sorted(places)))
    return {each.place: each for each in rows}


def select_by_id(session: AccountSession, ids: Collection[int]) -> dict[int, StoredConversation]:
    """Return conversations by number."""
    rows = map(StoredConversation._make, session.all_in(_OF_IDS, "ids", sorted(ids)))
    return {each.id: each for each in rows}


def select_newest(session: AccountSession, most: int, source: str | None = None) -> list[StoredConversation]:
    """Return the newest conversations, of a source or of all, at most so many."""
    return [StoredConversation(*row) for row in session.all(_NEWEST, {"most": most, "source": source})]


def select_started_before(session: AccountSession, before: float, most: int) -> list[StoredConversation]:
    """Return conversations that began before a time, at most so many."""
    return [
        StoredConversation(*row) for row in session.all(_STARTED_BEFORE, {"before": before, "most": most})
    ]


def select_failed(session: AccountSession) -> list[int]:
    """Return the numbers of the conversations whose last analysis failed."""
    return [row[0] for row in session.all(_FAILED)]


def select_named(session: AccountSession) -> list[StoredConversation]:
    """Return the conversations with names given to speakers."""
    return [StoredConversation(*row) for row in session.all(_NAMED)]


def count(session: AccountSession) -> int:
    """Return the number of conversations."""
    row = session.one(_COUNT)
    return int(row[0]) if row else 0


def next_place(session: AccountSession) -> int:
    """Return the place of the account's next new conversation."""
    row = session.one(_NEXT_PLACE)
    return int(row[0]) if row else 0


def insert_conversation(session: AccountSession, new: StoredConversation) -> int:
    """Insert a conversation, whose id is disregarded, and return its number."""
    (row,) = session.all(_INSERT, {name: getattr(new, name) for name in _NEW_COLUMNS})
    return int(row[0])


def update_conversation(session: AccountSession, changed: StoredConversation) -> None:
    """Write the changeable columns of a conversation, and void the claim of a worker on it."""
    values = {name: getattr(changed, name) for name in _CHANGED_COLUMNS}
    session.execute(_UPDATE, {"number": changed.id, **values})


def put_talk(session: AccountSession, number: int, contents: bytes, digests: bytes) -> None:
    """Write transcript and people of a conversation."""
    session.execute(_PUT_TRANSCRIPT, {"conversation_id": number, "contents": contents})
    session.execute(_PUT_PEOPLE, {"conversation_id": number, "digests": digests})


def select_transcripts(session: AccountSession, ids: Collection[int]) -> dict[int, bytes]:
    """Return the packed transcripts of conversations."""
    return {number: bytes(contents) for number, contents in session.all_in(_TRANSCRIPTS, "ids", sorted(ids))}


def select_analyses(session: AccountSession, ids: Collection[int]) -> dict[int, StoredAnalysis]:
    """Return the analyses of conversations that have one."""
    rows = session.all_in(_ANALYSES, "ids", sorted(ids))
    return {number: StoredAnalysis(analyser, at, bytes(found)) for number, analyser, at, found in rows}


def put_analysis(session: AccountSession, number: int, analysis: StoredAnalysis) -> None:
    """Write an analysis in place of the one before."""
    session.execute(_PUT_ANALYSIS, {"conversation_id": number, **analysis._asdict()})


def delete_analyses(session: AccountSession, ids: Iterable[int]) -> None:
    """Delete the analyses of conversations."""
    session.run_in(_DELETE_ANALYSES, "ids", sorted(ids))


def delete_conversations(session: AccountSession, ids: Collection[int]) -> None:
    """Delete conversations with their parts; their words go by `word_store`."""
    for statement in (*_DELETE_PARTS, _DELETE):
        session.run_in(statement, "ids", sorted(ids))


def delete_everything(session: AccountSession) -> None:
    """Delete all of an account."""
    for statement in _DELETE_ALL:
        session.execute(statement)


def make_due(session: AccountSession, ids: Collection[int], at: float) -> None:
    """Let conversations wait for a new analysis; that of a worker at it still counts."""
    session.run_in(_DUE, "ids", sorted(ids), due=at)


def select_settings(session: AccountSession) -> AccountSettings:
    """Return the settings of the account."""
    row = session.one(_SETTINGS)
    if row is None:
        return AccountSettings()
    analyser, competitors, day, tokens = row
    return AccountSettings(analyser, msgspec.json.decode(competitors, type=dict[str, list[str]]), day, tokens)


def put_settings(session: AccountSession, settings: AccountSettings) -> None:
    """Write the settings of the account."""
    values = settings._replace(competitors=_encode(settings.competitors).decode())  # type: ignore[arg-type]
    session.execute(_PUT_SETTINGS, values._asdict())


# --- of all accounts ---

_COUNT_ALL = sa.select(
    sa.func.count(), sa.func.count(sa.case((_c.due_at < bindparam("never", type_=sa.Double), 1)))
)

_ACCOUNT_BEFORE = (
    sa.select(_c.account_id).where(_c.started_at < bindparam("before", type_=sa.Double)).limit(1)
)

_FENCES = 1_000_000
"""Far above every number of claims that the replaced database may have come to since the backup."""
_VOID_LEASES = sa.update(conversations).values(lease_until=0, fence=_c.fence + _FENCES)

_PEOPLE = (
    sa.select(
        conversation_people.c.conversation_id,
        conversation_people.c.account_id,
        conversation_people.c.digests,
    )
    .where(conversation_people.c.conversation_id > bindparam("after", type_=sa.BigInteger))
    .order_by(conversation_people.c.conversation_id)
    .limit(bindparam("most", type_=sa.Integer))
)
_PAGE = 1_000


def select_people(session: Session) -> Iterable[tuple[int, int, bytes]]:
    """Yield number, account and people of every conversation."""
    after = 0
    while rows := session.all(_PEOPLE, {"after": after, "most": _PAGE}):
        yield from rows
        after = rows[-1][0]


def count_all(session: Session) -> tuple[int, int]:
    """Return the number of conversations, and of those that wait for an analysis."""
    total, waiting = session.one(_COUNT_ALL, {"never": NEVER}) or (0, 0)
    return total, waiting


def find_account_before(session: Session, before: float) -> int | None:
    """Return an account with a conversation that began before a time; None if there is none."""
    row = session.one(_ACCOUNT_BEFORE, {"before": before})
    return None if row is None else int(row[0])


def void_leases(session: Session) -> None:
    """Free the conversations of all accounts."""
    session.execute(_VOID_LEASES)
