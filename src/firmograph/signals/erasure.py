"""People who are suppressed disappear from signals too (docs/reference/signals.md#suppressed-people).

A contact's own signals go. A post that the person wrote goes as a whole; one that only names the person stays without
the name, and without its summary, which may hold it; so does one whose summary alone may name the person. An
article that names the person goes as a whole, as it is shown in its own words. Whom posts and news name is found by
keyed hashes, so it needs no record.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.privacy.suppression import ErasedPeople
from firmograph.signals import erasure_store as store
from firmograph.signals import post_store
from firmograph.signals.events import Person, Post
from firmograph.signals.posts import is_of_summary, number_digest, person_digests, summary_digest, without


class Follower(Protocol):
    """Does with what was made of signals as is done with these."""

    def __call__(self, session: Session, gone: Collection[int], rewritten: Collection[int]) -> None:
        """Told of signals, by id, before they go or are rewritten, in the same transaction."""


class SignalEraser:
    """What suppression calls for signals (`accounts.suppression.Eraser`)."""

    def __init__(self, digests: Digests, followers: Sequence[Follower] = ()) -> None:
        self._digests = digests
        self._followers = followers

    def __call__(self, session: Session, gone: ErasedPeople, at: float) -> None:
        own = store.of_contacts(session, gone.people)
        keys = {*gone.keys, *(number_digest(self._digests, number) for number in gone.people)}
        keys.update([summary_digest(key) for key in keys])
        named = store.naming(session, keys)
        held = store.posts(session, named)
        left = {each.id: _left(self._digests, each.post, named[each.id], keys) for each in held}
        rewritten = {id for id, some in left.items() if some is not None}
        dropped = {*own, *named.keys() - rewritten}
        for follow in self._followers:
            follow(session, dropped, rewritten)
        companies = store.companies(session, dropped)
        store.drop(session, dropped)
        post_store.note(session, companies)
        rest = [(each, some) for each in held if (some := left[each.id]) is not None]
        store.drop_people(session, ((digest, each.id) for each, some in rest for digest in some.unnamed))
        store.drop_summary_people(session, [each.id for each, _ in rest])
        post_store.rewrite(session, [each._replace(post=some.post) for each, some in rest])


class _Left(NamedTuple):
    """What is left of a post that named people who are erased: always without its summary."""

    post: Post
    unnamed: set[bytes]
    """Digests of whom it mentions no more."""


def _left(digests: Digests, post: Post, named: Collection[bytes], keys: Collection[bytes]) -> _Left | None:
    """None when all of it goes: its author is among them, or may be, having no page to tell by."""

    def is_gone(person: Person) -> bool:
        return not person_digests(digests, person).isdisjoint(keys)

    others = {digest for digest in named if not is_of_summary(digest)}
    if not others:
        return _Left(msgspec.structs.replace(post, activity_summary=None), set())
    mentions = [person_digests(digests, each) for each in post.contacts_mentioned if is_gone(each)]
    unnamed = set[bytes]().union(*mentions)
    if is_gone(post.author) or not post.author.linkedin_url or not unnamed.issuperset(others):
        return None
    return _Left(without(post, is_gone), unnamed)
