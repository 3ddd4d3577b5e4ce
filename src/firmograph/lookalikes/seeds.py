"""Seeds and exclusions of a lookalike call: their different identifiers, and the records that these name.

See docs/reference/lookalikes.md#seeds. Identifiers are read and counted before any look-up; a malformed one is
refused with its path.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from msgspec import UNSET, UnsetType

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifier_lookup import IdentifierLookup, ListedRecords
from firmograph.directory.lookup.identifiers import (
    COMPANY_PAGE,
    DOMAIN,
    EMAIL,
    ID,
    PROFILE,
    CompanyIdentifiers,
    ContactIdentifiers,
    ValuePath,
    describe_problem,
    raise_problem,
)
from firmograph.directory.lookup.queries import ContactQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.names import fold
from firmograph.directory.shared_hosts import is_page_of_many
from firmograph.lookalikes.shapes import (
    LEAST_SEEDS,
    MOST_EXCLUDED,
    MOST_SEEDS,
    CompanyExclusions,
    CompanySeeds,
    ContactExclusions,
    ContactSeeds,
    NamedContact,
)
from firmograph.security.record_ids import Entity, RecordIds


class Identified(NamedTuple):
    """Different identifiers of seeds or exclusions."""

    forms: Collection[object] = ()
    """Their normal forms, also of those that can name no record."""
    numbers: frozenset[int] = frozenset()
    """Record numbers of ids. Whether they exist is not checked."""
    contacts: ContactIdentifiers = ContactIdentifiers()
    companies: CompanyIdentifiers = CompanyIdentifiers()
    named: Sequence[ContactQuery] = ()

    @property
    def total(self) -> int:
        return len(self.forms)


NOBODY = Identified()


class SeedReader(Protocol):
    """Reader of the seeds and exclusions of contacts or of companies."""

    def read(self, given: Any, path: str) -> Identified:
        """Return the identifiers of an object of lists. Raises BadRequest for a malformed one."""
        ...

    def find(self, session: Session, given: Identified) -> ListedRecords:
        """Return the records that identifiers name; unknown and suppressed ones name none."""
        ...

    def find_excluded(self, session: Session, given: Identified) -> ListedRecords:
        """Return the records that identifiers of exclusions name."""
        ...

    def existing(self, session: Session, numbers: Collection[int]) -> frozenset[int]:
        """Return those of the records that exist."""
        ...


def read_seeds(reader: SeedReader, given: ContactSeeds | CompanySeeds) -> Identified:
    """Return the seeds of a request. Raises BadRequest for too few or too many different identifiers."""
    seeds = reader.read(given, "seeds")
    if not LEAST_SEEDS <= seeds.total <= MOST_SEEDS:
        raise_problem(
            f"seeds must have {LEAST_SEEDS} to {MOST_SEEDS} different identifiers in all; these are {seeds.total}"
        )
    return seeds


def read_exclusions(
    reader: SeedReader, given: ContactExclusions | CompanyExclusions | UnsetType
) -> Identified:
    """Return the exclusions of a request. Raises BadRequest for too many different identifiers."""
    if given is UNSET:
        return NOBODY
    excluded = reader.read(given, "exclude")
    if excluded.total > MOST_EXCLUDED:
        raise_problem(
            f"exclude must have at most {MOST_EXCLUDED} different identifiers in all; these are {excluded.total}"
        )
    return excluded


def find_seeds(session: Session, reader: SeedReader, seeds: Identified, at: str) -> ListedRecords:
    """Return the existing records of seeds, which the request has at a path.

    Raises BadRequest unless at least one is named alone.
    """
    found = _find_existing(session, reader, seeds)
    if not found.unambiguous():
        raise_problem(f"{at} must name at least one known record")
    return found


def find_seed(session: Session, reader: SeedReader, identifiers: Iterable[Identified]) -> ListedRecords:
    """Return the existing record of one seed: that of its first identifier that names one alone.

    Without such an identifier these are the records of an ambiguous one.
    """
    ambiguous = ListedRecords(frozenset(), ())
    for each in identifiers:
        found = _find_existing(session, reader, each)
        if found.unambiguous():
            return found
        if found.every():
            ambiguous = found
    return ambiguous


def _find_existing(session: Session, reader: SeedReader, seeds: Identified) -> ListedRecords:
    found = reader.find(session, seeds)
    return found._replace(by_id=reader.existing(session, found.by_id))


class ContactSeedReader:
    def __init__(self, record_ids: RecordIds, digests: Digests, records: RecordLookup) -> None:
        self._ids = _IdReader(record_ids, Entity.CONTACT)
        self._lists = IdentifierLookup(record_ids, digests)
        self._records = records

    def read(self, given: ContactSeeds | ContactExclusions, path: str) -> Identified:
        ids = self._ids.read((path, "ids"), given.ids) | self._ids.read(
            (path, "contactIds"), given.contact_ids
        )
        emails = EMAIL.parse_each(given.emails or (), (path, "emails"))
        pages = PROFILE.parse_each(given.linkedin_urls or (), (path, "linkedinUrls"))
        named = dict(
            self._read_named(item, (path, "contacts", index))
            for index, item in enumerate(given.contacts or ())
        )
        return Identified(
            (*ids, *emails, *pages, *named),
            _numbers(ids),
            contacts=ContactIdentifiers(emails=emails, linkedin_urls=pages),
            named=list(named.values()),
        )

    def _read_named(self, item: NamedContact, path: ValuePath) -> tuple[object, ContactQuery]:
        """Return the query of a name and company, with its normal form."""
        if item.company_domain is UNSET and item.company_name is UNSET:
            raise_problem(describe_problem("must have companyDomain or companyName", path))
        query = self._records.queries.contact(
            path,
            first_name=item.first_name,
            last_name=item.last_name,
            company_name=item.company_name,
            company_domain=item.company_domain,
        )
        company = query.company
        host = company.domain.held[0] if company and company.domain else item.company_domain
        name = tuple(map(fold, query.name or ()))
        return (name, host, company and company.name_digests), query

    def find(self, session: Session, given: Identified) -> ListedRecords:
        listed = self._lists.contacts(session, given.contacts)
        hits = self._records.contacts(session, given.named) if given.named else ()
        alone = [(hit.contact.number,) for hit in hits if hit.contact]
        return ListedRecords(given.numbers, [*listed.by_key, *alone])

    def find_excluded(self, session: Session, given: Identified) -> ListedRecords:
        return self.find(session, given)

    def existing(self, session: Session, numbers: Collection[int]) -> frozenset[int]:
        return frozenset(store.contacts_by_number(session, numbers)) if numbers else frozenset()


class CompanySeedReader:
    def __init__(self, record_ids: RecordIds, digests: Digests) -> None:
        self._ids = _IdReader(record_ids, Entity.COMPANY)
        self._lists = IdentifierLookup(record_ids, digests)

    def read(self, given: CompanySeeds | CompanyExclusions, path: str) -> Identified:
        ids = self._ids.read((path, "ids"), given.ids)
        domains = given.domains or ()
        hosts = DOMAIN.parse_each(domains, (path, "domains"))
        # a page on a shared host identifies no company, least of all the owner of the host
        of_many = [text for text in domains if is_page_of_many(text)]
        if of_many:
            others = [text for text in domains if text not in of_many]
            hosts = DOMAIN.parse_each(others, (path, "domains"))
        pages = COMPANY_PAGE.parse_each(given.linkedin_urls or (), (path, "linkedinUrls"))
        return Identified(
            (*ids, *hosts, *{text.casefold() for text in of_many}, *pages),
            _numbers(ids),
            companies=CompanyIdentifiers(domains=hosts, linkedin_urls=pages),
        )

    def find(self, session: Session, given: Identified) -> ListedRecords:
        return self._lists.companies(session, given.companies)._replace(by_id=given.numbers)

    def find_excluded(self, session: Session, given: Identified) -> ListedRecords:
        return self._lists.excluded_companies(session, given.companies)._replace(by_id=given.numbers)

    def existing(self, session: Session, numbers: Collection[int]) -> frozenset[int]:
        return frozenset(store.companies_by_number(session, numbers)) if numbers else frozenset()


class SeedReaders(NamedTuple):
    """Readers of both kinds of records."""

    contacts: ContactSeedReader
    companies: CompanySeedReader

    def of(self, entity: Entity) -> SeedReader:
        return self.contacts if entity is Entity.CONTACT else self.companies


class _IdReader:
    """Reader of ids: tokens, and legacy numbers as digits or integers."""

    def __init__(self, record_ids: RecordIds, entity: Entity) -> None:
        self._record_ids = record_ids
        self._entity = entity

    def read(self, path: ValuePath, values: Sequence[int | str] | UnsetType) -> set[int | str]:
        """Return the record numbers of ids, and the texts of those that are no record's.

        Raises BadRequest with the path for a malformed one.
        """
        texts = ID.parse_each([str(value) for value in values or ()], path)
        numbers = ((text, self._record_ids.open(self._entity, text)) for text in texts)
        return {text.lstrip("0") if number is None else number for text, number in numbers}


def _numbers(ids: Collection[int | str]) -> frozenset[int]:
    return frozenset(id for id in ids if isinstance(id, int))
