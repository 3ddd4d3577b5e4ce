"""Erasure of suppressed people from signals (docs/reference/signals.md#suppressed-people).

A contact's own signals are deleted. A post written by the person is deleted; a post that only mentions the person, or
may name the person in its summary, loses mention and summary. A news signal that names the person is deleted, as it
quotes the article. People named in posts and news are found by keyed hashes, without a record.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.privacy.suppression import ErasedPeople
from firmograph.signals import erasure_store as store
from firmograph.signals import post_store
from firmograph.signals.events import PersonReference, Post
from firmograph.signals.posts import (
    is_of_summary,
    number_digest,
    person_digests,
    remove_mentions,
    summary_digest,
)


class SignalErasureHook(Protocol):
    """Hook that follows the erasure in data derived from signals."""

    def __call__(self, session: Session, deleted: Collection[int], rewritten: Collection[int]) -> None:
        """Handle signals, by id, before they are deleted or rewritten, in the same transaction."""


class SignalEraser:
    """Erasure hook of signals (`privacy.suppression.ErasureHook`)."""

    def __init__(self, digests: Digests, hooks: Sequence[SignalErasureHook] = ()) -> None:
        self._digests = digests
        self._hooks = hooks

    def __call__(self, session: Session, erased: ErasedPeople, at: float) -> None:
        own = store.signals_of_contacts(session, erased.people)
        keys = {*erased.keys, *(number_digest(self._digests, number) for number in erased.people)}
        keys.update([summary_digest(key) for key in keys])
        named = store.signals_naming(session, keys)
        posts = store.posts_among(session, named)
        remainders = {each.id: _remainder(self._digests, each.post, named[each.id], keys) for each in posts}
        rewritten = {id for id, some in remainders.items() if some is not None}
        deleted = {*own, *named.keys() - rewritten}
        for hook in self._hooks:
            hook(session, deleted, rewritten)
        companies = store.companies_of_signals(session, deleted)
        store.delete_signals(session, deleted)
        post_store.mark_changed(session, companies)
        remaining = [(each, some) for each in posts if (some := remainders[each.id]) is not None]
        store.delete_mentions(
            session, ((digest, each.id) for each, some in remaining for digest in some.erased_digests)
        )
        store.delete_summary_mentions(session, [each.id for each, _ in remaining])
        post_store.rewrite_posts(session, [each._replace(post=some.post) for each, some in remaining])


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
