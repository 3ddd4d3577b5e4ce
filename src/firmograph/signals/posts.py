"""What a post tells: its topics, what sort of post it is, whom it names. Pure functions.

See docs/reference/signals.md#posts.

The text is read and let go of: nothing here returns any of it but the LinkedIn pages that it links to, and names that
are to be looked for among the held companies.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

import msgspec

from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.signals.events import NamedCompany, Person, Post, Topic
from firmograph.signals.news.mentions import mark
from firmograph.signals.news.sentences import sentences
from firmograph.signals.topics import Phrases, Topics, words

_MOST_TEXT: Final = 50_000
_MOST_READ_FOR_NAMES: Final = 10_000
_MOST_NAMED: Final = 50
"""How many people, and how many companies, a post is noted to name."""
OF_SUMMARY: Final = 18
"""The length of a `summary_digest`: that of a key, 16, and two."""

_SORTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
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
"""The labels of `signalCategory` and the phrases that call for each; the first one counts."""

_sorts: Final = Phrases((phrase, place) for place, (_, phrases) in enumerate(_SORTS) for phrase in phrases)
_PAGE: Final = re.compile(
    r"(?<![\w-])linkedin\.com/((?:in|company|school|showcase)/[^\s/?#<>\"'()\[\]{}|,;]{1,200})", re.IGNORECASE
)
_ACTIVITY: Final = re.compile(r"\b(activity|ugcpost|share)[:-](\d{6,25})(?!\d)", re.ASCII)
_AUTHORED: Final = re.compile(r"/posts/([^/_]{1,200})_", re.IGNORECASE)

N = TypeVar("N", Person, NamedCompany)


class Reading(NamedTuple):
    """What a text tells."""

    topics: list[Topic]
    sort: str
    """`signalCategory`."""
    people: list[str]
    """LinkedIn slugs, `in/jane-doe`, in the order of the text."""
    companies: list[str]
    """`company/acme`."""
    names: list[tuple[str, ...]]
    """Of what may be companies: what each may be held under, the likeliest first. Never to be kept as such."""


def read_post(text: str, topics: Topics) -> Reading:
    """Read one text; its time is bounded by the text's length, of which a stretch is read."""
    text = text[:_MOST_TEXT]
    parts = words(text)
    found = topics.among(parts)
    pages = [page.rstrip(".:!") for page in _PAGE.findall(text)]
    return Reading(found, _sort(parts, found), _slugs(pages, "in"), _slugs(pages, "company"), _names(text))


def _names(text: str) -> list[tuple[str, ...]]:
    """As news are read for them: a name that is also a common word counts only where something says it is a company."""
    marked = mark(list(sentences("", text[:_MOST_READ_FOR_NAMES])))
    names = (sentence.mentions[place].readings for sentence in marked for place in sorted(sentence.companies))
    return list(dict.fromkeys(names))[:_MOST_NAMED]


def _sort(parts: Sequence[str], topics: Iterable[Topic]) -> str:
    if places := _sorts.found(parts):
        return _SORTS[min(places)][0]
    counted = Counter(topic.category for topic in topics).most_common(1)
    return f"{counted[0][0]} Discussion" if counted else "Discussion"


def _slugs(pages: Iterable[str], kind: str) -> list[str]:
    found = (linkedin_slug(page, kind) for page in pages)
    return list(dict.fromkeys(slug for slug in found if slug))[:_MOST_NAMED]


def post_key(url: str) -> str:
    """What makes two addresses the address of one post: LinkedIn's number of it, else host, path and query."""
    parts = urlsplit(url.lower())
    if (parts.hostname or "").endswith("linkedin.com"):
        if found := _ACTIVITY.search(unquote(parts.path)):
            return f"{found[1]}:{found[2]}"
        return f"linkedin.com{parts.path.rstrip('/')}"
    exact = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host}{exact.path.rstrip('/')}{'?' + exact.query if exact.query else ''}"


