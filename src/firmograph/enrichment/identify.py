"""Reading the identifiers of request items: what each item asks for, in the order in which it is tried.

The order is decisions B's: id, then LinkedIn URL, then e-mail, then name and company; for companies id, domain,
name. A malformed identifier, or none that suffices, is a 400 for the whole call with its path.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from firmograph.directory.company_names import company_key
from firmograph.directory.identity import Digests
from firmograph.directory.names import query_blocks
from firmograph.directory.normalise.domains import host_of, registrable
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.enrichment.shapes import CompanyItem, ContactItem
from firmograph.kit.errors import BadRequest
from firmograph.kit.tokens import Entity, MalformedId, Tokens

UNKNOWN = -1
"""Stands for an id that is well formed but of no record."""


class Domain(NamedTuple):
    """A company's domain as asked for: its host, and the digests it is found by."""

    host: str
    host_digest: bytes
    domain_digests: tuple[bytes, ...]


class CompanyQuery(NamedTuple):
    number: int | None
    domain: Domain | None
    name: str
    name_digests: tuple[bytes, ...]
    """Of the name, and of the name as an alias."""


class ContactQuery(NamedTuple):
    number: int | None
    keys: tuple[bytes, ...]
    """Of LinkedIn URL and e-mail, in that order."""
    name: tuple[str, str] | None
    """First and last, when both are given."""
    company: CompanyQuery | None
    """The employer, when the name can be looked for there."""

    def blocks(self) -> list[str]:
        return query_blocks(*self.name) if self.name else []


class Identifier:
    """Turns request items into queries."""

    def __init__(self, tokens: Tokens, digests: Digests) -> None:
        self._tokens = tokens
        self._digests = digests

    def numbers(self, entity: Entity, ids: Sequence[str]) -> list[int]:
        """The record numbers of `ids`, `UNKNOWN` where there is none."""
        return [self._number(entity, text, f"ids.{place}") for place, text in enumerate(ids)]

    def contacts(self, items: Sequence[ContactItem]) -> list[ContactQuery]:
        return [self._contact(item, f"contacts.{place}") for place, item in enumerate(items)]

    def companies(self, items: Sequence[CompanyItem]) -> list[CompanyQuery]:
        queries = []
        for place, item in enumerate(items):
            query = self._company(item.id, item.domain, item.name, f"companies.{place}")
            if query is None:
                raise BadRequest(f"companies.{place} must have at least one of id, domain, name")
            queries.append(query)
        return queries

    def _number(self, entity: Entity, text: str, path: str) -> int:
        try:
            number = self._tokens.open(entity, text)
        except MalformedId:
            raise BadRequest(
                f"{path} must be a record id: `v` and a version, a point and opaque text, or digits"
            ) from None
        return UNKNOWN if number is None else number

    def _contact(self, item: ContactItem, path: str) -> ContactQuery:
        number = None if item.id is UNSET else self._number(Entity.CONTACT, item.id, f"{path}.id")
        keys = []
        if item.linkedin_url is not UNSET:
            keys.append(self._digests.contact_linkedin(_slug(item.linkedin_url, f"{path}.linkedinUrl")))
        if item.email is not UNSET:
            keys.append(self._digests.contact_email(_email(item.email, f"{path}.email")))
        name = None
        if item.first_name is not UNSET and item.last_name is not UNSET:
            name = (item.first_name, item.last_name)
        company = self._company(UNSET, item.company_domain, item.company_name, path, prefix="companyD")
        if number is None and not keys and not (name and company):
            raise BadRequest(
                f"{path} must have id, linkedinUrl, email, or firstName and lastName with companyName or"
                " companyDomain"
            )
        return ContactQuery(number, tuple(keys), name, company if name else None)

    def _company(
        self,
        token: str | UnsetType,
        domain: str | UnsetType,
        name: str | UnsetType,
        path: str,
        prefix: str = "d",
    ) -> CompanyQuery | None:
        number = None if token is UNSET else self._number(Entity.COMPANY, token, f"{path}.id")
        asked = None if domain is UNSET else self._domain(domain, f"{path}.{prefix}omain")
        text = "" if name is UNSET else name
        if number is None and asked is None and not text:
            return None
        key = company_key(text) if text else ""
        digests = (self._digests.company_name(key), self._digests.company_alias(key)) if key else ()
        return CompanyQuery(number, asked, text, digests)

    def _domain(self, text: str, path: str) -> Domain:
        host = host_of(text)
        if host is None:
            raise BadRequest(f"{path} must be a domain such as example.com")
        forms = dict.fromkeys((host, registrable(host)))
        return Domain(
            host,
            self._digests.company_host(host),
            tuple(self._digests.company_domain(form) for form in forms),
        )


def _slug(text: str, path: str) -> str:
    slug = linkedin_slug(text, "in")
    if slug is None:
        raise BadRequest(f"{path} must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe")
    return slug


def _email(text: str, path: str) -> str:
    email = normalise_email(text)
    if email is None:
        raise BadRequest(f"{path} must be an email")
    return email
