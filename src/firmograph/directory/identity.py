"""Identity keys: the digests by which records are found and rows are matched (docs/reference/records.md#identity-keys).

A key is a 16-byte keyed BLAKE2b digest of its kind and normalised value. At 128 bits a collision between
held keys is out of reach (under 1e-20 at a billion keys), so a hit needs no second look at the record; and
the same digests serve suppression, which must outlive the values themselves.
"""

import hashlib

from firmograph.security.keyring import Keyring


class Digests:
    """Makes the digest of each kind of key, under the installation's hash key."""

    def __init__(self, keyring: Keyring) -> None:
        self._base = hashlib.blake2b(key=keyring.hash_key(), digest_size=16)

    def _digest(self, text: str) -> bytes:
        state = self._base.copy()
        state.update(text.encode())
        return state.digest()

    def contact_email(self, email: str) -> bytes:
        """Of a normalised e-mail address."""
        return self._digest("e\0" + email)

    def contact_linkedin(self, slug: str) -> bytes:
        """Of a canonical LinkedIn slug, `in/jane-doe`."""
        return self._digest("l\0" + slug)

    def contact_page_name(self, page: bytes, full_name: str) -> bytes:
        """Of a LinkedIn page, by its digest, that somebody else holds, and the full name of a row that gives it too."""
        return self._digest(f"p\0{page.hex()}\0{full_name}")

    def contact_source(self, source: str, source_id: str) -> bytes:
        return self._digest(f"s\0{source}\0{source_id}")

    def contact_version(self, source: str, version: str) -> bytes:
        """Of a version of a row that has no id in its source."""
        return self._digest(f"v\0{source}\0{version}")

    def contact_id(self, number: int) -> bytes:
        """Of a record number: kept by suppression only."""
        return self._digest(f"i\0{number}")

    def contact_name(self, company_id: int, block: str) -> bytes:
        """Of one name block (`directory/names.py`) at one employer."""
        return self._digest(f"n\0{company_id}\0{block}")

    def contact_name_company(self, full_name: str, company: str) -> bytes:
        """Of a normalised full name and a normalised company name or domain: kept by suppression only."""
        return self._digest(f"c\0{full_name}\0{company}")

    def signal(self, entity: int, number: int, type: int, key: str) -> bytes:
        """Of a signal: the record that it is about, its type, and what makes it the same one.

        See docs/reference/signals.md#identity.
        """
        return self._digest(f"sg\0{entity}\0{number}\0{type}\0{key}")

    def row_key_name(self, source: str, key: bytes, name: str) -> bytes:
        """Of a key of a row that has no id in its source, with the row's normalised name: kept by splits only."""
        return self._digest(f"rk\0{source}\0{key.hex()}\0{name}")

    def delivery(self, subscription: str, signal: bytes) -> bytes:
        """Of a signal, by its digest, that a subscription is told of."""
        return self._digest(f"wd\0{subscription}\0{signal.hex()}")

    def opt_out(self, subscription: str, number: int, partner: str) -> bytes:
        """Of what a subscription is told of a contact that was suppressed, for one of its account's partners."""
        return self._digest(f"oo\0{subscription}\0{number}\0{partner}")

    def audit_log(self, number: int) -> bytes:
        """Of a row of the audit of deliveries: its public id, which counts nothing, begins it."""
        return self._digest(f"al\0{number}")

    def company_source(self, source: str, source_id: str) -> bytes:
        return self._digest(f"cs\0{source}\0{source_id}")

    def company_version(self, source: str, version: str) -> bytes:
        """Of a version of a row that has no id in its source."""
        return self._digest(f"cv\0{source}\0{version}")

    def company_linkedin(self, slug: str) -> bytes:
        """Of a canonical LinkedIn slug, `company/acme`."""
        return self._digest("cl\0" + slug)

    def company_host(self, host: str) -> bytes:
        """Of an exact host without `www.`: a merge key."""
        return self._digest("ch\0" + host)

    def company_domain(self, registrable: str) -> bytes:
        """Of a registrable domain, also of alternative domains: found by, never merged by."""
        return self._digest("cd\0" + registrable)

    def company_name(self, name: str) -> bytes:
        """Of a normalised name (`directory/names.py`)."""
        return self._digest("cn\0" + name)

    def company_loose(self, key: str) -> bytes:
        """Of a loose key that differs from its name's own: found by, never merged by."""
        return self._digest("cx\0" + key)

    def company_alias(self, name: str) -> bytes:
        """Of a normalised alternative name: found by, never merged by."""
        return self._digest("ca\0" + name)
