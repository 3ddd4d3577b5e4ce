"""Identity keys, the digests for finding records and matching rows (docs/reference/records.md#identity-keys).

A key is a 16-byte keyed BLAKE2b digest of its kind and normalised value. A collision of two stored keys is practically
impossible at 128 bits (under 1e-20 at a billion keys), so a hit needs no comparison with the record. Suppression uses
the same digests, because it must outlive the values.
"""

import hashlib

from firmograph.security.keyring import Keyring


class Digests:
    """Digests of each kind of key under the installation's hash key."""

    def __init__(self, keyring: Keyring) -> None:
        self._base = hashlib.blake2b(key=keyring.hash_key(), digest_size=16)

    def _digest(self, text: str) -> bytes:
        state = self._base.copy()
        state.update(text.encode())
        return state.digest()

    def contact_email(self, email: str) -> bytes:
        """Return the digest of a normalised e-mail address."""
        return self._digest("e\0" + email)

    def contact_mailbox(self, bare: str) -> bytes:
        """Return the digest of a mailbox, given by its bare address; for suppression, never for merging or look-ups."""
        return self._digest("m\0" + bare)

    def contact_email_hash(self, sha256: str) -> bytes:
        """Return the digest of the SHA-256 of an address, in hex, as websites pass it; never for look-ups."""
        return self._digest("eh\0" + sha256)

    def identifier_hash(self, sha256: bytes) -> bytes:
        """Return the digest of the SHA-256 of an identifier of a deletion list; never a key of a record."""
        state = self._base.copy()
        state.update(b"ih\0" + sha256)
        return state.digest()

    def phone_number(self, number: str) -> bytes:
        """Return the digest of a telephone number as E.164, for the do-not-call registry; never a key of a record."""
        return self._digest("pn\0" + number)

    def contact_linkedin(self, slug: str) -> bytes:
        """Return the digest of a canonical LinkedIn slug, `in/jane-doe`."""
        return self._digest("l\0" + slug)

    def contact_page_name(self, page: bytes, full_name: str) -> bytes:
        """Return the digest of another person's LinkedIn page, given as digest, and the full name of a row with it."""
        return self._digest(f"p\0{page.hex()}\0{full_name}")

    def contact_source(self, source: str, source_id: str) -> bytes:
        return self._digest(f"s\0{source}\0{source_id}")

    def contact_version(self, source: str, version: str) -> bytes:
        """Return the digest of a version of a row without an id in its source."""
        return self._digest(f"v\0{source}\0{version}")

    def contact_id(self, number: int) -> bytes:
        """Return the digest of a record number; only suppression stores it."""
        return self._digest(f"i\0{number}")

    def contact_name(self, company_id: int, blocking_key: str) -> bytes:
        """Return the digest of a blocking key (`directory/names.py`) at an employer."""
        return self._digest(f"n\0{company_id}\0{blocking_key}")

    def contact_name_company(self, full_name: str, company: str) -> bytes:
        """Return the digest of a normalised full name and company name or domain; only suppression stores it."""
        return self._digest(f"c\0{full_name}\0{company}")

    def contact_name_variant(self, variant: str, company: str) -> bytes:
        """Return the digest of another form of a suppressed name (`directory/suppressed_names.py`) at a company."""
        return self._digest(f"nv\0{variant}\0{company}")

    def contact_name_form(self, person: bytes, form: str) -> bytes:
        """Return the digest of part of the name of a suppressed person, given by the key of the suppression."""
        return self._digest(f"nf\0{person.hex()}\0{form}")

    def signal(self, entity: int, number: int, type: int, key: str) -> bytes:
        """Return the digest of a signal: its record, type and distinguishing key.

        See docs/reference/signals.md#identity.
        """
        return self._digest(f"sg\0{entity}\0{number}\0{type}\0{key}")

    def row_key_name(self, source: str, key: bytes, name: str) -> bytes:
        """Return the digest of a key and name of a row without an id in its source; only splits store it."""
        return self._digest(f"rk\0{source}\0{key.hex()}\0{name}")

    def delivery(self, subscription: str, signal: bytes) -> bytes:
        """Return the digest of the delivery of a signal, given as digest, to a subscription."""
        return self._digest(f"wd\0{subscription}\0{signal.hex()}")

    def opt_out(self, subscription: str, number: int, partner: str) -> bytes:
        """Return the digest of a subscription's opt-out notice for a suppressed contact and an account's partner."""
        return self._digest(f"oo\0{subscription}\0{number}\0{partner}")

    def audit_log(self, number: int) -> bytes:
        """Return the digest of an audit row; its beginning is the public id, which reveals no count."""
        return self._digest(f"al\0{number}")

    def conversation(self, account_id: int, source: str, source_id: str) -> bytes:
        """Return the digest of an account's conversation, the base of its public id."""
        return self._digest(f"cc\0{account_id}\0{source}\0{source_id}")

    def conversation_version(self, content: str) -> bytes:
        """Return the digest of a conversation's content as it was imported."""
        return self._digest(f"ccv\0{content}")

    def visit_customer(self, account_id: int, source: str, customer_id: str) -> bytes:
        """Return the digest of a visitor named by a customer id on an account's site."""
        return self._digest(f"vc\0{account_id}\0{source}\0{customer_id}")

    def visit_visitor(self, site_id: int, name: str) -> bytes:
        """Return the digest of a visitor by the name that a site gives."""
        return self._digest(f"vv\0{site_id}\0{name}")

    def visit_path(self, site_id: int, path: str) -> bytes:
        """Return the digest of a path of a site."""
        return self._digest(f"vp\0{site_id}\0{path}")

    def company_source(self, source: str, source_id: str) -> bytes:
        return self._digest(f"cs\0{source}\0{source_id}")

    def company_version(self, source: str, version: str) -> bytes:
        """Return the digest of a version of a row without an id in its source."""
        return self._digest(f"cv\0{source}\0{version}")

    def company_linkedin(self, slug: str) -> bytes:
        """Return the digest of a canonical LinkedIn slug, `company/acme`."""
        return self._digest("cl\0" + slug)

    def company_host(self, host: str) -> bytes:
        """Return the digest of an exact host without `www.`, a merge key."""
        return self._digest("ch\0" + host)

    def company_domain(self, host: str) -> bytes:
        """Return the digest of any domain of a company, for look-ups and never for merging."""
        return self._digest("cd\0" + host)

    def company_below(self, registrable: str) -> bytes:
        """Return the digest of a registrable domain above a company's domain, for look-ups and never for merging."""
        return self._digest("cb\0" + registrable)

    def company_general_host(self, registrable: str) -> bytes:
        """Return the same for a domain whose further labels are general ones, such as `corporate`."""
        return self._digest("cg\0" + registrable)

    def company_name(self, name: str) -> bytes:
        """Return the digest of a normalised name (`directory/company_names.py`)."""
        return self._digest("cn\0" + name)

    def company_loose(self, key: str) -> bytes:
        """Return the digest of a loose key that differs from the name's own, for look-ups and never for merging."""
        return self._digest("cx\0" + key)

    def company_alias(self, name: str) -> bytes:
        """Return the digest of a normalised alternative name, for look-ups and never for merging."""
        return self._digest("ca\0" + name)
