"""Conversations for tests."""

from datetime import UTC, datetime
from uuid import UUID

from firmograph.conversations.changes import new_conversation, write_conversations
from firmograph.conversations.transcript import Participant, Segment, Transcript
from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.identity import Digests

SOURCE = "test"


def transcript(*said, title="Call", day="2026-03-31", people=(), domain="globex.test", **given):
    """Return a transcript; `said` are pairs of speaker and text, `people` pairs of name and address."""
    segments = tuple(
        Segment(speaker, text, index * 10.0, index * 10.0 + 9) for index, (speaker, text) in enumerate(said)
    )
    return Transcript(
        title=title,
        started_at=datetime.fromisoformat(day).replace(tzinfo=UTC),
        duration_seconds=10 * len(said),
        segments=segments,
        participants=tuple(Participant(name, email) for name, email in people),
        company_domain=domain,
        **given,
    )


def put(service, given):
    """Write conversations by their ids in the source; return their public ids."""
    account_id = service.accounts.find(service.account).id
    digests = Digests(service.installation.keyring)
    return put_into(service.database, digests, account_id, given, service.clock.seconds())


def put_into(database, digests, account_id, given, at=1.0):
    """Write conversations into an account by their ids in the source; return their public ids."""
    new = [new_conversation(digests, account_id, SOURCE, key, one) for key, one in given.items()]
    with database.write(account_scope(account_id)) as session:
        write_conversations(AccountSession(session, account_id), digests, SOURCE, new, at)
    return {key: str(UUID(bytes=one.uuid)) for key, one in zip(given, new, strict=True)}
