"""Translation of legacy search items to current record lookups.

See docs/reference/legacy.md#signals-calls.

A person is looked up by `social_link`, then `email`, then `full_name` at each of the companies, current ones first; the
first match wins. The `id` of an item is the caller's own key; a company is looked up by it only if it has no other
identifier.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from firmograph.database.connection import Session
from firmograph.directory.lookup.identifiers import ValuePath, describe_problem, raise_problem
from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.names import split_full_name
from firmograph.kit.errors import PreconditionFailed
from firmograph.legacy.signal_shapes import LegacyCompanyItem, LegacyContactItem, LegacyEmployer


class RecordFinder:
    """Finder of the records that items identify."""

    def __init__(self, lookup: RecordLookup) -> None:
        self._lookup = lookup
        self._reader = lookup.queries

    def contacts(self, session: Session, items: Sequence[LegacyContactItem]) -> list[int | None]:
        """Return the number of the contact that each item identifies. At most five statements.

        Raises BadRequest for a malformed or insufficient identifier; PreconditionFailed for a full name without first
        and last name if it is the only identifier.
        """
        queries: list[ContactQuery] = []
        item_indexes: list[int] = []
        for index, item in enumerate(items):
            for one in self._contact(item, ("contacts", index)):
                queries.append(one)
                item_indexes.append(index)
        hits = self._lookup.contacts(session, queries)
        found: list[int | None] = [None] * len(items)
        for index, hit in zip(item_indexes, hits, strict=True):
            if found[index] is None and hit.contact is not None:
                found[index] = hit.contact.number
        return found

    def companies(self, session: Session, items: Sequence[LegacyCompanyItem]) -> list[int | None]:
        """Return the number of the company that each item identifies. Two statements. Raises BadRequest."""
        queries = [self._company(item, ("companies", index)) for index, item in enumerate(items)]
        return [one.number if one else None for one in self._lookup.companies(session, queries)]

    def _company(self, item: LegacyCompanyItem, path: ValuePath) -> CompanyQuery:
        if item.name is UNSET and item.domain is UNSET:
            return self._reader.company(path, id=item.id)
        return self._reader.company(path, name=item.name, domain=item.domain)

    def _contact(self, item: LegacyContactItem, path: ValuePath) -> Iterator[ContactQuery]:
        """Yield the queries for an item, in order; each has at most one employer."""
        keys = []
        if item.social_link is not UNSET:
            keys.append(self._reader.profile(item.social_link, (*path, "social_link")))
        if item.email is not UNSET:
            keys.append(self._reader.email(item.email, (*path, "email")))
        employers = [
            (not one.is_current, self._employer(one, (*path, "companies", index)))
            for index, one in enumerate(item.companies)
        ]
        name = _name(item, path, needed=not keys and bool(employers))
        if not keys and not (name and employers):
            raise_problem(describe_problem("must have social_link, email, or full_name with companies", path))
        if keys:
            yield ContactQuery(None, tuple(keys), name, None)
        if name:
            for _, employer in sorted(employers, key=lambda one: one[0]):
                yield ContactQuery(None, (), name, employer)

    def _employer(self, employer: LegacyEmployer, path: ValuePath) -> CompanyQuery:
        if employer.domain is UNSET and employer.name is UNSET:
            raise_problem(describe_problem("must have name or domain", path))
        return self._reader.company(path, name=employer.name, domain=employer.domain)


def _name(item: LegacyContactItem, path: ValuePath, *, needed: bool) -> tuple[str, str] | None:
    """Return first and last name if there are both."""
    if item.full_name is UNSET:
        return None
    first, last = split_full_name(item.full_name)
    if first and last:
        return first, last
    if needed:
        problem = describe_problem("must be a first and a last name", (*path, "full_name"))
        raise PreconditionFailed(problem, [problem])
    return None
