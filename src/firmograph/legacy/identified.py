"""Translation of legacy items to current record lookups.

See docs/reference/legacy.md#identifiers.

A person is looked up by id, then LinkedIn URL, then e-mail, then full name at each of the companies, current ones
first; the first match wins. In the signals calls the `id` of an item is the caller's own key; a company is looked up by
it only if it has no other identifier.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.database.connection import Session
from firmograph.directory.lookup.identifiers import ValuePath, describe_problem, raise_problem
from firmograph.directory.lookup.queries import UNKNOWN, CompanyQuery, ContactQuery, QueryReader
from firmograph.directory.lookup.record_lookup import ContactHit, RecordLookup
from firmograph.directory.names import split_full_name
from firmograph.directory.result_slots import NOT_FOUND, RESTRICTED, ResultSlot
from firmograph.kit.errors import PreconditionFailed
from firmograph.legacy.signal_shapes import LegacyCompanyItem, LegacyContactItem
from firmograph.security.record_ids import Entity

T = TypeVar("T")
_Text = str | UnsetType


class GivenEmployer(NamedTuple):
    """Present or former employer of an item."""

    name: _Text
    domain: _Text
    is_current: bool = True
    domain_at: ValuePath | None = None
    """Path of the domain; by default `domain` of the item's company."""


class GivenPerson(NamedTuple):
    """Identifiers of an item, each with its value."""

    id: int | str | UnsetType = UNSET
    page: _Text = UNSET
    email: _Text = UNSET
    full_name: _Text = UNSET
    names: tuple[str, str] | None = None
    """First and last name, where the item has them apart."""
    employers: Sequence[GivenEmployer] = ()


class PersonTerms(NamedTuple):
    """Names of the properties of an item, for errors."""

    id: str = "personId"
    page: str = "linkedinUrl"
    email: str = "email"
    full_name: str = "fullName"
    companies: str = "companies"
    expected: str = "must have personId, linkedinUrl, email, or fullName with companies"


SIGNAL_TERMS = PersonTerms(
    page="social_link",
    full_name="full_name",
    expected="must have social_link, email, or full_name with companies",
)


