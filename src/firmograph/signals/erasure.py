"""Signals that go with their record, and erasure of suppressed people (docs/reference/signals.md#suppressed-people).

The signals of a deleted record go, and the facts about a deleted company. Of suppressed people also: a post written by
the person is deleted; a post that only mentions the person, or may name the person in its summary, loses mention and
summary. A news signal that names the person is deleted, as it quotes the article. People named in posts and news are
found by keyed hashes, without a record.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.privacy.declarations import Deletion, Erasure, People
from firmograph.security.record_ids import Entity
from firmograph.signals import erasure_store as store
from firmograph.signals.events import PersonReference, Post
from firmograph.signals.posts import store as post_store
from firmograph.signals.posts.analysis import (
    is_of_summary,
    number_digest,
    person_digests,
    remove_mentions,
    summary_digest,
)
from firmograph.signals.posts.store import StoredPost


class AffectedSignals(NamedTuple):
    """Signals that name people to erase."""

    deleted: set[int]
    """Ids of signals to delete."""
    rewritten: "list[tuple[StoredPost, _Remainder]]"
    """Posts that stay without the people."""
    records: dict[int, tuple[int, int]]
    """Record of each signal, as entity and number."""


def find_affected(session: Session, people: People) -> AffectedSignals:
    """Return the signals of other records that name the people."""
    digests = people.digests
    keys = person_keys(people)
    named = store.signals_naming(session, keys)
    rewritten = [
        (post, some)
        for post in store.posts_among(session, named)
        if (some := _remainder(digests, post.post, named[post.id], keys)) is not None
    ]
    deleted = named.keys() - {post.id for post, _ in rewritten}
    return AffectedSignals(deleted, rewritten, store.records_of_signals(session, named))


def find_all_about(session: Session, people: People) -> dict[int, tuple[int, int]]:
    """Return the signals of the people's records and those that name the people, each with its record."""
    own = store.signals_of_records(session, Entity.CONTACT, people.records)
    return store.records_of_signals(session, own) | find_affected(session, people).records


def find_marks(session: Session, affected: AffectedSignals) -> set[str]:
    """Return how V3 events of companies show these signals: by `signalId`, and posts by `activityUrl`."""
    ids = [id for id, (entity, _) in affected.records.items() if entity == Entity.COMPANY]
    posts = store.posts_among(session, ids)
    return {post.post.activity_url for post in posts} | {
        identity.hex() for identity in store.identities_of(session, ids)
    }


def find_outdated(session: Session, shown: Mapping[int, Mapping[bytes, bytes]]) -> set[int]:
    """Return the records of which an event was erased or rewritten since it was read; events by identity."""
    stored = store.events_of(session, {identity for events in shown.values() for identity in events})
    return {
        number
        for number, events in shown.items()
        if any(stored.get(identity) != event for identity, event in events.items())
    }


def person_keys(people: People) -> set[bytes]:
    """Return the digests by which posts and news name the people."""
    keys = {*people.keys, *(number_digest(people.digests, number) for number in people.records)}
    return keys | {summary_digest(key) for key in keys}


def removed_signals(deletion: Deletion) -> list[int]:
    """Return the ids of the signals that go with records."""
    return store.signals_of_records(deletion.session, deletion.entity, deletion.numbers)


def remove_signals(deletion: Deletion) -> None:
    """Delete the signals of records, and the facts about companies; what derives from them is removed already."""
    session, numbers = deletion.session, deletion.numbers
    store.delete_signals(session, removed_signals(deletion))
    if deletion.entity is Entity.COMPANY:
        store.delete_facts(session, numbers)


def erase_signals(erasure: Erasure) -> None:
    """Delete and rewrite the signals that name the people; what derives from them is erased already."""
    affected, session = erasure.find(find_affected), erasure.session
    store.delete_signals(session, affected.deleted)
    records = {affected.records[id] for id in affected.deleted}
    post_store.mark_changed(session, {number for entity, number in records if entity == Entity.COMPANY})
    store.delete_mentions(
        session,
        ((digest, post.id) for post, some in affected.rewritten for digest in some.erased_digests),
    )
    store.delete_summary_mentions(session, [post.id for post, _ in affected.rewritten])
    post_store.rewrite_posts(session, [post._replace(post=some.post) for post, some in affected.rewritten])


class _Remainder(NamedTuple):
    """Post without the erased people it named, and without its summary."""

    post: Post
    erased_digests: set[bytes]
    """Digests of the people it no longer mentions."""


def _remainder(
    digests: Digests, post: Post, named: Collection[bytes], keys: Collection[bytes]
) -> _Remainder | None:
    """Return the remainder of a post; None if the author is, or without a LinkedIn page may be, erased."""

    def is_erased(person: PersonReference) -> bool:
        return not person_digests(digests, person).isdisjoint(keys)

    others = {digest for digest in named if not is_of_summary(digest)}
    if not others:
        return _Remainder(msgspec.structs.replace(post, activity_summary=None), set())
    mentions = [person_digests(digests, each) for each in post.contacts_mentioned if is_erased(each)]
    erased = set[bytes]().union(*mentions)
    if is_erased(post.author) or not post.author.linkedin_url or not erased.issuperset(others):
        return None
    return _Remainder(remove_mentions(post, is_erased), erased)
