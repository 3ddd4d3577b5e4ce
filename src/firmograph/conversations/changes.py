"""Writing of conversations: transcript, words and people change together, in the transaction of the account."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from firmograph.conversations import store, word_store
from firmograph.conversations.people import ConversationPeople, apply_names
from firmograph.conversations.transcript import Transcript
from firmograph.conversations.types import (
    REMOVED,
    ConversationState,
    StoredConversation,
    encode_details,
    encode_names,
    pack_talk,
    stored_transcript,
)
from firmograph.conversations.word_store import IndexChange
from firmograph.conversations.words import Document, Terms, count_terms
from firmograph.database.connection import AccountSession
from firmograph.directory.identity import Digests
from firmograph.privacy.person_keys import suppressed_among

Outcome: TypeAlias = Literal["created", "updated", "unchanged"]
_VERSION_BITS, _VARIANT_BITS = 0x80, 0x80
"""Of a UUID whose bits are the maker's own (RFC 9562, version 8)."""


class PreparedConversation(NamedTuple):
    """Conversation with its derived people, words and packed transcript, made outside any transaction."""

    transcript: Transcript
    people: ConversationPeople
    terms: Terms
    talk: bytes


class NewConversation(NamedTuple):
    """Conversation to be written."""

    uuid: bytes
    version: bytes
    prepared: PreparedConversation


def prepare(digests: Digests, transcript: Transcript) -> PreparedConversation:
    """Return a conversation with its people, words and packed transcript."""
    people = ConversationPeople(digests, transcript)
    return PreparedConversation(transcript, people, count_terms(transcript), pack_talk(transcript.segments))


def new_conversation(
    digests: Digests, account_id: int, source: str, source_id: str, transcript: Transcript
) -> NewConversation:
    """Return a conversation of a source with its public id and the version of its content."""
    uuid = bytearray(digests.conversation(account_id, source, source_id))
    uuid[6] = uuid[6] & 0x0F | _VERSION_BITS
    uuid[8] = uuid[8] & 0x3F | _VARIANT_BITS
    version = digests.conversation_version(msgspec.json.encode(transcript).decode())
    return NewConversation(bytes(uuid), version, prepare(digests, transcript))


def write_conversations(
    session: AccountSession, digests: Digests, source: str, new: Sequence[NewConversation], at: float
) -> list[Outcome]:
    """Write new and changed conversations, without suppressed people; return what became of each."""
    held = store.select_by_uuid(session, {one.uuid for one in new})
    outcomes: list[Outcome] = []
    changes: list[IndexChange] = []
    place = store.next_place(session)
    last = {one.uuid: one for one in new}
    is_changed = [
        one for one in last.values() if one.uuid not in held or held[one.uuid].version != one.version
    ]
    keys = {key for one in is_changed for key in one.prepared.people.all_keys()}
    suppressed = suppressed_among(session.session, keys) if keys else set()
    before = _stored_terms(session, [held[one.uuid] for one in is_changed if one.uuid in held])
    for one in is_changed:
        stored = held.get(one.uuid)
        names = stored.given_names() if stored else {}
        prepared, names = _without_suppressed(session, digests, one.prepared, names, suppressed)
        if stored is None:
            row = _row(one, source, place, prepared, names, at)
            place += 1
            number = store.insert_conversation(session, row)
        else:
            row = _row(one, source, stored.place, prepared, names, at)
            number = stored.id
            store.update_conversation(session, row._replace(id=number))
            store.delete_analyses(session, [number])
        store.put_talk(session, number, prepared.talk, prepared.people.packed())
        changes.append(IndexChange(_document(row), before.get(number, {}), prepared.terms))
    word_store.change_words(session, changes)
    for one in new:
        if one.uuid not in held:
            outcomes.append("created" if last[one.uuid] is one else "unchanged")
        else:
            outcomes.append("unchanged" if held[one.uuid].version == one.version else "updated")
    return outcomes


def _without_suppressed(
    session: AccountSession,
    digests: Digests,
    prepared: PreparedConversation,
    names: Mapping[str, str],
    suppressed: Collection[bytes],
) -> tuple[PreparedConversation, dict[str, str]]:
    """Return a conversation with the names given to its speakers and without suppressed people."""
    if names:
        prepared = prepare(digests, apply_names(prepared.transcript, names))
        suppressed = suppressed_among(session.session, prepared.people.all_keys())
    masked = prepared.people.masked(suppressed) if suppressed else None
    if masked is None:
        return prepared, dict(names)
    return prepare(digests, masked.transcript), _masked_names(names, masked.names)


def _masked_names(names: Mapping[str, str], gone: Collection[str]) -> dict[str, str]:
    return {speaker: REMOVED if name in gone else name for speaker, name in names.items()}


