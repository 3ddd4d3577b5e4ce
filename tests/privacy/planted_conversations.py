"""Conversations with a planted person: as a participant, as a speaker who was given the name, and in the text."""

from datetime import UTC, datetime
from typing import Final

from planted_identity import PlantedIdentity

from firmograph.conversations import store
from firmograph.conversations.changes import name_speakers, new_conversation, write_conversations
from firmograph.conversations.store import StoredAnalysis
from firmograph.conversations.transcript import Participant, Segment, Transcript
from firmograph.database.connection import AccountSession, Database, account_scope
from record_factory import DIGESTS

ACCOUNT: Final = 1


def fill_conversations(database: Database, person: PlantedIdentity) -> None:
    """Write conversations of an account; each names the person in another way."""
    mark, name = person.mark, person.name
    unnamed = _transcript("Unnamed speaker", (), ("Speaker 1", f"I am {mark} too"), ("Bob", "Hi"))
    given = [*_naming(person), unnamed]
    new = [new_conversation(DIGESTS, ACCOUNT, "calls", str(n), one) for n, one in enumerate(given)]
    with database.write(account_scope(ACCOUNT)) as session:
        own = AccountSession(session, ACCOUNT)
        write_conversations(own, DIGESTS, "calls", new, 1.0)
        for stored in store.select_newest(own, 10):
            if stored.title == "Unnamed speaker":
                name_speakers(own, DIGESTS, stored, {"Speaker 1": name}, 1.0)
            findings = b'{"summary": "%s spoke"}' % mark.encode()
            store.put_analysis(own, stored.id, StoredAnalysis("local", 1.0, findings))


def import_conversations(database: Database, person: PlantedIdentity) -> None:
    """Write new conversations that name the person, as an import does."""
    new = [
        new_conversation(DIGESTS, ACCOUNT, "calls", f"later {n}", one)
        for n, one in enumerate(_naming(person))
    ]
    with database.write(account_scope(ACCOUNT)) as session:
        write_conversations(AccountSession(session, ACCOUNT), DIGESTS, "calls", new, 2.0)


def _naming(person: PlantedIdentity) -> list[Transcript]:
    name, email = person.name, person.email
    said = (name, f"I am {person.mark}"), ("Bob", f"Hi {name}")
    return [
        _transcript(f"Talk with {name}", (Participant(name, email),), *said),
        _transcript("Named in the text", (), ("Bob", f"Ask {name} or write to {email} soon")),
    ]


def _transcript(title: str, people: tuple[Participant, ...], *said: tuple[str, str]) -> Transcript:
    segments = tuple(Segment(speaker, text, n * 9.0, n * 9.0 + 9) for n, (speaker, text) in enumerate(said))
    start = datetime(2026, 9, 1, tzinfo=UTC)
    return Transcript(title, start, 60, segments, people, company_name="Acme", company_domain="acme.test")
