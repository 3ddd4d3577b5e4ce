"""Keys by which a stored person is found and, once suppressed, kept out (docs/reference/records.md#suppression)."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_keys
from firmograph.directory.normalise.emails import bare_address
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import contact_row_keys, hashed_address_digests, named_page
from firmograph.directory.spelling_keys import stored_name_keys
from firmograph.directory.suppressed_names import asked_name_forms, suppressed_name_variants
from firmograph.privacy import store
from firmograph.privacy.deletion_lists.listed_hashes import address_digests, number_digests
from firmograph.privacy.store import StoredContact


class _Employer(msgspec.Struct):
    name: str = ""
    domain: str = ""


class PersonKeys(NamedTuple):
    """Keys of one record, from all its rows."""

    strong: set[bytes]
    """Hashes of e-mail addresses, their mailboxes, LinkedIn, source ids and id."""
    emails: set[bytes]
    """Strong keys that several people may share: addresses and mailboxes."""
    mailboxes: set[bytes]
    """Hashes of mailboxes alone."""
    hashed: set[bytes]
    """Hashes of the SHA-256 of addresses, by which websites know them; no record holds one."""
    listed: set[bytes]
    """Digests of its numbers and addresses as the do-not-call registry and deletion lists have them."""
    weak: set[bytes]
    """Hashes of name and company, for current and previous employers."""
    variants: set[bytes]
    """Hashes of other forms of the name at the same companies, which only imports ask."""
    names: set[tuple[str, str]]
    """First and last names."""
    stored: set[bytes]
    """Hashes in the key table."""


class PersonKeyReader:
    """Reader of the keys of stored contacts."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests

    def read(self, session: Session, number: int, contact: StoredContact) -> PersonKeys:
        """Return the keys of a contact and of each of its rows."""
        company_id, fragments, card = contact
        record = decode_contact(fragments)
        strong = {self._digests.contact_id(number)}
        records = [(record, card)]
        for source, source_id, row in store.select_rows(session, number):
            source_record = msgspec.json.decode(row, type=Contact) if row is not None else record
            strong.update(contact_row_keys(self._digests, source, source_id, source_record))
            records.append((source_record, None))
        pages = (named_page(self._digests, each) for each, _ in records)
        refused = {self._digests.contact_page_name(*page) for page in pages if page is not None}
        emails, mailboxes, hashed = set[bytes](), set[bytes](), set[bytes]()
        weak, variants = set[bytes](), set[bytes]()
        for each, its_card in records:
            addresses = [*(email.email for email in each.emails), *each.previous_emails]
            emails.update(map(self._digests.contact_email, addresses))
            bare = (bare_address(address) for address in addresses)
            mailboxes.update(self._digests.contact_mailbox(one) for one in bare if one is not None)
            for address in addresses:
                hashed.update(hashed_address_digests(self._digests, address))
            companies, (first, last) = self._companies(session, each, its_card), names_of(each)
            for company in companies:
                weak.update(
                    self._digests.contact_name_company(name, company) for name in full_name_keys(first, last)
                )
                variants.update(
                    self._digests.contact_name_variant(name, company)
                    for name in suppressed_name_variants(first, last)
                )
        name_keys = stored_name_keys(*names_of(record)) if company_id is not None else []
        named = {self._digests.contact_name(company_id or 0, key) for key in name_keys}
        names = {names_of(each) for each, _ in records}
        listed = {digest for each, _ in records for digest in _listed(self._digests, each)}
        stored = strong | mailboxes | named | refused
        return PersonKeys(
            strong | emails | mailboxes,
            emails | mailboxes,
            mailboxes,
            hashed,
            listed,
            weak,
            variants,
            names,
            stored,
        )

    def has_other_names(self, session: Session, number: int, key: bytes, people: Iterable[bytes]) -> bool:
        """Return whether a record has a key of suppressed people as a mailbox alone, and names that contradict all."""
        contact = store.select_contact(session, number)
        if contact is None or key not in self.read(session, number, contact).mailboxes:
            return False
        names = names_of(decode_contact(contact[1]))
        asked = [asked_name_forms(self._digests, person, *names) for person in people]
        return all(forms.contradict(store.select_suppressed(session, forms.all())) for forms in asked)

    def _companies(self, session: Session, record: Contact, card: bytes | None) -> set[str]:
        """Return names and domains of current and previous employers, as named in rows and records."""
        refs = [record.company] if record.company else []
        refs += [job.company for job in record.previous_employment]
        named = [(ref.name or "", ref.domain or "") for ref in refs]
        linked = sorted({ref.id for ref in refs if ref.id is not None})
        for each in (*([card] if card is not None else []), *store.select_summaries(session, linked)):
            employer = msgspec.json.decode(b"{%s}" % each, type=_Employer)
            named.append((employer.name, employer.domain))
        return {company for name, domain in named for company in (*company_keys(name), domain) if company}


def _listed(digests: Digests, record: Contact) -> list[bytes]:
    """Return the digests that lists have of a record's numbers and addresses."""
    numbers = [phone.number for phone in record.phones]
    addresses = [*(email.email for email in record.emails), *record.previous_emails]
    return [
        *(digests.phone_number(number) for number in numbers),
        *(digest for number in numbers for digest in number_digests(digests, number)),
        *(digest for address in addresses for digest in address_digests(digests, address)),
    ]


def suppressed_among(session: Session, keys: Collection[bytes]) -> set[bytes]:
    """Return the suppressed ones of some keys, strong or weak. One statement, or more for thousands of keys."""
    return store.select_suppressed(session, keys)


def read_names(session: Session, number: int) -> tuple[str, str]:
    """Return first and last name of a stored contact, empty without one."""
    contact = store.select_contact(session, number)
    return names_of(decode_contact(contact[1])) if contact is not None else ("", "")


def names_of(record: Contact) -> tuple[str, str]:
    """Return first and last name, empty where there is none."""
    return record.first_name or "", record.last_name or ""
