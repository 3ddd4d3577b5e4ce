"""Choice of the company that a query means among those with its keys."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from firmograph.directory.host_keys import HostKeys
from firmograph.directory.lookup.queries import CompanyQuery
from firmograph.directory.names import fold
from firmograph.directory.store import LookupCompany

MOST_EMPLOYERS: Final = 50
"""Limit of companies of one name at which a contact is searched; beyond it the name finds nobody."""


C = TypeVar("C")


class _Named(msgspec.Struct):
    name: str = ""
    domain: str = ""


_named = msgspec.json.Decoder(_Named).decode


def keys_of(query: CompanyQuery) -> tuple[bytes, ...]:
    linkedin = () if query.linkedin is None else (query.linkedin,)
    domain = query.domain.all() if query.domain else ()
    return (*domain, *linkedin, *query.name_digests, *query.loose_digests)


def employers_of(query: CompanyQuery, by_key: Mapping[bytes, Sequence[int]]) -> list[int]:
    """Return the candidate employers: by domain, else LinkedIn page, else name; the first that finds any decides."""
    linkedin = by_key.get(query.linkedin, ()) if query.linkedin is not None else ()
    named = {number for key in query.name_digests for number in by_key.get(key, ())}
    for numbers in (query.domain.employers(by_key) if query.domain else (), linkedin, named):
        if numbers:
            return sorted(set(numbers)) if len(set(numbers)) <= MOST_EMPLOYERS else []
    loosely = {number for key in query.loose_digests for number in by_key.get(key, ())}
    return sorted(loosely) if len(loosely) == 1 else []


def choose_company(
    query: CompanyQuery,
    by_number: Mapping[int, LookupCompany],
    by_key: Mapping[bytes, Sequence[LookupCompany]],
) -> LookupCompany | None:
    """Return the company that the first identifier with one finds."""
    if query.number is not None and query.number in by_number:
        return by_number[query.number]
    if query.domain is not None and (company := company_of_domain(query.domain, by_key)):
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


def needs_likeness(query: CompanyQuery, by_key: Mapping[bytes, Sequence[object]]) -> bool:
    """Return whether a company is asked for by its name alone, and no company has a key of it."""
    has_other = not (query.number is None and query.domain is None and query.linkedin is None)
    return query.name != "" and not has_other and not any(by_key.get(key) for key in keys_of(query))


def company_of_domain(domain: HostKeys, by_key: Mapping[bytes, Sequence[C]]) -> C | None:
    """Return the company of a host: the holder of a domain, or the only one that has it as another domain."""
    held = next((by_key[key] for key, _ in domain.held[:1] if by_key.get(key)), None)
    if held:
        return held[0]
    companies = domain.answer(by_key)
    return companies[0] if len(companies) == 1 else None


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
