"""Identity keys of a source's row (docs/reference/records.md#identity-keys)."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from firmograph.directory.company_names import company_key, company_keys, loose_key
from firmograph.directory.host_keys import stored_host_keys
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_key
from firmograph.directory.normalise.emails import bare_address, is_role_mailbox
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Company, Contact, Email
from firmograph.security.record_ids import is_record_token

STUB_SOURCE = ""
"""Source of the rows of companies known only from other records."""

CONTACTS_SUFFIX = "\x1fcontacts"
"""Suffix of the stored id of a row composed from the source's contacts about their employer."""


def row_id(stored: str) -> str:
    """Return the id that a row has in its source."""
    return stored.removesuffix(CONTACTS_SUFFIX)


def contact_row_keys(digests: Digests, source: str, source_id: str, record: Contact) -> list[bytes]:
    """Return the matching keys of a contact's row, strongest first: source id, LinkedIn, e-mails."""
    keys = [digests.contact_source(source, source_id)] if source_id else []
    if record.social_links and record.social_links.linkedin:
        slug = linkedin_slug(record.social_links.linkedin, "in")
        if slug:
            keys.append(digests.contact_linkedin(slug))
    keys += [digests.contact_email(email.email) for email in record.emails]
    return keys


def named_page(digests: Digests, record: Contact) -> tuple[bytes, str] | None:
    """Return the key of a contact's LinkedIn page with the full name, the parts of `contact_page_name`."""
    links = record.social_links
    slug = linkedin_slug(links.linkedin, "in") if links and links.linkedin else None
    if not slug:
        return None
    return digests.contact_linkedin(slug), full_name_key(record.first_name or "", record.last_name or "")


class EmailDigests(NamedTuple):
    """Keys of a person's e-mail addresses."""

    own: list[bytes]
    """Keys of addresses that are the person's own."""
    roles: list[bytes]
    """Keys of role mailboxes."""
    mailboxes: list[bytes]
    """Keys of the mailboxes of own addresses, for suppression alone."""
    bare: list[bytes]
    """Keys of the bare addresses of these mailboxes, where they differ from the given ones."""


def stored_mailboxes(digests: Digests, emails: Iterable[Email]) -> set[bytes]:
    """Return the keys of the mailboxes of a person's own addresses."""
    addresses = (bare_address(email.email) for email in emails)
    return {digests.contact_mailbox(bare) for bare in addresses if bare is not None}


def email_digests(digests: Digests, emails: Sequence[Email]) -> EmailDigests:
    """Return the keys of a person's addresses."""
    found = EmailDigests([], [], [], [])
    for email in emails:
        address = email.email
        (found.roles if is_role_mailbox(address) else found.own).append(digests.contact_email(address))
        bare = bare_address(address)
        if bare is not None:
            found.mailboxes.append(digests.contact_mailbox(bare))
            if bare != address:
                found.bare.append(digests.contact_email(bare))
    return found


def mailbox_digests(digests: Digests, address: str) -> tuple[bytes, ...]:
    """Return the keys by which suppression knows the mailbox of an address, none for a role mailbox.

    They are that of the mailbox and that of its bare address: suppressions of earlier releases hold the latter alone.
    """
    bare = bare_address(address)
    return () if bare is None else (digests.contact_mailbox(bare), digests.contact_email(bare))


def hashed_address_digests(digests: Digests, address: str) -> tuple[bytes, ...]:
    """Return the keys by which suppression knows the SHA-256 of an address and of its bare address."""
    bare = bare_address(address)
    spellings = [address] if bare in (None, address) else [address, bare]
    return tuple(digests.contact_email_hash(hashlib.sha256(each.encode()).hexdigest()) for each in spellings)


class CompanyRowKeys(msgspec.Struct, frozen=True):
    """Keys of a company's row: for matching, for names, for look-ups."""

    strong: list[bytes]
    """Matching keys, strongest first: source id, record id in responses, LinkedIn, host."""
    names: list[bytes]
    """Keys of each spelling of its name, which may match."""
    lookup: list[bytes]
    """Domains and those above them, alternative names, loose spellings; never for matching."""

    def all(self) -> set[bytes]:
        return {*self.strong, *self.lookup, *self.names}


def company_row_keys(digests: Digests, source: str, stored_id: str, record: Company) -> CompanyRowKeys:
    source_id = row_id(stored_id)
    strong = [digests.company_source(source, source_id)] if source_id else []
    if is_record_token(source_id) and source != STUB_SOURCE:
        # other rows from the same responses refer to the company by this id
        strong.append(digests.company_source(STUB_SOURCE, source_id))
    links = record.social_links
    slug = linkedin_slug(links.linkedin, "company") if links and links.linkedin else None
    if slug:
        strong.append(digests.company_linkedin(slug))
    domains = [*([record.domain] if record.domain else []), *record.alternative_domains]
    if record.domain:
        strong.append(digests.company_host(record.domain))
    lookup = stored_host_keys(digests, domains)
    lookup |= {digests.company_alias(key) for name in record.alternative_names for key in company_keys(name)}
    lookup |= _loose_digests(digests, record)
    names = [digests.company_name(key) for key in company_keys(record.name or "")]
    return CompanyRowKeys(strong, names, sorted(lookup))


def _loose_digests(digests: Digests, record: Company) -> set[bytes]:
    """Return the digests of loose keys that differ from the name's own key."""
    keys = {(loose_key(name), company_key(name)) for name in (record.name or "", *record.alternative_names)}
    return {digests.company_loose(loose) for loose, key in keys if loose not in ("", key)}
