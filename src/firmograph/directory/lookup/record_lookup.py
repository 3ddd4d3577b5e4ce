"""Lookup of the one record that each query means, for a whole batch in a fixed number of statements.

See docs/reference/lookups.md#identifiers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.choice import choose_candidate
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.company_choice import choose_company, employers_of, keys_of
from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery, QueryReader
from firmograph.directory.store import LookupCompany, LookupContact
from firmograph.security.record_ids import RecordIds


class _Names(msgspec.Struct):
    firstName: str = ""
    lastName: str = ""


_names = msgspec.json.Decoder(_Names).decode


class ContactHit(NamedTuple):
    """Result of a query: the contact, or the reason for its absence."""

    contact: LookupContact | None
    restricted: bool = False
    """Suppressed: `COMPLIANCE_RESTRICTED` rather than `NOT_FOUND`."""


class RecordLookup:
    """Record lookup with at most five statements for contacts and two for companies."""

    def __init__(self, tokens: RecordIds, digests: Digests, threshold: float, margin: float) -> None:
        """`threshold` and `margin` are those of names (`directory/matching.py`)."""
        self.queries = QueryReader(tokens, digests)
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
        """Return the candidate companies of each query."""
        digests = {key for query in queries for key in keys_of(query)}
        by_key = store.company_numbers(session, digests)
        return [employers_of(query, by_key) for query in queries]

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
        return [choose_company(query, by_number, by_key) for query in queries]