def shown_url(url: str) -> str:
    """The address without what was put behind it to follow who shares it."""
    parts = urlsplit(url)
    query = "" if (parts.hostname or "").endswith("linkedin.com") else parts.query
    return parts._replace(query=query, fragment="").geturl()


def author_in(url: str) -> str | None:
    """The LinkedIn slug of whoever wrote a post, where its address tells: `/posts/jane-doe_the-text-activity-71`."""
    parts = urlsplit(url)
    if not (parts.hostname or "").endswith("linkedin.com") or not (found := _AUTHORED.match(parts.path)):
        return None
    return linkedin_slug(f"in/{found[1]}", "in")


def categories(topics: Iterable[Topic]) -> str:
    """The categories of topics as a signal's `detail` has them."""
    return f"|{'|'.join(sorted({topic.category for topic in topics}))}|"


def number_digest(digests: Digests, number: int) -> bytes:
    """By which a contact whom posts name is found by its number.

    One byte longer than the digest of a key: numbers mean the same only in databases of one origin
    (`backup/preserved_erasures.py`).
    """
    return digests.contact_id(number) + b"#"


def summary_digest(digest: bytes) -> bytes:
    """By which suppression finds a post whose summary may name a person: of the digest of name and company.

    Two bytes longer than that, so that it tells that nothing but the summary has to go.
    """
    return digest + b"##"


def is_of_summary(digest: bytes) -> bool:
    return len(digest) == OF_SUMMARY


def person_digests(digests: Digests, person: Person) -> set[bytes]:
    """By which suppression finds a person whom a post names: page and number."""
    slug = linkedin_slug(person.linkedin_url, "in") if person.linkedin_url else None
    page = {digests.contact_linkedin(slug)} if slug else set()
    return page | ({number_digest(digests, person.id)} if person.id is not None else set())


def without(post: Post, gone: Callable[[Person], bool]) -> Post:
    """The post as if it had not named some people. Its summary, which may name them too, goes with them."""
    kept = [person for person in post.contacts_mentioned if not gone(person)]
    if len(kept) == len(post.contacts_mentioned):
        return post
    return msgspec.structs.replace(post, contacts_mentioned=kept, activity_summary=None)


def renewed(held: Post, new: Post) -> Post:
    """The held post when it comes again: records that are held by now, and mentions that were not, are added.

    See docs/reference/signals.md#identity.

    What was first noticed stays otherwise, figures above all. So mentions return with the next
    import once a suppression is lifted, and neither order nor repetition matters for who is named. A row that has
    another author says nothing about the post.
    """
    if _known_by(held.author) != _known_by(new.author):
        return held
    return msgspec.structs.replace(
        held,
        author=_filled(held.author, new.author),
        contacts_mentioned=named_once([*held.contacts_mentioned, *new.contacts_mentioned]),
        companies_mentioned=named_once([*held.companies_mentioned, *new.companies_mentioned]),
        activity_summary=held.activity_summary or new.activity_summary,
    )


def named_once(named: Iterable[N]) -> list[N]:
    """Each once, with whatever any of them tells of it, in an order that does not tell which came first."""
    found: dict[str, N] = {}
    for each in named:
        key = _known_by(each)
        found[key] = _filled(found[key], each) if key in found else each
    return [found[key] for key in sorted(found)][:_MOST_NAMED]


def _known_by(named: Person | NamedCompany) -> str:
    return named.linkedin_url or _name(named).casefold()


def _name(named: Person | NamedCompany) -> str:
    return named.full_name if isinstance(named, Person) else named.name


def _filled(held: N, new: N) -> N:
    """What is held, with the record and the name where it has none."""
    field = "full_name" if isinstance(held, Person) else "name"
    name = _name(held) or _name(new)
    return msgspec.structs.replace(held, id=new.id if held.id is None else held.id, **{field: name})
