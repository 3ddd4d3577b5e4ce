"""The posts of one commit, written: each once, beside what is held of them already."""

from collections.abc import Iterator, Sequence

import msgspec

from firmograph.directory.identity import Digests
from firmograph.ingest.feeds.feed import Commit
from firmograph.ingest.feeds.post_signals import PostSignal
from firmograph.ingest.feeds.post_summaries import PostSummaries
from firmograph.ingest.summary import Outcome
from firmograph.signals import post_store
from firmograph.signals.events import Detected, Post
from firmograph.signals.posts import is_of_summary, renewed


class PostBatch:
    def __init__(self, commit: Commit, digests: Digests, posts: Sequence[PostSignal]) -> None:
        """All posts that are to be applied; what is held of them is read in one statement."""
        self._commit = commit
        self._digests = digests
        self._summaries = PostSummaries(commit.session, digests, posts)
        self._new: dict[bytes, Detected] = {}
        self._people: set[tuple[bytes, int]] = set()
        self._renewed: set[bytes] = set()
        self._held = post_store.held_posts(
            commit.session,
            {
                post.identity(company)
                for post in posts
                for company in (*post.companies, *post.former_companies)
            },
        )
        self.unnamed = 0
        """Posts of no company that is held."""

    def apply(self, post: PostSignal) -> Outcome:
        line = post.fact.line
        if post.is_suppressed:
            return Outcome(line, suppressed=True)
        if not post.fact.topics:
            return Outcome(line, unchanged=True)
        detected = self._of_its_company(post)
        if detected is None:
            self.unnamed += 1
            return Outcome(line, unchanged=True)
        detected = self._summaries.noted(post, detected)
        identity = detected.identity(self._digests)
        if identity in self._held or identity in self._new:
            changed = self._renew(identity, detected, post.fact.summary)
            return Outcome(line, updated=changed, unchanged=not changed)
        self._new[identity] = detected
        return Outcome(line, created=True)

    def write(self) -> int:
        """Returns how many signals are new."""
        session = self._commit.session
        post_store.rewrite(session, [self._held[identity] for identity in sorted(self._renewed)])
        post_store.put_people(session, self._people)
        return self._commit.put(self._digests, self._new.values())

    def _of_its_company(self, post: PostSignal) -> Detected | None:
        """The signal that it is already, or becomes."""
        for company in (*post.companies, *post.former_companies):
            identity = post.identity(company)
            if identity in self._held or identity in self._new:
                return post.detected(company)
        return post.detected(post.companies[0]) if post.companies else None

    def _renew(self, identity: bytes, detected: Detected, summary: str | None) -> bool:
        """Take up what the post says this time and did not before; whether there is anything.

        A summary that must go by now goes from the held post too: its companies may have been unknown before.
        """
        assert isinstance(detected.event, Post)
        gone = summary if detected.event.activity_summary is None else None
        if identity in self._new:
            first = self._new[identity]
            assert isinstance(first.event, Post)
            event = renewed(_without(first.event, gone), detected.event)
            people = tuple(sorted({*first.people, *_named(detected, event)}))
            self._new[identity] = msgspec.structs.replace(first, event=event, people=people)
            return event != first.event
        held = self._held[identity]
        post = renewed(_without(held.post, gone), detected.event)
        if post == held.post:
            return False
        self._held[identity] = held._replace(post=post)
        self._renewed.add(identity)
        self._people.update((digest, held.id) for digest in _named(detected, post))
        return True


def _without(post: Post, summary: str | None) -> Post:
    is_it = summary is not None and post.activity_summary == summary
    return msgspec.structs.replace(post, activity_summary=None) if is_it else post


def _named(detected: Detected, kept: Post) -> Iterator[bytes]:
    """Of whom this post names, those whom it names as it is kept: of another summary than its own, nobody."""
    assert isinstance(detected.event, Post)
    is_same = detected.event.activity_summary == kept.activity_summary
    return (digest for digest in detected.people if is_same or not is_of_summary(digest))
