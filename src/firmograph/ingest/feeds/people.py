"""PostPeople whom posts name, resolved to held contacts, and kept out where they are suppressed.

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
from firmograph.signals.posts import number_digest


class PersonRef(NamedTuple):
    """A person as a post names them, by a LinkedIn page or by name and employer."""

    name: str
    slug: str
    """Canonical, `in/jane-doe`; `""` where no page is named."""
    employer: int | None = None
    """Its record's number, where it is held."""
    employer_names: tuple[str, ...] = ()
    """Every name and domain of the employer: as the post has it, and as its record does."""


class MatchedContact(NamedTuple):
    """The held contact that is meant."""

    number: int
    name: str
    employer: int | None
    former: list[CompanyRef]
    """Employers before."""


class PostPeople:
    """The people of one commit.

    A LinkedIn page decides alone. Without one, exactly one contact of the employer must have the whole name; and such
    a person is kept out and erased with everybody of that name there, as nothing tells which of them is meant.
    """

    def __init__(
        self, session: Session, digests: Digests, asked: Collection[PersonRef], pages: Collection[str] = ()
    ) -> None:
        """Everybody who is to be asked about, and slugs of which only suppression is. Five statements at most."""
        self._digests = digests
        keys = {key for each in asked for key in self._keys(each)}
        self._holders = store.find_records(session, Entity.CONTACT, keys)
        numbers = sorted({number for numbers in self._holders.values() for number in numbers})
        held = store.read_contact_parts(session, numbers)
        self._contacts = {number: (decode_contact(some), company) for number, (company, some) in held.items()}
        self._suppressed_pages: set[bytes] = set()
        self._suppressed_names: set[bytes] = set()
        if store.has_suppressions(session):
            strong = {digests.contact_linkedin(slug) for slug in (*pages, *(each.slug for each in asked))}
            self._suppressed_pages = store.suppressed_keys(session, strong, strong=True)
            weak = {key for each in asked for key in self._weak(each)}
            self._suppressed_names = store.suppressed_keys(session, weak, strong=False)

    def known(self, asked: PersonRef) -> MatchedContact | None:
        """The held contact that is meant, if any."""
        found = {number for key in self._keys(asked) for number in self._holders.get(key, ())}
        if not asked.slug:
            found = {number for number in found if self._is_named(number, asked)}
        if not found or (len(found) > 1 and not asked.slug):
            return None
        number = min(found)
        record, company = self._contacts[number]
        return MatchedContact(
            number, _full_name(record), company, [job.company for job in record.previous_employment]
        )

    def digests(self, asked: PersonRef) -> set[bytes]:
        """By which suppression, and restores, find the person again."""
        known = self.known(asked)
        number = {number_digest(self._digests, known.number)} if known else set()
        return number.union(self._keys(asked), self._weak(asked))

    def is_suppressed(self, asked: PersonRef) -> bool:
        if asked.slug:
            return self.is_page_suppressed(asked.slug)
        return not self._suppressed_names.isdisjoint(self._weak(asked))

    def is_page_suppressed(self, slug: str) -> bool:
        return self._digests.contact_linkedin(slug) in self._suppressed_pages

    def _keys(self, asked: PersonRef) -> list[bytes]:
        """Those that contacts are held under."""
        if asked.slug:
            return [self._digests.contact_linkedin(asked.slug)]
        if asked.employer is None:
            return []
        blocks = stored_blocking_keys(*split_full_name(asked.name))
        return [self._digests.contact_name(asked.employer, block) for block in blocks]

    def _weak(self, asked: PersonRef) -> set[bytes]:
        """Of the name at its employer, as suppression has it; for who has no page alone."""
        if asked.slug:
            return set()
        name = _name_key(asked.name)
        companies = {form for each in asked.employer_names for form in (*company_keys(each), each) if form}
        return {self._digests.contact_name_company(name, company) for company in companies}

    def _is_named(self, number: int, asked: PersonRef) -> bool:
        record, company = self._contacts[number]
        name = full_name_key(record.first_name or "", record.last_name or "")
        return company == asked.employer and name == _name_key(asked.name)


def _name_key(name: str) -> str:
    return full_name_key(*split_full_name(name))


def _full_name(record: Contact) -> str:
    return record.full_name or " ".join(part for part in (record.first_name, record.last_name) if part)
