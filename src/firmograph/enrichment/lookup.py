"""Lookup of records by queries, for a whole batch in a fixed number of statements.

See docs/reference/lookups.md#identifiers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.matching import choose_candidate
from firmograph.directory.names import fold
from firmograph.directory.store import LookupCompany, LookupContact
from firmograph.enrichment.identifiers import CompanyQuery, ContactQuery, Domain

MOST_EMPLOYERS = 50
"""Limit of companies of one name at which a contact is searched; beyond it the name finds nobody."""


class _Names(msgspec.Struct):
    firstName: str = ""
    lastName: str = ""


class _Named(msgspec.Struct):
    name: str = ""
    domain: str = ""


_names = msgspec.json.Decoder(_Names).decode
_named = msgspec.json.Decoder(_Named).decode


class ContactHit(NamedTuple):
    """Result of a query: the contact, or the reason for its absence."""

    contact: LookupContact | None
    restricted: bool = False
    """Suppressed: `COMPLIANCE_RESTRICTED` rather than `NOT_FOUND`."""


class Lookup:
    """Record lookup with at most five statements for contacts and two for companies."""

    def __init__(self, digests: Digests, threshold: float, margin: float) -> None:
        self._digests = digests
        self._threshold = threshold
        self._margin = margin

    # --- contacts ---

    def contacts(self, session: Session, queries: Sequence[ContactQuery]) -> list[ContactHit]:
        numbers = {query.number for query in queries if query.number is not None}
        by_number = store.contacts_by_number(session, numbers) if numbers else {}
        keys = {key for query in queries for key in query.keys}
        by_key = store.contacts_by_key(session, keys) if keys else {}
        found = [self._by_exact(query, by_number, by_key) for query in queries]
        missed = [index for index, contact in enumerate(found) if contact is None]
        if missed:
            named = [index for index in missed if queries[index].company is not None]
            by_name = self._by_name(session, [queries[index] for index in named]) if named else []
            for index, contact in zip(named, by_name, strict=True):
                found[index] = contact
        lost = [query for query, contact in zip(queries, found, strict=True) if contact is None]
        restricted = self._restricted(session, lost) if lost else set()
        return [
            ContactHit(contact, contact is None and not restricted.isdisjoint(self._strong(query)))
            if restricted
            else ContactHit(contact)
            for query, contact in zip(queries, found, strict=True)
        ]

    def _by_exact(
        self,
        query: ContactQuery,
        by_number: dict[int, LookupContact],
        by_key: dict[bytes, list[LookupContact]],
    ) -> LookupContact | None:
        if query.number is not None and query.number in by_number:
            return by_number[query.number]
        for key in query.keys:
            holders = by_key.get(key)
            if holders:
                contact = holders[0] if len(holders) == 1 else self._fitting(query, holders)
                if contact is not None:
                    return contact
        return None

    def _fitting(self, query: ContactQuery, candidates: Iterable[LookupContact]) -> LookupContact | None:
        """Return the candidate with the given name, if any."""
        if query.name is None:
            return None
        by_number = {contact.number: contact for contact in candidates}
        named = []
        for contact in by_number.values():
            names = _names(contact.preview)
            named.append((contact.number, names.firstName, names.lastName))
        number = choose_candidate(query.name, named, self._threshold, self._margin)
        return by_number[number] if number is not None else None

    def _by_name(self, session: Session, queries: Sequence[ContactQuery]) -> list[LookupContact | None]:
        employers = self._employers(session, [query.company for query in queries if query.company])
        blocks = [
            [self._digests.contact_name(company, block) for company in companies for block in query.blocks()]
            for query, companies in zip(queries, employers, strict=True)
        ]
        keys = {key for keys in blocks for key in keys}
        by_key = store.contacts_by_key(session, keys) if keys else {}
        return [
            self._fitting(query, (contact for key in keys for contact in by_key.get(key, ())))
            for query, keys in zip(queries, blocks, strict=True)
        ]

    def _employers(self, session: Session, queries: Sequence[CompanyQuery]) -> list[list[int]]:
        """Return the candidate companies of each query: by exact host, else registrable domain, else name."""
        digests = {key for query in queries for key in _company_keys(query)}
        by_key = store.company_numbers(session, digests)
        return [_employers_of(query, by_key) for query in queries]

    def _strong(self, query: ContactQuery) -> list[bytes]:
        number = query.number
        return [*query.keys, *([self._digests.contact_id(number)] if number is not None else [])]

    def _restricted(self, session: Session, queries: Sequence[ContactQuery]) -> set[bytes]:
        return store.suppressed_digests(session, {key for query in queries for key in self._strong(query)})

    def restricted_numbers(self, session: Session, numbers: Iterable[int]) -> set[int]:
        """Return the suppressed ones among record numbers."""
        digests = {self._digests.contact_id(number): number for number in numbers}
        return {digests[digest] for digest in store.suppressed_digests(session, digests)}

    # --- companies ---

    def companies(self, session: Session, queries: Sequence[CompanyQuery]) -> list[LookupCompany | None]:
        numbers = {query.number for query in queries if query.number is not None}
        by_number = store.companies_by_number(session, numbers) if numbers else {}
        keys = {key for query in queries for key in _company_keys(query)}
        by_key = store.companies_by_key(session, keys) if keys else {}
        return [_company(query, by_number, by_key) for query in queries]


def _domain_keys(domain: Domain | None) -> tuple[bytes, ...]:
    return (domain.host_digest, *domain.domain_digests) if domain else ()


def _company_keys(query: CompanyQuery) -> tuple[bytes, ...]:
    linkedin = () if query.linkedin is None else (query.linkedin,)
    return (*_domain_keys(query.domain), *linkedin, *query.name_digests, *query.loose_digests)


def _employers_of(query: CompanyQuery, by_key: dict[bytes, list[int]]) -> list[int]:
    for group in _key_groups(query):
        numbers = {number for key in group for number in by_key.get(key, ())}
        if numbers:
            return sorted(numbers) if len(numbers) <= MOST_EMPLOYERS else []
    loosely = {number for key in query.loose_digests for number in by_key.get(key, ())}
    return sorted(loosely) if len(loosely) == 1 else []


def _key_groups(query: CompanyQuery) -> list[tuple[bytes, ...]]:
    """Return groups of keys to try in order; the first group that finds a company decides."""
    domain = query.domain
    groups = [(domain.host_digest,), domain.domain_digests] if domain else []
    return [*groups, query.name_digests]


def _company(
    query: CompanyQuery, by_number: dict[int, LookupCompany], by_key: dict[bytes, list[LookupCompany]]
) -> LookupCompany | None:
    if query.number is not None and query.number in by_number:
        return by_number[query.number]
    if query.domain is not None:
        companies = by_key.get(query.domain.host_digest)
        if companies:
            return companies[0]
        company = _of_domain(query.domain, by_key)
        if company is not None:
            return company
    if query.linkedin is not None and by_key.get(query.linkedin):
        return by_key[query.linkedin][0]
    for key in query.name_digests:
        company = _one_of(by_key.get(key, []), query.name)
        if company is not None:
            return company
    if any(by_key.get(key) for key in query.name_digests):
        return None
    loosely = {one.number: one for key in query.loose_digests for one in by_key.get(key, ())}
    return next(iter(loosely.values())) if len(loosely) == 1 else None


def _of_domain(domain: Domain, by_key: dict[bytes, list[LookupCompany]]) -> LookupCompany | None:
    """Return the company of a registrable domain: the only one, or that of the requested host or one above it."""
    companies = {company.number: company for key in domain.domain_digests for company in by_key.get(key, [])}
    if len(companies) == 1:
        return next(iter(companies.values()))
    over = [one for one in companies.values() if f".{domain.host}".endswith(f".{_named(one.preview).domain}")]
    return over[0] if len(over) == 1 else None


def _one_of(companies: Sequence[LookupCompany], name: str) -> LookupCompany | None:
    """Return the company of a name: the only one, else the only one with that spelling, else the only complete one."""
    if len(companies) == 1:
        return companies[0]
    folded = fold(name)
    for group in (
        [one for one in companies if fold(_named(one.preview).name) == folded],
        [one for one in companies if not one.partial],
    ):
        if len(group) == 1:
            return group[0]
    return None
