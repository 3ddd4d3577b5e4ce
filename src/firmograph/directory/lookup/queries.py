"""Queries for one record each, from the identifiers of a request.

Identifiers are tried in the order of docs/reference/lookups.md#identifiers: id, LinkedIn URL, e-mail, name and company;
for companies id, domain, LinkedIn URL, name. A malformed identifier, or too few of them, is a 400 for the whole call
with the path that the feature gives, such as `("contacts", 0)`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from firmograph.directory.company_names import company_keys, loose_key
from firmograph.directory.host_keys import HostKeys, host_keys
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifiers import (
    COMPANY_PAGE,
    DOMAIN,
    EMAIL,
    ID,
    PROFILE,
    ValuePath,
    describe_problem,
    raise_problem,
)
from firmograph.directory.names import query_blocking_keys, split_full_name
from firmograph.directory.row_keys import mailbox_digests
from firmograph.directory.shared_hosts import is_page_of_many
from firmograph.directory.spelling_keys import query_spelling_keys
from firmograph.security.record_ids import Entity, MalformedId, RecordIds

UNKNOWN = -1
"""Number of a well-formed id without record."""

_Text = str | UnsetType


class CompanyQuery(NamedTuple):
    number: int | None
    domain: HostKeys | None
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
    mailbox: tuple[bytes, ...] = ()
    """Digests of the mailbox of the e-mail, by which nobody is found but suppressed people are known."""

    def blocks(self) -> list[str]:
        return query_blocking_keys(*self.name) if self.name else []

    def spellings(self) -> list[str]:
        return query_spelling_keys(*self.name) if self.name else []


class EmailKeys(NamedTuple):
    """Digests of an e-mail address."""

    key: bytes
    mailbox: tuple[bytes, ...]
    """Digests of its mailbox, for suppression alone."""


class QueryReader:
    """Reader of queries; each path is the location of the value in the request."""

    def __init__(self, tokens: RecordIds, digests: Digests) -> None:
        self._tokens = tokens
        self._digests = digests

    def numbers(self, entity: Entity, ids: Sequence[str], path: str = "ids") -> list[int]:
        """Return the record numbers of `ids`, `UNKNOWN` for ids without one."""
        return [self.number(entity, text, (path, index)) for index, text in enumerate(ids)]

    def named_contact(self, full_name: str, company: str) -> ContactQuery:
        """Return the query of a full name at a company, given by its name or domain. Raises BadRequest."""
        first, last = split_full_name(full_name)
        is_domain = "." in company and " " not in company.strip()
        employer = {"company_domain" if is_domain else "company_name": company}
        return self.contact((), first_name=first, last_name=last, **employer)

    def contact(
        self,
        path: ValuePath,
        *,
        id: _Text = UNSET,
        linkedin_url: _Text = UNSET,
        email: _Text = UNSET,
        first_name: _Text = UNSET,
        last_name: _Text = UNSET,
        company_name: _Text = UNSET,
        company_domain: _Text = UNSET,
        company_linkedin_url: _Text = UNSET,
    ) -> ContactQuery:
        """Return the query of an item with the usual property names."""
        number, keys = None, []
        mailbox: tuple[bytes, ...] = ()
        if id is not UNSET:
            number = self.number(Entity.CONTACT, id, (*path, "id"))
        if linkedin_url is not UNSET:
            keys.append(self.profile(linkedin_url, (*path, "linkedinUrl")))
        if email is not UNSET:
            found = self.email(email, (*path, "email"))
            keys.append(found.key)
            mailbox = found.mailbox
        employer = None
        if not (company_domain is company_name is company_linkedin_url is UNSET):
            domain = (
                None if company_domain is UNSET else self.domain(company_domain, (*path, "companyDomain"))
            )
            page = None
            if company_linkedin_url is not UNSET:
                page = self.company_page(company_linkedin_url, (*path, "companyLinkedinUrl"))
            employer = self.named_company(company_name, domain, page)
        name = None
        if first_name is not UNSET:
            # a name of one word finds people whose whole name is that word
            name = (first_name, "" if last_name is UNSET else last_name)
        if number is None and not keys and not (name and employer):
            expected = "must have id, linkedinUrl, email, or firstName (and lastName) with companyName or companyDomain"
            raise_problem(describe_problem(expected, path))
        return ContactQuery(number, tuple(keys), name, employer if name else None, mailbox)

    def company(
        self,
        path: ValuePath,
        *,
        id: _Text = UNSET,
        domain: _Text = UNSET,
        linkedin_url: _Text = UNSET,
        name: _Text = UNSET,
    ) -> CompanyQuery:
        """Return the query of an item with the usual property names."""
        if id is domain is linkedin_url is name is UNSET:
            raise_problem(describe_problem("must have at least one of id, domain, linkedinUrl, name", path))
        number = None if id is UNSET else self.number(Entity.COMPANY, id, (*path, "id"))
        requested = None if domain is UNSET else self.domain(domain, (*path, "domain"))
        page = None if linkedin_url is UNSET else self.company_page(linkedin_url, (*path, "linkedinUrl"))
        return self.named_company(name, requested, page, number)

    def named_company(
        self,
        name: _Text,
        domain: HostKeys | None = None,
        linkedin: bytes | None = None,
        number: int | None = None,
    ) -> CompanyQuery:
        """Return the query of a company by identifiers that were read; `name` may be any text."""
        text = "" if name is UNSET else name
        digests = self._digests
        name_or_alias = (digests.company_name, digests.company_alias)
        exact = [make(key) for make in name_or_alias for key in company_keys(text)]
        loose = loose_key(text)
        loosely = [make(loose) for make in (*name_or_alias, digests.company_loose)] if loose else []
        return CompanyQuery(number, domain, linkedin, text, tuple(exact), tuple(loosely))

    # --- single identifiers ---

    def number(self, entity: Entity, text: str, path: ValuePath) -> int:
        try:
            number = self._tokens.open(entity, text)
        except MalformedId:
            ID.refuse(path)
        return UNKNOWN if number is None else number

    def number_of_any(self, entity: Entity, text: str) -> int:
        """Return the record number of a text of any form, `UNKNOWN` without a record."""
        try:
            number = self._tokens.open(entity, text)
        except MalformedId:
            return UNKNOWN
        return UNKNOWN if number is None else number

    def profile(self, url: str, path: ValuePath) -> bytes:
        """Return the digest of a person's LinkedIn page."""
        return self._digests.contact_linkedin(PROFILE.parse(url, path))

    def email(self, text: str, path: ValuePath) -> EmailKeys:
        address = EMAIL.parse(text, path)
        return EmailKeys(self._digests.contact_email(address), mailbox_digests(self._digests, address))

    def company_page(self, url: str, path: ValuePath) -> bytes:
        """Return the digest of a company's LinkedIn page."""
        return self._digests.company_linkedin(COMPANY_PAGE.parse(url, path))

    def domain(self, text: str, path: ValuePath) -> HostKeys | None:
        """Return the keys of a requested domain; None for a page on a shared host, which identifies no company."""
        host = DOMAIN.parse(text, path)
        return None if is_page_of_many(text) else host_keys(self._digests, host)
