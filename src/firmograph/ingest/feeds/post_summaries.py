"""Whom the summaries of posts may name: nobody who is suppressed, mentioned or not.

See docs/reference/signals.md#suppressed-people.
"""

from collections.abc import Sequence

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.ingest.feeds.possible_people import PossiblePeople
from firmograph.ingest.feeds.post_signals import PostSignal
from firmograph.signals.events import Detected, Post
from firmograph.signals.posts import summary_digest


class PostSummaries:
    """The summaries of the posts of one commit; three statements at most."""

    def __init__(self, session: Session, digests: Digests, posts: Sequence[PostSignal]) -> None:
        told = [(post, post.fact.summary) for post in posts if post.fact.summary and post.fact.topics]
        people = PossiblePeople(session, digests, {number for post, _ in told for number in post.named})
        self._keys = {post: people.keys([summary], "", post.named) for post, summary in told}
        self._suppressed = people.suppressed(set[bytes]().union(*self._keys.values()))

    def noted(self, post: PostSignal, signal: Detected) -> Detected:
        """The signal with the digests of everyone that its summary may name, or without a summary that must go."""
        event, keys = signal.event, self._keys.get(post, set())
        assert isinstance(event, Post)
        if event.activity_summary is None:
            return signal
        if not self._suppressed.isdisjoint(keys):
            event = msgspec.structs.replace(event, activity_summary=None)
            return msgspec.structs.replace(signal, event=event)
        people = {*signal.people, *map(summary_digest, keys)}
        return msgspec.structs.replace(signal, people=tuple(sorted(people)))
