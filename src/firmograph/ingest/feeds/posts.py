"""Feed of posts, from which `linkedinActivityIntent` is detected (docs/reference/signals.md#posts).

A post is a signal of the author's company, of the stored contact or else as the file names it, or of the company that
wrote it. Companies that it only mentions are in `companiesMentioned`. It remains the signal of that company when its
author moves on, so that importing the same file again creates no duplicates.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from firmograph.directory.records import Company, CompanyRef
from firmograph.ingest.feeds.feed import Commit, CommitResult, FeedDependencies, FinalStep
from firmograph.ingest.feeds.mentions import resolve_mentions
from firmograph.ingest.feeds.people import PersonRef, PostPeople
from firmograph.ingest.feeds.post_batch import PostBatch
from firmograph.ingest.feeds.post_rows import ALIASES, PostFact, PostRow, parse_post
from firmograph.ingest.feeds.post_signals import NO_COMPANY, CompanyMention, PostSignal, ResolvedPost
from firmograph.ingest.merging import store
from firmograph.ingest.merging.company_linking import Finder
from firmograph.signals.posts.topics import load_topics

_decode_preview = msgspec.json.Decoder(Company).decode


class PostsFeed:
    """The feed of posts of one import."""

    kind = "posts"
    row = PostRow
    needs = ("url", "date", "author", "text")
    aliases = ALIASES

    def __init__(self, dependencies: FeedDependencies) -> None:
        self._digests = dependencies.digests
        self._topics = load_topics(dependencies.topics_file)
        self._finder = Finder(dependencies.digests)

    def read_fact(self, line: int, row: PostRow) -> PostFact:
        return parse_post(line, row, self._topics)

    def steps(self) -> Iterator[FinalStep]:
        return iter(())

    def apply(self, commit: Commit, facts: Sequence[PostFact]) -> CommitResult:
        facts, rejects = commit.reject_future(facts)
        resolved = self._resolve_companies(commit, facts)
        refs = {each for post in resolved for each in _people(post)}
        slugs = {fact.author_slug for fact in facts if fact.author_slug}
        people = PostPeople(commit.session, self._digests, refs, slugs)
        former = self._former(commit, people, resolved)
        posts = [
            PostSignal(self._digests, people, post, companies)
            for post, companies in zip(resolved, former, strict=True)
        ]
        batch = PostBatch(commit, self._digests, posts)
        outcomes = [batch.apply(post) for post in posts]
        return CommitResult(outcomes, rejects, batch.write(), batch.unnamed)

    def _resolve_companies(self, commit: Commit, facts: Sequence[PostFact]) -> list[ResolvedPost]:
        """Return each post with its companies resolved, with three statements for all."""
        refs = [ref for fact in facts for ref in (fact.employer, *fact.companies) if ref is not None]
        numbers = commit.find_companies(self._finder, refs)
        stored = store.read_company_parts(commit.session, sorted({n for n in numbers if n is not None}))
        records = {number: _decode_preview(parts.preview) for number, parts in stored.items()}
        named = (_named(ref, number, records) for ref, number in zip(refs, numbers, strict=True))
        by_name = resolve_mentions(
            commit, self._finder, [name for fact in facts for names in fact.names for name in names]
        )
        resolved = []
        for fact in facts:
            employer = next(named) if fact.employer else NO_COMPANY
            mentioned = [next(named) for _ in fact.companies]
            resolved.append(ResolvedPost(fact, employer, mentioned + _in_text(fact, by_name, mentioned)))
        return resolved

    def _former(
        self, commit: Commit, people: PostPeople, resolved: Sequence[ResolvedPost]
    ) -> list[list[int]]:
        """Return the stored previous employers of each post's author, with one statement."""
        authors = [people.find_contact(post.author) if post.author else None for post in resolved]
        former = [author.former if author else [] for author in authors]
        found = iter(commit.find_companies(self._finder, [ref for refs in former for ref in refs]))
        return [[number for _ in refs if (number := next(found)) is not None] for refs in former]


def _named(ref: CompanyRef, number: int | None, records: Mapping[int, Company]) -> CompanyMention:
    """Return a company as a post names it; its identity comes from the post, not from its record."""
    record = records[number] if number is not None else Company()
    forms = (ref.name, ref.domain, record.name, record.domain)
    name = ref.name or ref.domain or record.name or ""
    return CompanyMention(number, name, ref.linkedin_url or "", tuple(form for form in forms if form))


def _in_text(
    fact: PostFact, by_name: Mapping[str, int], mentioned: Sequence[CompanyMention]
) -> list[CompanyMention]:
    """Return the stored companies named in the text alone."""
    found: dict[int, CompanyMention] = {}
    for names in fact.names:
        name = next((name for name in names if name in by_name), None)
        if name is not None:
            found.setdefault(by_name[name], CompanyMention(by_name[name], name, "", ()))
    others = {each.number for each in mentioned}
    return [each for number, each in found.items() if number not in others]


def _people(post: ResolvedPost) -> list[PersonRef]:
    return post.people if post.author is None else [post.author, *post.people]
