"""Choice of the company that a query means among those with its keys."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from firmograph.directory.lookup.queries import CompanyQuery, Domain
from firmograph.directory.names import fold
from firmograph.directory.store import LookupCompany

MOST_EMPLOYERS: Final = 50
"""Limit of companies of one name at which a contact is searched; beyond it the name finds nobody."""


class _Named(msgspec.Struct):
    name: str = ""
    domain: str = ""


_named = msgspec.json.Decoder(_Named).decode


def _domain_keys(domain: Domain | None) -> tuple[bytes, ...]:
    return (domain.host_digest, *domain.domain_digests) if domain else ()


def keys_of(query: CompanyQuery) -> tuple[bytes, ...]:
    linkedin = () if query.linkedin is None else (query.linkedin,)
    return (*_domain_keys(query.domain), *linkedin, *query.name_digests, *query.loose_digests)


def employers_of(query: CompanyQuery, by_key: Mapping[bytes, Sequence[int]]) -> list[int]:
    """Return the candidate employers: by exact host, else registrable domain, else LinkedIn page, else name."""
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
    if query.linkedin is not None:
        groups.append((query.linkedin,))
    return [*groups, query.name_digests]


def choose_company(
    query: CompanyQuery,
    by_number: Mapping[int, LookupCompany],
    by_key: Mapping[bytes, Sequence[LookupCompany]],
) -> LookupCompany | None:
    """Return the company that the first identifier with one finds."""
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


def _of_domain(domain: Domain, by_key: Mapping[bytes, Sequence[LookupCompany]]) -> LookupCompany | None:
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
