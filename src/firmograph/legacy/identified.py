"""Translation of legacy search items to current record lookups.

See docs/reference/legacy.md#signals-calls.

A person is looked up by `social_link`, then `email`, then `full_name` at each of the companies, current ones first; the
first match wins. The `id` of an item is the caller's own key; a company is looked up by it only if it has no other
identifier.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from firmograph.database.connection import Session
from firmograph.directory.names import split_full_name
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.enrichment import shapes as current
from firmograph.enrichment.identifiers import QueryReader
from firmograph.enrichment.lookup import Lookup
from firmograph.kit.errors import BadRequest, PreconditionFailed
from firmograph.legacy.signal_shapes import LegacyCompanyItem, LegacyContactItem, LegacyEmployer


class RecordFinder:
    """Finder of the records that items identify."""

    def __init__(self, query_reader: QueryReader, lookup: Lookup) -> None:
        self._query_reader = query_reader
        self._lookup = lookup

    def contacts(self, session: Session, items: Sequence[LegacyContactItem]) -> list[int | None]:
        """Return the number of the contact that each item identifies. At most five statements.

        Raises BadRequest for a malformed or insufficient identifier; PreconditionFailed for a full name without first
        and last name if it is the only identifier.
        """
        queries: list[current.ContactItem] = []
        item_indexes: list[int] = []
        for index, item in enumerate(items):
            for one in _query_items(item, f"contacts.{index}"):
                queries.append(one)
                item_indexes.append(index)
        hits = self._lookup.contacts(session, self._query_reader.contacts(queries))
        found: list[int | None] = [None] * len(items)
        for index, hit in zip(item_indexes, hits, strict=True):
            if found[index] is None and hit.contact is not None:
                found[index] = hit.contact.number
        return found

    def companies(self, session: Session, items: Sequence[LegacyCompanyItem]) -> list[int | None]:
        """Return the number of the company that each item identifies. Two statements. Raises BadRequest."""
        queries = self._query_reader.companies([_company(item) for item in items])
        return [one.number if one else None for one in self._lookup.companies(session, queries)]


def _company(item: LegacyCompanyItem) -> current.CompanyItem:
    if item.name is UNSET and item.domain is UNSET:
        return current.CompanyItem(id=item.id)
    return current.CompanyItem(name=item.name, domain=item.domain)


def _query_items(item: LegacyContactItem, path: str) -> Iterator[current.ContactItem]:
    """Yield the lookups for an item, in order; each has at most one employer."""
    exact = item.social_link is not UNSET or item.email is not UNSET
    _check_item(item, path)
    employers = sorted(item.companies, key=lambda company: not company.is_current)
    name = _name(item, path, needed=not exact and bool(employers))
    if not exact and not (name and employers):
        problem = f"{path} must have social_link, email, or full_name with companies"
        raise BadRequest(problem, [problem])
    if exact:
        yield _with_name(current.ContactItem(linkedin_url=item.social_link, email=item.email), name, None)
    if name:
        yield from (_with_name(current.ContactItem(), name, employer) for employer in employers)


def _with_name(
    query: current.ContactItem, name: tuple[str, str] | None, employer: LegacyEmployer | None
) -> current.ContactItem:
    if name:
        query.first_name, query.last_name = name
    if employer:
        query.company_name, query.company_domain = employer.name, employer.domain
    return query


def _name(item: LegacyContactItem, path: str, *, needed: bool) -> tuple[str, str] | None:
    """Return first and last name if there are both."""
    if item.full_name is UNSET:
        return None
    first, last = split_full_name(item.full_name)
    if first and last:
        return first, last
    if needed:
        problem = f"{path}.full_name must be a first and a last name"
        raise PreconditionFailed(problem, [problem])
    return None


def _check_item(item: LegacyContactItem, path: str) -> None:
    """Raise BadRequest, with its path, for a malformed identifier."""
    problem = ""
    if item.social_link is not UNSET and linkedin_slug(item.social_link, "in", bare=False) is None:
        problem = (
            f"{path}.social_link must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe"
        )
    elif item.email is not UNSET and normalise_email(item.email) is None:
        problem = f"{path}.email must be an email"
    for index, employer in enumerate(item.companies):
        if employer.domain is not UNSET and host_of(employer.domain) is None:
            problem = problem or f"{path}.companies.{index}.domain must be a domain such as example.com"
        elif employer.domain is UNSET and employer.name is UNSET:
            problem = problem or f"{path}.companies.{index} must have name or domain"
    if problem:
        raise BadRequest(problem, [problem])
