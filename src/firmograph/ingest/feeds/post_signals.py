"""A post whose people and companies are resolved, as the signal that it may be (docs/reference/signals.md#events)."""

from collections.abc import Sequence
from typing import NamedTuple

from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_url
from firmograph.ingest.feeds.people import PersonRef, PostPeople
from firmograph.ingest.feeds.possible_people import MAX_COMPANIES
from firmograph.ingest.feeds.post_rows import PostFact
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, NamedCompany, Person, Post
from firmograph.signals.posts import categories, named_once
from firmograph.signals.types import NUMBER_OF, POSTS


class CompanyMention(NamedTuple):
    """A company that a post names."""

    number: int | None
    """Of its record, where it is held."""
    name: str
    page: str
    """Its LinkedIn URL."""
    forms: tuple[str, ...]
    """Every name and domain that it goes by: as the post has it, and as its record does."""


NO_COMPANY = CompanyMention(None, "", "", ())


class ResolvedPost(NamedTuple):
    """A post with its companies."""

    fact: PostFact
    employer: CompanyMention
    """Of the author; the author itself where a company wrote the post."""
    mentioned: list[CompanyMention]

    @property
    def author(self) -> PersonRef | None:
        """None where a company wrote it."""
        who = self.fact.author
        return None if self.fact.by_company else PersonRef(*who, self.employer.number, self.employer.forms)

    @property
    def people(self) -> list[PersonRef]:
        return [PersonRef(*who) for who in self.fact.people]


class PostSignal:
    """One post of a commit, with everything that the records and suppression say to it."""

    def __init__(
        self, digests: Digests, people: PostPeople, placed: ResolvedPost, former: Sequence[int] = ()
    ) -> None:
        """`former` are the companies that the author worked for before."""
        self._digests = digests
        self._people = people
        self._placed = placed
        self.fact = placed.fact
        self._author = placed.author
        self._mentioned = [each for each in placed.people if not people.is_suppressed(each)]
        self._known = people.known(self._author) if self._author else None
        self.former_companies = former

    @property
    def is_suppressed(self) -> bool:
        """Whether its author is, by whatever tells who that is."""
        slug = self.fact.author_slug
        return (self._author is not None and self._people.is_suppressed(self._author)) or (
            slug is not None and self._people.is_page_suppressed(slug)
        )

    @property
    def companies(self) -> list[int]:
        """Whose signal it is: the first of these, unless it is another's already, of a former employer's perhaps.

        The employer of the held contact comes before the one that the post names.
        """
        employer = self._known.employer if self._known else None
        return [number for number in (employer, self._placed.employer.number) if number is not None]

    @property
    def named(self) -> dict[int, list[str]]:
        """The companies under which names are looked for, and what the post calls each.

        Its own and those that it mentions come first, then as many former ones, as it may be the signal of one.
        """
        names: dict[int, list[str]] = {number: [] for number in self.companies}
        for each in (self._placed.employer, *self._placed.mentioned):
            if each.number is not None:
                names.setdefault(each.number, []).extend(each.forms or (each.name,))
        first = dict(list(names.items())[:MAX_COMPANIES])
        return first | {number: names.get(number, []) for number in self.former_companies[:MAX_COMPANIES]}

    def identity(self, company: int) -> bytes:
        """Of the signal that `detected` gives, without making it."""
        return self._digests.signal(Entity.COMPANY, company, NUMBER_OF[POSTS], self.fact.key)

    def detected(self, company: int) -> Detected:
        return Detected(
            Entity.COMPANY,
            company,
            POSTS,
            self.fact.key,
            self.fact.day,
            self._event(),
            categories(self.fact.topics),
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
            named_once([self._person(each) for each in self._mentioned]),
            named_once([NamedCompany(each.number, each.name, each.page) for each in self._placed.mentioned]),
            fact.url,
            # it may name who is not to be named
            fact.summary if all_named else None,
            *likes_comments_shares,
            fact.type,
        )

    def _person(self, asked: PersonRef) -> Person:
        known = self._people.known(asked)
        return Person(
            known.number if known else None,
            asked.name or (known.name if known else ""),
            linkedin_url(asked.slug) if asked.slug else "",
        )

    def _company_as_author(self) -> Person:
        return Person(None, self._placed.employer.name, self._placed.employer.page)

    def _people_digests(self) -> set[bytes]:
        slug = self.fact.author_slug
        told = {self._digests.contact_linkedin(slug)} if slug else set()
        named = [*([self._author] if self._author else []), *self._mentioned]
        return told.union(*(self._people.digests(each) for each in named))
