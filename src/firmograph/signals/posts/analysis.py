"""Analysis of posts: topics, category, and the people and companies they name.

See docs/reference/signals.md#posts.

Pure functions. The text is not kept: of it only LinkedIn pages and possible company names are returned, to be searched
among the company records.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

import msgspec

from firmograph.directory.identity import Digests
from firmograph.directory.names_in_text.mentions import mark_sentences
from firmograph.directory.names_in_text.sentences import split_sentences
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.signals.events import CompanyReference, PersonReference, Post, Topic
from firmograph.signals.news.table import plain_words
from firmograph.signals.posts.topics import Phrases, Topics, split_words

_MOST_TEXT: Final = 50_000
_MOST_READ_FOR_NAMES: Final = 10_000
_MOST_NAMED: Final = 50
"""Limit of people, and of companies, that a post names."""
OF_SUMMARY: Final = 18
"""Length of a `summary_digest`: that of a key, 16, plus two."""

_CATEGORIES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "Hiring",
        ("we are hiring", "were hiring", "now hiring", "is hiring", "join our team", "open position",
         "open positions", "open role", "open roles", "job opening", "job openings", "apply now", "vacancy"),
    ),
    (
        "Event",
        ("webinar", "conference", "meetup", "summit", "register now", "register here", "join us at",
         "join us for", "see you at", "our booth", "save the date", "keynote", "panel discussion"),
    ),
    (
        "Product Announcement",
        ("now available", "generally available", "new release", "new feature", "new features", "just launched",
         "we launched", "we are launching", "were launching", "product launch", "excited to launch",
         "proud to launch", "today we are introducing", "introducing our", "introducing the", "early access",
         "public beta"),
    ),
    (
        "Funding Announcement",
        ("raised a", "we raised", "have raised", "has raised", "seed round", "series a", "series b", "series c",
         "funding round"),
    ),
    (
        "Partnership Announcement",
        ("partnering with", "partnered with", "new partnership", "strategic partnership", "teaming up with",
         "joining forces with"),
    ),
    (
        "Recognition",
        ("award", "awards", "award winning", "honored to be", "honoured to be", "named a leader",
         "recognized as", "recognised as", "has been named"),
    ),
)  # fmt: skip
"""Values of `signalCategory` with their phrases; the first match counts."""

_category_phrases: Final = Phrases(
    (phrase, index) for index, (_, phrases) in enumerate(_CATEGORIES) for phrase in phrases
)
_PAGE: Final = re.compile(
    r"(?<![\w-])linkedin\.com/((?:in|company|school|showcase)/[^\s/?#<>\"'()\[\]{}|,;]{1,200})", re.IGNORECASE
)
_ACTIVITY: Final = re.compile(r"\b(activity|ugcpost|share)[:-](\d{6,25})(?!\d)", re.ASCII)
_AUTHORED: Final = re.compile(r"/posts/([^/_]{1,200})_", re.IGNORECASE)

N = TypeVar("N", PersonReference, CompanyReference)


class PostContent(NamedTuple):
    """Content found in the text of a post."""

    topics: list[Topic]
    category: str
    """`signalCategory`."""
    people: list[str]
    """LinkedIn slugs, `in/jane-doe`, in the order of the text."""
    companies: list[str]
    """`company/acme`."""
    names: list[tuple[str, ...]]
    """Possible company names, each with the names to search it by, the likeliest first; never stored."""


def read_post(text: str, topics: Topics) -> PostContent:
    """Analyse the text of a post; only its first 50,000 characters are read."""
    text = text[:_MOST_TEXT]
    parts = split_words(text)
    found = topics.find_in_words(parts)
    pages = [page.rstrip(".:!") for page in _PAGE.findall(text)]
    return PostContent(
        found,
        _signal_category(parts, found),
        _slugs(pages, "in"),
        _slugs(pages, "company"),
        _company_names(text),
    )


def _company_names(text: str) -> list[tuple[str, ...]]:
    """Return company names as in news: a common word counts only if its context marks it as a company."""
    marked = mark_sentences(list(split_sentences("", text[:_MOST_READ_FOR_NAMES])), plain_words())
    names = (sentence.mentions[index].readings for sentence in marked for index in sorted(sentence.companies))
    return list(dict.fromkeys(names))[:_MOST_NAMED]


def _signal_category(parts: Sequence[str], topics: Iterable[Topic]) -> str:
    if found := _category_phrases.find(parts):
        return _CATEGORIES[min(found)][0]
    counted = Counter(topic.category for topic in topics).most_common(1)
    return f"{counted[0][0]} Discussion" if counted else "Discussion"


def _slugs(pages: Iterable[str], kind: str) -> list[str]:
    found = (linkedin_slug(page, kind) for page in pages)
    return list(dict.fromkeys(slug for slug in found if slug))[:_MOST_NAMED]


def post_key(url: str) -> str:
    """Return the key that all addresses of a post share: LinkedIn's number, else host, path and query."""
    parts = urlsplit(url.lower())
    if (parts.hostname or "").endswith("linkedin.com"):
        if found := _ACTIVITY.search(unquote(parts.path)):
            return f"{found[1]}:{found[2]}"
        return f"linkedin.com{parts.path.rstrip('/')}"
    exact = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host}{exact.path.rstrip('/')}{'?' + exact.query if exact.query else ''}"