class PersonQueryReader:
    """Reader of the queries for the person of an item, in the order in which they are tried."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader

    def read(self, person: GivenPerson, path: ValuePath, terms: PersonTerms) -> list[ContactQuery]:
        """Return the queries; each has at most one employer.

        Raises BadRequest for a malformed or insufficient identifier; PreconditionFailed for a full name without first
        and last name if it is the only identifier.
        """
        return list(self._queries(person, path, terms))

    def _queries(self, person: GivenPerson, path: ValuePath, terms: PersonTerms) -> Iterator[ContactQuery]:
        number, keys = None, []
        mailbox: tuple[bytes, ...] = ()
        if person.id is not UNSET:
            number = self._reader.number(Entity.CONTACT, str(person.id), (*path, terms.id))
        if person.page is not UNSET:
            keys.append(self._reader.profile(person.page, (*path, terms.page)))
        if person.email is not UNSET:
            found = self._reader.email(person.email, (*path, terms.email))
            keys.append(found.key)
            mailbox = found.mailbox
        is_known = number is not None or bool(keys)
        employers = [
            (not one.is_current, self._employer(one, (*path, terms.companies, index)))
            for index, one in enumerate(person.employers)
        ]
        name = person.names
        if name is None and person.full_name is not UNSET:
            needed = not is_known and bool(employers)
            name = _split(person.full_name, (*path, terms.full_name), needed=needed)
        if not is_known and not (name and employers):
            raise_problem(describe_problem(terms.expected, path) if path else terms.expected)
        if is_known:
            yield ContactQuery(number, tuple(keys), name, None, mailbox)
        if name:
            for _, employer in sorted(employers, key=lambda one: one[0]):
                yield ContactQuery(None, (), name, employer)

    def _employer(self, employer: GivenEmployer, path: ValuePath) -> CompanyQuery:
        if employer.domain is UNSET and employer.name is UNSET:
            raise_problem(describe_problem("must have name or domain", path))
        requested = None
        if employer.domain is not UNSET:
            requested = self._reader.domain(employer.domain, employer.domain_at or (*path, "domain"))
        return self._reader.named_company(employer.name, requested)


def _split(full_name: str, path: ValuePath, *, needed: bool) -> tuple[str, str] | None:
    """Return first and last name if there are both."""
    first, last = split_full_name(full_name)
    if first and last:
        return first, last
    if needed:
        problem = describe_problem("must be a first and a last name", path)
        raise PreconditionFailed(problem, [problem])
    return None


def find_people(
    lookup: RecordLookup, session: Session, items: Sequence[Sequence[ContactQuery]]
) -> list[ContactHit]:
    """Return what each item finds by the first of its queries that finds somebody. At most five statements."""
    hits = iter(lookup.contacts(session, [query for queries in items for query in queries]))
    found = []
    for queries in items:
        own = [next(hits) for _ in queries]
        first = next((hit for hit in own if hit.contact), None)
        found.append(first or ContactHit(None, any(hit.restricted for hit in own)))
    return found


def person_slots(hits: Sequence[ContactHit], *, partial: bool = True) -> list[ResultSlot]:
    """Return the slots of a reveal; without `partial`, people with neither e-mail nor phone are not found."""
    slots = []
    for hit in hits:
        contact = hit.contact
        if contact is None:
            slots.append(ResultSlot(None, RESTRICTED if hit.restricted else NOT_FOUND))
        elif partial or contact.has_emails or contact.has_phones:
            slots.append(ResultSlot(contact.number))
        else:
            slots.append(ResultSlot(None, NOT_FOUND))
    return slots


class RecordFinder:
    """Finder of the records that items of the signals calls identify."""

    def __init__(self, lookup: RecordLookup) -> None:
        self._lookup = lookup
        self._reader = lookup.queries
        self._people = PersonQueryReader(lookup.queries)

    def numbers(self, entity: Entity, ids: Sequence[str], path: str) -> list[int | None]:
        """Return the record number of each id. Raises BadRequest for a malformed one."""
        return [None if one == UNKNOWN else one for one in self._reader.numbers(entity, ids, path)]

    def contacts(self, session: Session, items: Sequence[LegacyContactItem]) -> list[int | None]:
        """Return the number of the contact that each item identifies. At most five statements.

        Raises BadRequest for a malformed or insufficient identifier; PreconditionFailed for a full name without first
        and last name if it is the only identifier.
        """
        queries = [
            self._people.read(_given(item), ("contacts", index), SIGNAL_TERMS)
            for index, item in enumerate(items)
        ]
        hits = find_people(self._lookup, session, queries)
        return [hit.contact.number if hit.contact else None for hit in hits]

    def companies(self, session: Session, items: Sequence[LegacyCompanyItem]) -> list[int | None]:
        """Return the number of the company that each item identifies. Two statements. Raises BadRequest."""
        queries = [self._company(item, ("companies", index)) for index, item in enumerate(items)]
        return [one.number if one else None for one in self._lookup.companies(session, queries)]

    def _company(self, item: LegacyCompanyItem, path: ValuePath) -> CompanyQuery:
        if item.name is UNSET and item.domain is UNSET:
            return self._reader.company(path, id=str(item.id))
        return self._reader.company(path, name=item.name, domain=item.domain)


def _given(item: LegacyContactItem) -> GivenPerson:
    employers = [GivenEmployer(one.name, one.domain, one.is_current) for one in item.companies]
    return GivenPerson(UNSET, item.social_link, item.email, item.full_name, None, employers)


def items_by_key(items: Sequence[T], path: str, key_of: Callable[[T], str], name: str = "id") -> dict[str, T]:
    """Return the items by the caller's key. Raises BadRequest if one key is used for different items."""
    found: dict[str, T] = {}
    for position, item in enumerate(items):
        if found.setdefault(key_of(item), item) != item:
            raise_problem(f"{path}.{position}.{name} must not be the key of another item too")
    return found


def paths_by_key(items: Sequence[T], path: str, key_of: Callable[[T], str]) -> dict[str, ValuePath]:
    """Return where the item of each of the caller's keys stands first."""
    found: dict[str, ValuePath] = {}
    for position, item in enumerate(items):
        found.setdefault(key_of(item), (path, position))
    return found


def given_once(named: Sequence[tuple[str, T | UnsetType]]) -> tuple[str, T] | None:
    """Return the path and value that is given, None without any. Raises BadRequest if several are."""
    given = [(path, value) for path, value in named if not isinstance(value, UnsetType)]
    if len(given) > 1:
        raise_problem(f"{given[1][0]} must not be given twice: it is also in {given[0][0]}")
    return given[0] if given else None
