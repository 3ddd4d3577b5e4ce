"""Rows of posts, and the fact of a post; the text is read here and not stored."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec

from firmograph.directory.normalise.linkedin import linkedin_slug, linkedin_url
from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.mentions import parse_mention
from firmograph.ingest.reading.inputs import CompanyRefInput, Scalar
from firmograph.ingest.records.company_references import read_company_reference
from firmograph.ingest.records.person_names import read_full_name
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.values import (
    code,
    day,
    is_any_placeholder,
    items,
    text,
    url,
    whole,
    whole_text,
)
from firmograph.signals.events import Topic
from firmograph.signals.posts.analysis import find_author_slug, post_key, read_post, strip_tracking
from firmograph.signals.posts.topics import Topics

_MOST_NAMED: Final = 50


T = TypeVar("T")


class PersonInput(msgspec.Struct, rename="camel"):
    full_name: str | None = None
    name: str | None = None
    linkedin_url: str | None = None
    company: CompanyRefInput | str | None = None


class PostRow(msgspec.Struct, rename="camel"):
    """One post in a file (docs/reference/import.md#files-of-facts)."""

    url: str | None = None
    date: str | None = None
    author: PersonInput | str | None = None
    text: str | None = None
    summary: str | None = None
    likes: Scalar = None
    comments: Scalar = None
    shares: Scalar = None
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
    """The fact of a row."""

    line: int
    key: str
    """Identifies the post when it is imported again."""
    url: str
    day: str
    author: NamedPerson
    employer: CompanyRef | None
    """The author's employer, or the author itself where a company wrote the post."""
    by_company: bool
    author_slug: str | None
    """The author's slug in the address of the post."""
    people: list[NamedPerson]
    """Mentioned people with a page: others could not be found to erase them."""
    companies: list[CompanyRef]
    names: list[tuple[str, ...]]
    """Possible names of stored companies in the text (`signals.posts.Reading`)."""
    topics: list[Topic]
    sort: str
    summary: str | None
    figures: tuple[int, int, int]
    """Likes, comments, shares."""
    type: str


def parse_post(number: int, row: PostRow, topics: Topics) -> PostFact:
    """Return the fact of a row. Raise Unusable with a reason that contains no value of the row."""
    address, at = url(row.url), day(row.date)
    if address is None:
        raise Unusable("url: no web address")
    if at is None:
        raise Unusable("date: no day that could be read")
    summary, body = text(row.summary), whole_text(row.text)
    if not (summary or body):
        raise Unusable("neither text nor summary")
    author, employer, by_company = _author(row.author)
    reading = read_post("\n".join(part for part in (summary, body) if part), topics)
    people = [
        person for each in _as_list(row.contacts_mentioned) if (person := _person(each)) and person.slug
    ]
    people += [NamedPerson("", slug) for slug in reading.people]
    companies = [ref for each in _as_list(row.companies_mentioned) if (ref := _company(each))]
    companies += [CompanyRef(linkedin_url=linkedin_url(slug)) for slug in reading.companies]
    return PostFact(
        number,
        post_key(address),
        strip_tracking(address),
        at,
        author,
        employer,
        by_company,
        author_slug := find_author_slug(address),
        _unique_people(people, {author.slug, author_slug}),
        companies,
        reading.names,
        reading.topics,
        reading.category,
        summary,
        (whole(row.likes) or 0, whole(row.comments) or 0, whole(row.shares) or 0),
        (code(row.type, 50) or "post").lower(),
    )


def _author(given: PersonInput | str | None) -> tuple[NamedPerson, CompanyRef | None, bool]:
    """Return the author, the employer, and whether they are the same company."""
    named = PersonInput(linkedin_url=given) if isinstance(given, str) and "/" in given else given
    if isinstance(named, PersonInput) and (page := _company_page(named)):
        return NamedPerson(page.name or "", ""), page, True
    person = _person(named)
    if person is None:
        raise Unusable("author: neither a name nor a LinkedIn page")
    employer = _company(named.company) if isinstance(named, PersonInput) else None
    return person, employer, False


def _company(given: CompanyRefInput | str | None) -> CompanyRef | None:
    return parse_mention(given) if isinstance(given, str) else read_company_reference(given)


def _company_page(named: PersonInput) -> CompanyRef | None:
    address = named.linkedin_url or ""
    if "/" not in address or not linkedin_slug(address, "company"):
        return None
    return read_company_reference(CompanyRefInput(name=named.full_name or named.name, linkedin_url=address))


def _person(given: PersonInput | str | None) -> NamedPerson | None:
    if isinstance(given, str):
        given = PersonInput(linkedin_url=given) if "/" in given else PersonInput(name=given)
    if given is None:
        return None
    name = read_full_name(given.full_name, 200) or read_full_name(given.name, 200) or ""
    page = given.linkedin_url or ""
    slug = linkedin_slug(page, "in") if page and not is_any_placeholder(page) else None
    return NamedPerson(name, slug or "") if name or slug else None


def _as_list(given: list[T] | str | None) -> list[T] | list[str]:
    return items(given, commas=False) if isinstance(given, str) else given or []


def _unique_people(people: Sequence[NamedPerson], author: Collection[str | None]) -> list[NamedPerson]:
    """Return each person once, with the file's name for them, without the author."""
    by_slug: dict[str, NamedPerson] = {}
    for person in people:
        if person.slug not in author:
            by_slug.setdefault(person.slug, person)
    return list(by_slug.values())[:_MOST_NAMED]
