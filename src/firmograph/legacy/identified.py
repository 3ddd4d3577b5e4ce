"""The items of legacy searches, as the look-ups of the current generation take them (wire-b 2).

A person is looked for by `social_link`, then `email`, then `full_name` at each of the companies, the current ones
first; the first that resolves decides. The `id` of an item is the caller's own key; only a company that nothing else
names is looked for by it.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from firmograph.database.connection import Session
from firmograph.directory.names import split_full_name
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.enrichment import shapes as current
from firmograph.enrichment.identify import Identifier
from firmograph.enrichment.lookup import Lookup
from firmograph.kit.errors import BadRequest, PreconditionFailed
from firmograph.legacy.signal_shapes import LegacyCompanyItem, LegacyContactItem, LegacyEmployer


class Identified:
    """Finds the records that items mean."""

    def __init__(self, identifier: Identifier, lookup: Lookup) -> None:
        self._identifier = identifier
        self._lookup = lookup

    def contacts(self, session: Session, items: Sequence[LegacyContactItem]) -> list[int | None]:
        """The number of the contact that each item means. At most five statements.

        Raises BadRequest for an identifier that is malformed, or none that suffices; PreconditionFailed for a full name
        that is the only one and has no first and last name in it (specification 7).
        """
        asked: list[current.ContactItem] = []
        owners: list[int] = []
        for place, item in enumerate(items):
            for one in _forms(item, f"contacts.{place}"):
                asked.append(one)
                owners.append(place)
        hits = self._lookup.contacts(session, self._identifier.contacts(asked))
        found: list[int | None] = [None] * len(items)
        for owner, hit in zip(owners, hits, strict=True):
            if found[owner] is None and hit.contact is not None:
                found[owner] = hit.contact.number
        return found

    def companies(self, session: Session, items: Sequence[LegacyCompanyItem]) -> list[int | None]:
        """The number of the company that each item means. Two statements. Raises BadRequest for a malformed one."""
        queries = self._identifier.companies([_company(item) for item in items])
        return [one.number if one else None for one in self._lookup.companies(session, queries)]


def _company(item: LegacyCompanyItem) -> current.CompanyItem:
    if item.name is UNSET and item.domain is UNSET:
        return current.CompanyItem(id=item.id)
    return current.CompanyItem(name=item.name, domain=item.domain)


def _forms(item: LegacyContactItem, path: str) -> Iterator[current.ContactItem]:
    """What is looked for in place of the item, in this order: each knows one employer at most."""
    exact = item.social_link is not UNSET or item.email is not UNSET
    _check(item, path)
    employers = sorted(item.companies, key=lambda company: not company.is_current)
    name = _name(item, path, needed=not exact and bool(employers))
    if not exact and not (name and employers):
        problem = f"{path} must have social_link, email, or full_name with companies"
        raise BadRequest(problem, [problem])
    if exact:
        yield _named(current.ContactItem(linkedin_url=item.social_link, email=item.email), name, None)
    if name:
        yield from (_named(current.ContactItem(), name, employer) for employer in employers)


def _named(
    form: current.ContactItem, name: tuple[str, str] | None, employer: LegacyEmployer | None
) -> current.ContactItem:
    if name:
        form.first_name, form.last_name = name
    if employer:
        form.company_name, form.company_domain = employer.name, employer.domain
    return form


def _name(item: LegacyContactItem, path: str, *, needed: bool) -> tuple[str, str] | None:
    """First and last name, where there are both."""
    if item.full_name is UNSET:
        return None
    first, last = split_full_name(item.full_name)
    if first and last:
        return first, last
    if needed:
        problem = f"{path}.full_name must be a first and a last name"
        raise PreconditionFailed(problem, [problem])
    return None


def _check(item: LegacyContactItem, path: str) -> None:
    """Raises BadRequest, with its path, for an identifier that can be none."""
    problem = ""
    if item.social_link is not UNSET and linkedin_slug(item.social_link, "in", bare=False) is None:
        problem = (
            f"{path}.social_link must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe"
        )
    elif item.email is not UNSET and normalise_email(item.email) is None:
        problem = f"{path}.email must be an email"
    for place, employer in enumerate(item.companies):
        if employer.domain is not UNSET and host_of(employer.domain) is None:
            problem = problem or f"{path}.companies.{place}.domain must be a domain such as example.com"
        elif employer.domain is UNSET and employer.name is UNSET:
            problem = problem or f"{path}.companies.{place} must have name or domain"
    if problem:
        raise BadRequest(problem, [problem])