def strip_tracking(url: str) -> str:
    """Return the address without fragment and, for LinkedIn, without tracking parameters."""
    parts = urlsplit(url)
    query = "" if (parts.hostname or "").endswith("linkedin.com") else parts.query
    return parts._replace(query=query, fragment="").geturl()


def find_author_slug(url: str) -> str | None:
    """Return the LinkedIn slug of the author from an address such as `/posts/jane-doe_the-text-activity-71`."""
    parts = urlsplit(url)
    if not (parts.hostname or "").endswith("linkedin.com") or not (found := _AUTHORED.match(parts.path)):
        return None
    return linkedin_slug(f"in/{found[1]}", "in")


def format_categories(topics: Iterable[Topic]) -> str:
    """Return the categories of topics in the form of a signal's `detail`."""
    return f"|{'|'.join(sorted({topic.category for topic in topics}))}|"


def number_digest(digests: Digests, number: int) -> bytes:
    """Return the digest by which suppression finds posts naming a contact, from its record number.

    One byte longer than the digest of a key, to tell them apart: numbers mean the same only in databases of one origin
    (`personal_data.py`).
    """
    return digests.contact_id(number) + b"#"


def summary_digest(digest: bytes) -> bytes:
    """Return the digest by which suppression finds posts whose summary may name a person, from name and company.

    Two bytes longer than the digest of a key: it marks that only the summary has to be erased.
    """
    return digest + b"##"


def is_of_summary(digest: bytes) -> bool:
    return len(digest) == OF_SUMMARY


def person_digests(digests: Digests, person: PersonReference) -> set[bytes]:
    """Return the digests by which suppression finds a person named in a post: LinkedIn page and number."""
    slug = linkedin_slug(person.linkedin_url, "in") if person.linkedin_url else None
    page = {digests.contact_linkedin(slug)} if slug else set()
    return page | ({number_digest(digests, person.id)} if person.id is not None else set())


def remove_mentions(post: Post, is_erased: Callable[[PersonReference], bool]) -> Post:
    """Return the post without mentions of erased people and without its summary, which may name them."""
    mentions = [person for person in post.contacts_mentioned if not is_erased(person)]
    if len(mentions) == len(post.contacts_mentioned):
        return post
    return msgspec.structs.replace(post, contacts_mentioned=mentions, activity_summary=None)


def merge_repeated_post(stored: Post, new: Post) -> Post:
    """Return the stored post with records and mentions added from a repeated import.

    See docs/reference/signals.md#identity.

    Everything else stays as first imported, figures above all. So mentions return with the next import after a
    suppression is lifted, and the order and number of imports do not affect them. A row with another author is ignored.
    """
    if _reference_key(stored.author) != _reference_key(new.author):
        return stored
    return msgspec.structs.replace(
        stored,
        author=_fill_missing(stored.author, new.author),
        contacts_mentioned=deduplicate_references([*stored.contacts_mentioned, *new.contacts_mentioned]),
        companies_mentioned=deduplicate_references([*stored.companies_mentioned, *new.companies_mentioned]),
        activity_summary=stored.activity_summary or new.activity_summary,
    )


def deduplicate_references(references: Iterable[N]) -> list[N]:
    """Return each reference once, with the data of all duplicates, in an order independent of the input order."""
    found: dict[str, N] = {}
    for each in references:
        key = _reference_key(each)
        found[key] = _fill_missing(found[key], each) if key in found else each
    return [found[key] for key in sorted(found)][:_MOST_NAMED]


def _reference_key(reference: PersonReference | CompanyReference) -> str:
    return reference.linkedin_url or _name(reference).casefold()


def _name(reference: PersonReference | CompanyReference) -> str:
    return reference.full_name if isinstance(reference, PersonReference) else reference.name


def _fill_missing(stored: N, new: N) -> N:
    """Return the stored reference, with a missing record number or name taken from the new one."""
    field = "full_name" if isinstance(stored, PersonReference) else "name"
    name = _name(stored) or _name(new)
    return msgspec.structs.replace(stored, id=new.id if stored.id is None else stored.id, **{field: name})
