"""Rows of posts as files have them, and what is kept of one: the text is read here and goes no further."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec

from firmograph.directory.normalise.linkedin import linkedin_slug, linkedin_url
from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.mentions import parse_mention
from firmograph.ingest.reading.inputs import CompanyRefInput, Loose
from firmograph.ingest.records.company_references import company_named
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.values import code, day, items, line, text, url, whole
from firmograph.signals.events import Topic
from firmograph.signals.posts import author_in, post_key, read_post, shown_url
from firmograph.signals.topics import Topics

_MOST_NAMED: Final = 50


T = TypeVar("T")


class PersonInput(msgspec.Struct, rename="camel"):
    full_name: str | None = None
    name: str | None = None
    linkedin_url: str | None = None
    company: CompanyRefInput | str | None = None


class PostRow(msgspec.Struct, rename="camel"):
    """One post (docs/reference/import.md#files-of-facts)."""

    url: str | None = None
    date: str | None = None
    author: PersonInput | str | None = None
    text: str | None = None
    summary: str | None = None
    likes: Loose = None
    comments: Loose = None
    shares: Loose = None
    type: str | None = None
    contacts_mentioned: list[PersonInput | str | None] | str | None = None
    companies_mentioned: list[CompanyRefInput | str | None] | str | None = None


ALIASES: Final = {
    "posturl": "url",
    "postedat": "date",
    "publishedat": "date",
    "publicationdate": "date",
    "authorname": "author.fullName",
    "authorfullname": "author.fullName",
    "authorurl": "author.linkedinUrl",
    "authorlinkedinurl": "author.linkedinUrl",
    "authorcompany": "author.company",
    "posttext": "text",
    "content": "text",
    "reactions": "likes",
    "reposts": "shares",
    "posttype": "type",
}


class NamedPerson(NamedTuple):
    """A person as a post names them."""

    name: str
    slug: str
    """Canonical, `in/jane-doe`; `""` where no page is named."""


class PostFact(NamedTuple):
    """What is kept of a row."""

    line: int
    key: str
    """What makes it the same post when it comes again."""
    url: str
    day: str
    author: NamedPerson
    employer: CompanyRef | None
    """Of the author, or the author itself where a company wrote it."""
    by_company: bool
    author_slug: str | None
    """Of the author as its address has it."""
    people: list[NamedPerson]
    """All of them with a page: others could not be found again to erase them."""
    companies: list[CompanyRef]
    names: list[tuple[str, ...]]
    """In the text, of what may be held companies (`signals.posts.Reading`)."""
    topics: list[Topic]
    sort: str
    summary: str | None
    figures: tuple[int, int, int]
    """Likes, comments, shares."""
    type: str


def post_fact(number: int, row: PostRow, topics: Topics) -> PostFact:
    """Raises Unusable with the reason; no value of the row is in it."""
    address, at = url(row.url), day(row.date)
    if address is None:
        raise Unusable("url: no web address")
    if at is None:
        raise Unusable("date: no day that could be read")
    summary = text(row.summary)
    if not (summary or (row.text or "").strip()):
        raise Unusable("neither text nor summary")
    author, employer, by_company = _author(row.author)
    reading = read_post("\n".join(part for part in (summary, row.text) if part), topics)
    people = [who for each in _listed(row.contacts_mentioned) if (who := _person(each)) and who.slug]
    people += [NamedPerson("", slug) for slug in reading.people]
    companies = [ref for each in _listed(row.companies_mentioned) if (ref := _company(each))]
    companies += [CompanyRef(linkedin_url=linkedin_url(slug)) for slug in reading.companies]
    return PostFact(
        number,
        post_key(address),
        shown_url(address),
        at,
        author,
        employer,
        by_company,
        author_slug := author_in(address),
        _once(people, {author.slug, author_slug}),
        companies,
        reading.names,
        reading.topics,
        reading.sort,
        summary,
        (whole(row.likes) or 0, whole(row.comments) or 0, whole(row.shares) or 0),
        (code(row.type, 50) or "post").lower(),
    )


def _author(given: PersonInput | str | None) -> tuple[NamedPerson, CompanyRef | None, bool]:
    """The author, the employer, and whether they are the same."""
    named = PersonInput(linkedin_url=given) if isinstance(given, str) and "/" in given else given
    if isinstance(named, PersonInput) and (page := _company_page(named)):
        return NamedPerson(page.name or "", ""), page, True
    who = _person(named)
    if who is None:
        raise Unusable("author: neither a name nor a LinkedIn page")
    employer = _company(named.company) if isinstance(named, PersonInput) else None
    return who, employer, False


def _company(given: CompanyRefInput | str | None) -> CompanyRef | None:
    return parse_mention(given) if isinstance(given, str) else company_named(given)


def _company_page(named: PersonInput) -> CompanyRef | None:
    address = named.linkedin_url or ""
    if "/" not in address or not linkedin_slug(address, "company"):
        return None
    return company_named(CompanyRefInput(name=named.full_name or named.name, linkedin_url=address))


def _person(given: PersonInput | str | None) -> NamedPerson | None:
    if isinstance(given, str):
        given = PersonInput(linkedin_url=given) if "/" in given else PersonInput(name=given)
    if given is None:
        return None
    name = line(given.full_name, 200) or line(given.name, 200) or ""
    slug = linkedin_slug(given.linkedin_url, "in") if given.linkedin_url else None
    return NamedPerson(name, slug or "") if name or slug else None


def _listed(given: list[T] | str | None) -> list[T] | list[str]:
    return items(given, commas=False) if isinstance(given, str) else given or []


def _once(people: Sequence[NamedPerson], author: Collection[str | None]) -> list[NamedPerson]:
    """Each once, with the name that the file has; whoever wrote the post is not one whom it mentions."""
    by_slug: dict[str, NamedPerson] = {}
    for who in people:
        if who.slug not in author:
            by_slug.setdefault(who.slug, who)
    return list(by_slug.values())[:_MOST_NAMED]
