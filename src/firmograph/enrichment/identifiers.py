"""Reader of the identifiers of request items.

Identifiers are tried in the order of docs/reference/lookups.md#identifiers: id, LinkedIn URL, e-mail, name and company;
for companies id, domain, LinkedIn URL, name. A malformed identifier, or an item without sufficient identifiers, is a
400 for the whole call with its path.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from firmograph.directory.company_names import company_keys, loose_key
from firmograph.directory.identity import Digests
from firmograph.directory.names import query_blocking_keys
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.shared_hosts import domain_forms, is_page_of_many
from firmograph.enrichment.shapes import CompanyItem, ContactItem
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity, MalformedId, RecordIds

UNKNOWN = -1
"""Number of a well-formed id without record."""


class Domain(NamedTuple):
    """Requested domain of a company: its host, and the digests to find it by."""

    host: str
    host_digest: bytes
    domain_digests: tuple[bytes, ...]


class CompanyQuery(NamedTuple):
    number: int | None
    domain: Domain | None
    linkedin: bytes | None
    """Digest of a LinkedIn page."""
    name: str
    name_digests: tuple[bytes, ...]
    """Digests of the name in each spelling, as name and as alias."""
    loose_digests: tuple[bytes, ...]
    """Digests of the name with `ue` equal to `u`, used if no company has the exact name."""


class ContactQuery(NamedTuple):
    number: int | None
    keys: tuple[bytes, ...]
    """Digests of LinkedIn URL and e-mail, in that order."""
    name: tuple[str, str] | None
    """First and last name, if both are given."""
    company: CompanyQuery | None
    """Employer, if the name can be searched there."""

    def blocks(self) -> list[str]:
        return query_blocking_keys(*self.name) if self.name else []


class QueryReader:
    """Reader of queries from request items."""

    def __init__(self, tokens: RecordIds, digests: Digests) -> None:
        self._tokens = tokens
        self._digests = digests

    def numbers(self, entity: Entity, ids: Sequence[str]) -> list[int]:
        """Return the record numbers of `ids`, `UNKNOWN` for ids without one."""
        return [self._number(entity, text, "ids", index) for index, text in enumerate(ids)]

    def contacts(self, items: Sequence[ContactItem]) -> list[ContactQuery]:
        return [self._contact(item, index) for index, item in enumerate(items)]

    def companies(self, items: Sequence[CompanyItem]) -> list[CompanyQuery]:
        return [self._company(item, index) for index, item in enumerate(items)]

    def _number(self, entity: Entity, text: str, of: str, index: int, field: str = "") -> int:
        try:
            number = self._tokens.open(entity, text)
        except MalformedId:
            raise _malformed(
                f"{of}.{index}{field} must be a record id: `v` and a version, a point and opaque text, or digits"
            ) from None
        return UNKNOWN if number is None else number

    def _contact(self, item: ContactItem, index: int) -> ContactQuery:
        number, keys = None, []
        if item.id is not UNSET:
            number = self._number(Entity.CONTACT, item.id, "contacts", index, ".id")
        if item.linkedin_url is not UNSET:
            slug = linkedin_slug(item.linkedin_url, "in", bare=False)
            if slug is None:
                raise _malformed(
                    f"contacts.{index}.linkedinUrl must be the URL of a LinkedIn profile, such as"
                    " linkedin.com/in/jane-doe"
                )
            keys.append(self._digests.contact_linkedin(slug))
        if item.email is not UNSET:
            email = normalise_email(item.email)
            if email is None:
                raise _malformed(f"contacts.{index}.email must be an email")
            keys.append(self._digests.contact_email(email))
        employer = self._employer(item, index)
        name = None
        if item.first_name is not UNSET and item.last_name is not UNSET:
            name = (item.first_name, item.last_name)
        if number is None and not keys and not (name and employer):
            raise _malformed(
                f"contacts.{index} must have id, linkedinUrl, email, or firstName and lastName with companyName"
                " or companyDomain"
            )
        return ContactQuery(number, tuple(keys), name, employer if name else None)

    def _employer(self, item: ContactItem, index: int) -> CompanyQuery | None:
        domain, name = item.company_domain, item.company_name
        if domain is UNSET and name is UNSET:
            return None
        requested = None if domain is UNSET else self._domain(domain, "contacts", index, "companyDomain")
        return self._named(requested, "" if name is UNSET else name)

    def _company(self, item: CompanyItem, index: int) -> CompanyQuery:
        if item.id is item.domain is item.linkedin_url is item.name is UNSET:
            raise _malformed(f"companies.{index} must have at least one of id, domain, linkedinUrl, name")
        number = None
        if item.id is not UNSET:
            number = self._number(Entity.COMPANY, item.id, "companies", index, ".id")
        requested = None if item.domain is UNSET else self._domain(item.domain, "companies", index, "domain")
        linkedin = None if item.linkedin_url is UNSET else self._company_linkedin(item.linkedin_url, index)
        named = self._named(requested, "" if item.name is UNSET else item.name)
        return named._replace(number=number, linkedin=linkedin)

    def _company_linkedin(self, url: str, index: int) -> bytes:
        slug = linkedin_slug(url, "company", bare=False)
        if slug is None:
            raise _malformed(
                f"companies.{index}.linkedinUrl must be the LinkedIn URL of a company, such as"
                " linkedin.com/company/acme"
            )
        return self._digests.company_linkedin(slug)

    def _named(self, domain: Domain | None, name: str) -> CompanyQuery:
        digests = self._digests
        name_or_alias = (digests.company_name, digests.company_alias)
        exact = [make(key) for make in name_or_alias for key in company_keys(name)]
        loose = loose_key(name)
        loosely = [make(loose) for make in (*name_or_alias, digests.company_loose)] if loose else []
        return CompanyQuery(None, domain, None, name, tuple(exact), tuple(loosely))

    def _domain(self, text: str, of: str, index: int, field: str) -> Domain | None:
        """Return the requested domain; None for a page on a shared host, which identifies no company."""
        host = host_of(text)
        if host is None:
            raise _malformed(f"{of}.{index}.{field} must be a domain such as example.com")
        if is_page_of_many(text):
            return None
        return Domain(
            host,
            self._digests.company_host(host),
            tuple(self._digests.company_domain(form) for form in domain_forms(host)),
        )


def _malformed(problem: str) -> BadRequest:
    return BadRequest(problem, [problem])
