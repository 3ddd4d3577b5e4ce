"""People in posts: resolution to stored contacts, and suppression.

See docs/reference/signals.md#suppressed-people.
"""

from collections.abc import Collection
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_key, split_full_name, stored_blocking_keys
from firmograph.directory.records import CompanyRef, Contact
from firmograph.ingest.merging import store
from firmograph.security.record_ids import Entity
from firmograph.signals.posts.analysis import number_digest


class PersonRef(NamedTuple):
    """A person as a post names them: by a LinkedIn page, or by name and employer."""

    name: str
    slug: str
    """Canonical, `in/jane-doe`; `""` where no page is named."""
    employer: int | None = None
    """Its record number, None if it is unknown."""
    employer_names: tuple[str, ...] = ()
    """Every name and domain of the employer, from the post and from its record."""


class MatchedContact(NamedTuple):
    """The stored contact of a person in a post."""

    number: int
    name: str
    employer: int | None
    former: list[CompanyRef]
    """Previous employers."""


class PostPeople:
    """The people in the posts of one commit.

    A LinkedIn page decides alone. Without one, exactly one contact of the employer must have the full name; suppression
    and erasure then apply to everybody of that name at the employer, because nothing identifies the person further.
    """

    def __init__(
        self, session: Session, digests: Digests, people: Collection[PersonRef], pages: Collection[str] = ()
    ) -> None:
        """Load contacts and suppression of people, and suppression alone of `pages`; five statements at most."""
        self._digests = digests
        keys = {key for each in people for key in self._keys(each)}
        self._holders = store.find_by_keys(session, Entity.CONTACT, keys)
        numbers = sorted({number for numbers in self._holders.values() for number in numbers})
        stored = store.read_contact_parts(session, numbers)
        self._contacts = {
            number: (decode_contact(parts), company) for number, (company, parts) in stored.items()
        }
        self._suppressed_pages: set[bytes] = set()
        self._suppressed_names: set[bytes] = set()
        if store.has_suppressions(session):
            strong = {digests.contact_linkedin(slug) for slug in (*pages, *(each.slug for each in people))}
            self._suppressed_pages = store.suppressed_keys(session, strong, strong=True)
            weak = {key for each in people for key in self._name_keys(each)}
            self._suppressed_names = store.suppressed_keys(session, weak, strong=False)

    def find_contact(self, person: PersonRef) -> MatchedContact | None:
        """Return the stored contact of a person, if exactly one matches."""
        found = {number for key in self._keys(person) for number in self._holders.get(key, ())}
        if not person.slug:
            found = {number for number in found if self._is_named(number, person)}
        if not found or (len(found) > 1 and not person.slug):
            return None
        number = min(found)
        record, company = self._contacts[number]
        return MatchedContact(
            number, _full_name(record), company, [job.company for job in record.previous_employment]
        )

    def digests(self, person: PersonRef) -> set[bytes]:
        """Return the digests by which suppression and restores find a person."""
        contact = self.find_contact(person)
        number = {number_digest(self._digests, contact.number)} if contact else set()
        return number.union(self._keys(person), self._name_keys(person))

    def is_suppressed(self, person: PersonRef) -> bool:
        if person.slug:
            return self.is_page_suppressed(person.slug)
        return not self._suppressed_names.isdisjoint(self._name_keys(person))

    def is_page_suppressed(self, slug: str) -> bool:
        return self._digests.contact_linkedin(slug) in self._suppressed_pages

    def _keys(self, person: PersonRef) -> list[bytes]:
        """Return the keys of a person under which contacts are stored."""
        if person.slug:
            return [self._digests.contact_linkedin(person.slug)]
        if person.employer is None:
            return []
        blocks = stored_blocking_keys(*split_full_name(person.name))
        return [self._digests.contact_name(person.employer, block) for block in blocks]

    def _name_keys(self, person: PersonRef) -> set[bytes]:
        """Return the suppression keys of name and employer, none for a person with a page."""
        if person.slug:
            return set()
        name = _name_key(person.name)
        companies = {form for each in person.employer_names for form in (*company_keys(each), each) if form}
        return {self._digests.contact_name_company(name, company) for company in companies}

    def _is_named(self, number: int, person: PersonRef) -> bool:
        record, company = self._contacts[number]
        name = full_name_key(record.first_name or "", record.last_name or "")
        return company == person.employer and name == _name_key(person.name)


def _name_key(name: str) -> str:
    return full_name_key(*split_full_name(name))


def _full_name(record: Contact) -> str:
    return record.full_name or " ".join(part for part in (record.first_name, record.last_name) if part)