def mask_people(
    session: AccountSession,
    digests: Digests,
    ids: Iterable[int],
    keys: Collection[bytes],
    at: float,
) -> int:
    """Mask people with these keys in conversations, whose analyses go; return the number of changed ones."""
    changes: list[IndexChange] = []
    for number in ids:
        stored, transcript = _read(session, number)
        masked = ConversationPeople(digests, transcript).masked(keys)
        if masked is not None:
            names = _masked_names(stored.given_names(), masked.names)
            changes.append(_rewrite(session, digests, stored, transcript, masked.transcript, names, at))
    word_store.change_words(session, changes)
    return len(changes)


def name_speakers(
    session: AccountSession, digests: Digests, stored: StoredConversation, names: Mapping[str, str], at: float
) -> None:
    """Give speakers names, which stay through another import; its analysis is made again."""
    _, transcript = _read(session, stored.id)
    given = stored.given_names()
    # by the names of the recorder, as another import brings these
    kept = {speaker: names.get(name, name) for speaker, name in given.items()}
    kept |= {speaker: name for speaker, name in names.items() if speaker not in given.values()}
    _put_names(session, digests, stored, transcript, apply_names(transcript, names), kept, at)


def keep_names(session: AccountSession, digests: Digests, newer: StoredConversation, contents: bytes) -> None:
    """Give a conversation of a restored copy the names of speakers, and their masks, of the replaced database.

    The same content comes with all its masks. Of other content the words of masked speakers go.
    """
    stored = store.select_by_uuid(session, [newer.uuid]).get(newer.uuid)
    if stored is None or stored.speakers == newer.speakers:
        return
    _, transcript = _read(session, stored.id)
    given, names = stored.given_names(), newer.given_names()
    if stored.version == newer.version:
        after = stored_transcript(newer, contents)
    else:
        shown = {given.get(speaker, speaker): name for speaker, name in names.items()}
        after = apply_names(transcript, {was: name for was, name in shown.items() if was != REMOVED})
        names = names | {speaker: name for speaker, name in given.items() if name == REMOVED}
    # its analysis is due at once
    _put_names(session, digests, stored, transcript, after, names, stored.imported_at)


def _put_names(
    session: AccountSession,
    digests: Digests,
    stored: StoredConversation,
    before: Transcript,
    after: Transcript,
    names: Mapping[str, str],
    at: float,
) -> None:
    """Write a conversation with names given to its speakers, without suppressed people."""
    people = ConversationPeople(digests, after)
    masked = people.masked(suppressed_among(session.session, people.all_keys()))
    if masked is not None:
        after, names = masked.transcript, _masked_names(names, masked.names)
    word_store.change_words(session, [_rewrite(session, digests, stored, before, after, names, at)])


def delete_conversations(session: AccountSession, stored: Sequence[StoredConversation]) -> None:
    """Delete conversations with their words."""
    before = _stored_terms(session, stored)
    store.delete_conversations(session, [one.id for one in stored])
    word_store.change_words(session, [IndexChange(_document(one), before[one.id], {}) for one in stored])


def _rewrite(
    session: AccountSession,
    digests: Digests,
    stored: StoredConversation,
    before: Transcript,
    after: Transcript,
    names: Mapping[str, str],
    at: float,
) -> IndexChange:
    """Write a conversation changed by the operator or by an erasure; the version stays that of the import."""
    prepared = prepare(digests, after)
    changed = stored._replace(
        state=ConversationState.READY,
        title=after.title,
        details=encode_details(after),
        speakers=encode_names(dict(names)),
        failures=0,
        failure=None,
        due_at=at,
    )
    store.update_conversation(session, changed)
    store.delete_analyses(session, [stored.id])
    store.put_talk(session, stored.id, prepared.talk, prepared.people.packed())
    return IndexChange(_document(changed), count_terms(before), prepared.terms)


def _read(session: AccountSession, number: int) -> tuple[StoredConversation, Transcript]:
    stored = store.select_by_id(session, [number])[number]
    return stored, stored_transcript(stored, store.select_transcripts(session, [number])[number])


def _stored_terms(session: AccountSession, stored: Sequence[StoredConversation]) -> dict[int, Terms]:
    contents = store.select_transcripts(session, [one.id for one in stored]) if stored else {}
    return {one.id: count_terms(stored_transcript(one, contents[one.id])) for one in stored}


def _row(
    new: NewConversation,
    source: str,
    place: int,
    prepared: PreparedConversation,
    names: Mapping[str, str],
    at: float,
) -> StoredConversation:
    transcript = prepared.transcript
    return StoredConversation(
        id=0,
        uuid=new.uuid,
        place=place,
        source=source,
        version=new.version,
        state=ConversationState.READY,
        started_at=transcript.started_at.timestamp(),
        title=transcript.title,
        details=encode_details(transcript),
        speakers=encode_names(dict(names)),
        imported_at=at,
        failures=0,
        failure=None,
        due_at=at,
    )


def _document(stored: StoredConversation) -> Document:
    return Document(stored.place, 0, stored.started_at, stored.uuid)
