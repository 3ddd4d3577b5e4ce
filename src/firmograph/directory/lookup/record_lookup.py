"""Lookup of the one record that each query means, for a whole batch in a fixed number of statements.

See docs/reference/lookups.md#identifiers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.company_choice import choose_company, employers_of, keys_of, needs_likeness
from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery, QueryReader
from firmograph.directory.matching import choose_candidate, rank_candidates
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


class LikeNames(Protocol):
    """Search for companies by names alike, for names whose key no company has."""

    def find(self, session: Session, names: Sequence[str]) -> list[int | None]:
        """Return the number of the company that each name means, None where none or several may be meant."""
        ...


class RecordLookup:
    """Record lookup with at most six statements for contacts and four for companies."""

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
        self._threshold = threshold
        self._margin = margin
        self.like_names = like_names

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
        number = choose_candidate(query.name, _named(by_number.values()), self._threshold, self._margin)
        return by_number[number] if number is not None else None

    def _by_name(self, session: Session, queries: Sequence[ContactQuery]) -> list[LookupContact | None]:
        candidates = self._candidates(session, queries)
        return [self._fitting(query, some) for query, some in zip(queries, candidates, strict=True)]

    def named_contacts(self, session: Session, query: ContactQuery) -> list[int]:
        """Return every contact at the company of a query whose name scores enough, best first."""
        if query.name is None:
            return []
        (candidates,) = self._candidates(session, [query])
        ranked = rank_candidates(query.name, _named(candidates))
        return [number for number, score in ranked if score >= self._threshold]

    def _candidates(self, session: Session, queries: Sequence[ContactQuery]) -> list[list[LookupContact]]:
        """Return the contacts at the companies of queries whose names may be those asked for."""
        employers = self._employers(session, [query.company for query in queries if query.company])
        blocks = [
            [self._digests.contact_name(company, block) for company in companies for block in query.blocks()]
            for query, companies in zip(queries, employers, strict=True)
        ]
        keys = {key for keys in blocks for key in keys}
        by_key = store.contacts_by_key(session, keys) if keys else {}
        return [[contact for key in keys for contact in by_key.get(key, ())] for keys in blocks]

    def _employers(self, session: Session, queries: Sequence[CompanyQuery]) -> list[list[int]]:
        """Return the candidate companies of each query."""
        digests = {key for query in queries for key in keys_of(query)}
        by_key = store.company_numbers(session, digests)
        found = [employers_of(query, by_key) for query in queries]
        for place, number in self._alike(session, queries, by_key).items():
            found[place] = [number]
        return found

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
        if alike := self._alike(session, queries, by_key):
            companies = store.companies_by_number(session, set(alike.values()))
            for place, number in alike.items():
                found[place] = companies.get(number)
        return found

    def _alike(
        self, session: Session, queries: Sequence[CompanyQuery], by_key: Mapping[bytes, Sequence[object]]
    ) -> dict[int, int]:
        """Return the company by a name alike for each place of a query that has a name alone, whose keys nobody has."""
        places = [place for place, query in enumerate(queries) if needs_likeness(query, by_key)]
        if not places or self.like_names is None:
            return {}
        numbers = self.like_names.find(session, [queries[place].name for place in places])
        return {place: number for place, number in zip(places, numbers, strict=True) if number is not None}


def _named(contacts: Iterable[LookupContact]) -> list[tuple[int, str, str]]:
    """Return number, first and last name of contacts."""
    named = []
    for contact in contacts:
        names = _names(contact.preview)
        named.append((contact.number, names.firstName, names.lastName))
    return named
