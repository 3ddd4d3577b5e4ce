"""Posts of people and companies, from which `linkedinActivityIntent` is detected (docs/reference/signals.md#posts).

A post is a signal of the company whose post it is: its author's, as a held contact or else as the file names it, or the
company that wrote it itself. Companies that it only mentions stand in `companiesMentioned`. It stays the signal of that
company when its author has moved on, so that the same file again doubles nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from firmograph.directory.records import Company, CompanyRef
from firmograph.ingest.feeds.feed import Commit, CommitResult, FeedDependencies, FinalStep
from firmograph.ingest.feeds.mentions import resolve_mentions
from firmograph.ingest.feeds.people import PersonRef, PostPeople
from firmograph.ingest.feeds.post_batch import PostBatch
from firmograph.ingest.feeds.post_rows import ALIASES, PostFact, PostRow, post_fact
from firmograph.ingest.feeds.post_signals import NO_COMPANY, CompanyMention, PostSignal, ResolvedPost
from firmograph.ingest.merging import store
from firmograph.ingest.merging.company_linking import Finder
from firmograph.signals.topics import load_topics

_preview = msgspec.json.Decoder(Company).decode


class PostsFeed:
    kind = "posts"
    row = PostRow
    needs = ("url", "date", "author", "text")
    aliases = ALIASES

    def __init__(self, parts: FeedDependencies) -> None:
        self._digests = parts.digests
        self._topics = load_topics(parts.topics_file)
        self._finder = Finder(parts.digests)

    def read_fact(self, line: int, row: PostRow) -> PostFact:
        return post_fact(line, row, self._topics)

    def steps(self) -> Iterator[FinalStep]:
        return iter(())

    def apply(self, commit: Commit, facts: Sequence[PostFact]) -> CommitResult:
        facts, rejects = commit.reject_future(facts)
        placed = self._placed(commit, facts)
        asked = {each for post in placed for each in _people(post)}
        slugs = {fact.author_slug for fact in facts if fact.author_slug}
        people = PostPeople(commit.session, self._digests, asked, slugs)
        former = self._former(commit, people, placed)
        posts = [
            PostSignal(self._digests, people, post, some) for post, some in zip(placed, former, strict=True)
        ]
        batch = PostBatch(commit, self._digests, posts)
        outcomes = [batch.apply(post) for post in posts]
        return CommitResult(outcomes, rejects, batch.write(), batch.unnamed)

    def _placed(self, commit: Commit, facts: Sequence[PostFact]) -> list[ResolvedPost]:
        """Each post with its companies resolved, in three statements for all of them."""
        refs = [ref for fact in facts for ref in (fact.employer, *fact.companies) if ref is not None]
        numbers = commit.find_companies(self._finder, refs)
        held = store.read_company_parts(commit.session, sorted({n for n in numbers if n is not None}))
        records = {number: _preview(fragments.preview) for number, fragments in held.items()}
        named = (_named(ref, number, records) for ref, number in zip(refs, numbers, strict=True))
        by_name = resolve_mentions(
            commit, self._finder, [name for fact in facts for names in fact.names for name in names]
        )
        placed = []
        for fact in facts:
            employer = next(named) if fact.employer else NO_COMPANY
            mentioned = [next(named) for _ in fact.companies]
            placed.append(ResolvedPost(fact, employer, mentioned + _in_text(fact, by_name, mentioned)))
        return placed

    def _former(self, commit: Commit, people: PostPeople, placed: Sequence[ResolvedPost]) -> list[list[int]]:
        """The held companies that the author of each post worked for before, in one statement."""
        known = [people.known(post.author) if post.author else None for post in placed]
        former = [author.former if author else [] for author in known]
        found = iter(commit.find_companies(self._finder, [ref for refs in former for ref in refs]))
        return [[number for _ in refs if (number := next(found)) is not None] for refs in former]


def _named(ref: CompanyRef, number: int | None, records: Mapping[int, Company]) -> CompanyMention:
    """A company as a post names it; what makes it the same one when it is named again does not come from its record."""
    held = records[number] if number is not None else Company()
    forms = (ref.name, ref.domain, held.name, held.domain)
    name = ref.name or ref.domain or held.name or ""
    return CompanyMention(number, name, ref.linkedin_url or "", tuple(form for form in forms if form))


def _in_text(
    fact: PostFact, by_name: Mapping[str, int], mentioned: Sequence[CompanyMention]
) -> list[CompanyMention]:
    """The held companies that the text names, without those that it mentions otherwise."""
    found: dict[int, CompanyMention] = {}
    for names in fact.names:
        name = next((name for name in names if name in by_name), None)
        if name is not None:
            found.setdefault(by_name[name], CompanyMention(by_name[name], name, "", ()))
    others = {each.number for each in mentioned}
    return [each for number, each in found.items() if number not in others]


def _people(post: ResolvedPost) -> list[PersonRef]:
    return post.people if post.author is None else [post.author, *post.people]
