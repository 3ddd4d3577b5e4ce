"""Lookup of the one record that each query means, for a whole batch in a fixed number of statements.

See docs/reference/lookups.md#identifiers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.company_choice import choose_company, keys_of
from firmograph.directory.lookup.like_companies import CompaniesByLikeness, LikeNames
from firmograph.directory.lookup.people_by_name import PeopleByName
from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery, QueryReader
from firmograph.directory.store import LookupCompany, LookupContact
from firmograph.security.record_ids import RecordIds


class ContactHit(NamedTuple):
    """Result of a query: the contact, or the reason for its absence."""

    contact: LookupContact | None
    restricted: bool = False
    """Suppressed: `COMPLIANCE_RESTRICTED` rather than `NOT_FOUND`."""


class RecordLookup:
    """Record lookup with at most eight statements for contacts and four for companies."""

    def __init__(
        self,
        tokens: RecordIds,
        digests: Digests,
        threshold: float,
        margin: float,
        like_names: LikeNames | None = None,
    ) -> None:
        """`threshold` and `margin` are those of people's names (`directory/matching.py`).

        Without `like_names`, which a server sets, companies are found by equal keys alone.
        """
        self.queries = QueryReader(tokens, digests)
        self._digests = digests
        self.like_companies = CompaniesByLikeness(like_names)
        self.people = PeopleByName(digests, threshold, margin, self.like_companies)

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
            by_name = self.people.find(session, [queries[index] for index in named]) if named else []
            for index, match in zip(named, by_name, strict=True):
                found[index] = match.contact
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
                contact = holders[0] if len(holders) == 1 else self.people.match(query, holders).contact
                if contact is not None:
                    return contact
        return None

    def _strong(self, query: ContactQuery) -> list[bytes]:
        number = query.number
        return [
            *query.keys,
            *query.mailbox,
            *([self._digests.contact_id(number)] if number is not None else []),
        ]

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
        keys = {key for query in queries for key in keys_of(query)}
        by_key = store.companies_by_key(session, keys) if keys else {}
        found = [choose_company(query, by_number, by_key) for query in queries]
        if alike := self.like_companies.find(session, queries, by_key):
            companies = store.companies_by_number(session, set(alike.values()))
            for place, number in alike.items():
                found[place] = companies.get(number)
        return found
