"""Posts with resolved people and companies, as signals (docs/reference/signals.md#events)."""

from collections.abc import Sequence
from typing import NamedTuple

from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_url
from firmograph.ingest.feeds.people import PersonRef, PostPeople
from firmograph.ingest.feeds.possible_people import MAX_COMPANIES
from firmograph.ingest.feeds.post_rows import PostFact
from firmograph.security.record_ids import Entity
from firmograph.signals.events import CompanyReference, Detected, PersonReference, Post
from firmograph.signals.posts.analysis import deduplicate_references, format_categories
from firmograph.signals.types import NUMBER_OF, POSTS


class CompanyMention(NamedTuple):
    """A company in a post."""

    number: int | None
    """Its record number, None if it is unknown."""
    name: str
    page: str
    """Its LinkedIn URL."""
    forms: tuple[str, ...]
    """Its names and domains, from the post and from its record."""


NO_COMPANY = CompanyMention(None, "", "", ())


class ResolvedPost(NamedTuple):
    """A post with its companies resolved."""

    fact: PostFact
    employer: CompanyMention
    """The author's employer, or the author itself where a company wrote the post."""
    mentioned: list[CompanyMention]

    @property
    def author(self) -> PersonRef | None:
        """The author, None where a company wrote the post."""
        author = self.fact.author
        return None if self.fact.by_company else PersonRef(*author, self.employer.number, self.employer.forms)

    @property
    def people(self) -> list[PersonRef]:
        return [PersonRef(*person) for person in self.fact.people]


class PostSignal:
    """One post of a commit, checked against records and suppression."""

    def __init__(
        self, digests: Digests, people: PostPeople, post: ResolvedPost, former: Sequence[int] = ()
    ) -> None:
        """Resolve the people of a post; `former` are previous employers of its author."""
        self._digests = digests
        self._people = people
        self._post = post
        self.fact = post.fact
        self._author = post.author
        self._mentioned = [each for each in post.people if not people.is_suppressed(each)]
        self._contact = people.find_contact(self._author) if self._author else None
        self.former_companies = former

    @property
    def is_suppressed(self) -> bool:
        """Whether its author is suppressed, as named in the row or in the post's address."""
        slug = self.fact.author_slug
        return (self._author is not None and self._people.is_suppressed(self._author)) or (
            slug is not None and self._people.is_page_suppressed(slug)
        )

    @property
    def companies(self) -> list[int]:
        """The companies that may own the signal, the stored contact's employer before that of the post.

        The first one owns a new signal; a stored one stays with its company, which may be a former employer.
        """
        employer = self._contact.employer if self._contact else None
        return [number for number in (employer, self._post.employer.number) if number is not None]

    @property
    def named(self) -> dict[int, list[str]]:
        """The companies with which names in the summary are combined, and the post's names for each.

        Its own and mentioned companies come first, then as many former employers, as one of them may own the signal.
        """
        names: dict[int, list[str]] = {number: [] for number in self.companies}
        for each in (self._post.employer, *self._post.mentioned):
            if each.number is not None:
                names.setdefault(each.number, []).extend(each.forms or (each.name,))
        first = dict(list(names.items())[:MAX_COMPANIES])
        return first | {number: names.get(number, []) for number in self.former_companies[:MAX_COMPANIES]}

    def identity(self, company: int) -> bytes:
        """Return the identity of the signal for a company, without creating the signal."""
        return self._digests.signal(Entity.COMPANY, company, NUMBER_OF[POSTS], self.fact.key)

    def to_signal(self, company: int) -> Detected:
        return Detected(
            Entity.COMPANY,
            company,
            POSTS,
            self.fact.key,
            self.fact.day,
            self._event(),
            format_categories(self.fact.topics),
            tuple(sorted(self._people_digests())),
        )

    def _event(self) -> Post:
        fact, likes_comments_shares = self.fact, self.fact.figures
        all_named = len(self._mentioned) == len(fact.people)
        return Post(
            fact.day,
            fact.sort,
            fact.topics,
            self._person(self._author) if self._author else self._company_as_author(),
            deduplicate_references([self._person(each) for each in self._mentioned]),
            deduplicate_references(
                [CompanyReference(each.number, each.name, each.page) for each in self._post.mentioned]
            ),
            fact.url,
            # a summary may name a suppressed person
            fact.summary if all_named else None,
            *likes_comments_shares,
            fact.type,
        )

    def _person(self, person: PersonRef) -> PersonReference:
        contact = self._people.find_contact(person)
        return PersonReference(
            contact.number if contact else None,
            person.name or (contact.name if contact else ""),
            linkedin_url(person.slug) if person.slug else "",
        )

    def _company_as_author(self) -> PersonReference:
        return PersonReference(None, self._post.employer.name, self._post.employer.page)

    def _people_digests(self) -> set[bytes]:
        slug = self.fact.author_slug
        pages = {self._digests.contact_linkedin(slug)} if slug else set()
        named = [*([self._author] if self._author else []), *self._mentioned]
        return pages.union(*(self._people.digests(each) for each in named))
