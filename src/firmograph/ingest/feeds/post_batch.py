"""Writing of one commit's posts: each once, merged with its stored signal."""

from collections.abc import Iterator, Sequence

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.ingest.feeds.feed import Commit
from firmograph.ingest.feeds.possible_people import PossiblePeople
from firmograph.ingest.feeds.post_signals import PostSignal
from firmograph.ingest.summary import RowResult
from firmograph.signals.events import Detected, Post
from firmograph.signals.posts import store as post_store
from firmograph.signals.posts.analysis import is_of_summary, merge_repeated_post, summary_digest
from firmograph.signals.statements import extend_statements


class PostBatch:
    """The posts of one commit, as new or updated signals."""

    def __init__(self, commit: Commit, digests: Digests, posts: Sequence[PostSignal]) -> None:
        """Load the stored signals of all posts with one statement."""
        self._commit = commit
        self._digests = digests
        self._summaries = _PostSummaries(commit.session, digests, posts)
        self._new: dict[bytes, Detected] = {}
        self._people: set[tuple[bytes, int]] = set()
        self._updated: set[bytes] = set()
        self._repeated: dict[bytes, Detected] = {}
        """Stored posts as the batch states them."""
        self._stored = post_store.stored_posts(
            commit.session,
            {
                post.identity(company)
                for post in posts
                for company in (*post.companies, *post.former_companies)
            },
        )
        self.unnamed = 0
        """Number of posts of no stored company."""

    def apply(self, post: PostSignal) -> RowResult:
        line = post.fact.line
        if post.is_suppressed:
            return RowResult(line, suppressed=True)
        if not post.fact.topics:
            return RowResult(line, unchanged=True)
        detected = self._to_signal(post)
        if detected is None:
            self.unnamed += 1
            return RowResult(line, unchanged=True)
        detected = self._summaries.check(post, detected)
        identity = detected.identity(self._digests)
        if identity in self._stored or identity in self._new:
            changed = self._update(identity, detected, post.fact.summary)
            return RowResult(line, updated=changed, unchanged=not changed)
        self._new[identity] = detected
        return RowResult(line, created=True)

    def write(self) -> int:
        """Write the batch and return how many signals are new."""
        session = self._commit.session
        post_store.rewrite_posts(session, [self._stored[identity] for identity in sorted(self._updated)])
        post_store.add_people(session, self._people)
        extended = [self._stored[identity].id for identity in self._updated]
        extend_statements(session, self._commit.source, extended)
        return self._commit.store_signals(self._digests, [*self._new.values(), *self._repeated.values()])

    def _to_signal(self, post: PostSignal) -> Detected | None:
        """Return the signal of a post, at the company of an existing one if there is any."""
        for company in (*post.companies, *post.former_companies):
            identity = post.identity(company)
            if identity in self._stored or identity in self._new:
                return post.to_signal(company)
        return post.to_signal(post.companies[0]) if post.companies else None

    def _update(self, identity: bytes, detected: Detected, summary: str | None) -> bool:
        """Add new values of a post to its existing signal and return whether it changed.

        A summary that is not allowed any more is removed from the existing signal too: its companies may have been
        unknown before.
        """
        assert isinstance(detected.event, Post)
        removed = summary if detected.event.activity_summary is None else None
        if identity in self._new:
            first = self._new[identity]
            assert isinstance(first.event, Post)
            event = merge_repeated_post(_without_summary(first.event, removed), detected.event)
            people = tuple(sorted({*first.people, *_named_people(detected, event)}))
            self._new[identity] = msgspec.structs.replace(first, event=event, people=people)
            return event != first.event
        self._repeated[identity] = detected
        stored = self._stored[identity]
        post = merge_repeated_post(_without_summary(stored.post, removed), detected.event)
        if post == stored.post:
            return False
        self._stored[identity] = stored._replace(post=post)
        self._updated.add(identity)
        self._people.update((digest, stored.id) for digest in _named_people(detected, post))
        return True


def _without_summary(post: Post, summary: str | None) -> Post:
    is_same = summary is not None and post.activity_summary == summary
    return msgspec.structs.replace(post, activity_summary=None) if is_same else post


def _named_people(detected: Detected, stored: Post) -> Iterator[bytes]:
    """Yield the digests of people in a post, those of its summary only if it is the stored one."""
    assert isinstance(detected.event, Post)
    is_same = detected.event.activity_summary == stored.activity_summary
    return (digest for digest in detected.people if is_same or not is_of_summary(digest))


class _PostSummaries:
    """The summaries of one commit's posts, which must not name suppressed people.

    See docs/reference/signals.md#suppressed-people. Takes three statements at most.
    """

    def __init__(self, session: Session, digests: Digests, posts: Sequence[PostSignal]) -> None:
        summaries = [(post, post.fact.summary) for post in posts if post.fact.summary and post.fact.topics]
        people = PossiblePeople(session, digests, {number for post, _ in summaries for number in post.named})
        self._keys = {post: people.keys([summary], "", post.named) for post, summary in summaries}
        self._suppressed = people.suppressed(set[bytes]().union(*self._keys.values()))

    def check(self, post: PostSignal, signal: Detected) -> Detected:
        """Return the signal with the digests of possible people in its summary, or without the summary."""
        event, keys = signal.event, self._keys.get(post, set())
        assert isinstance(event, Post)
        if event.activity_summary is None:
            return signal
        if not self._suppressed.isdisjoint(keys):
            event = msgspec.structs.replace(event, activity_summary=None)
            return msgspec.structs.replace(signal, event=event)
        people = {*signal.people, *map(summary_digest, keys)}
        return msgspec.structs.replace(signal, people=tuple(sorted(people)))
