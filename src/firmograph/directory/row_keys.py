"""Identity keys of a source's row (docs/reference/records.md#identity-keys)."""

from collections.abc import Sequence

import msgspec

from firmograph.directory.company_names import company_key, company_keys, loose_key
from firmograph.directory.host_keys import stored_host_keys
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.emails import is_role_mailbox
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


def email_digests(digests: Digests, emails: Sequence[Email]) -> tuple[list[bytes], list[bytes]]:
    """Return the keys of a person's own addresses, and those of role mailboxes."""
    own: list[bytes] = []
    roles: list[bytes] = []
    for email in emails:
        (roles if is_role_mailbox(email.email) else own).append(digests.contact_email(email.email))
    return own, roles


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
