"""Suppression: removes a person from every response and keeps later imports from restoring them.

See docs/reference/records.md#suppression.

The erasers that packages declare (`declarations.py`) delete the records and other personal data. Keyed hashes of all
keys of the person remain: look-ups by them return `COMPLIANCE_RESTRICTED`, and imports skip matching rows. The hash key
of the installation is never rotated. Lifting a suppression deletes the hashes; the data returns with the next import.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import EVERY_ACCOUNT, RECORDS, SUBSCRIPTIONS, Database, Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.contact_json import ContactParts, decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.matching import first_names_compatible, last_names_agree
from firmograph.directory.names import full_name_keys, stored_blocking_keys
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import contact_row_keys
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.privacy import store
from firmograph.privacy.declarations import Erasure, People, PersonalData, PersonRecord, in_order_of_use
from firmograph.privacy.store import SuppressedKey
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, MalformedId, RecordIds


class Person(NamedTuple):
    """Person identified by a key, and by the record number if that is the key."""

    digest: bytes
    number: int | None = None


class ImportedSuppressions(NamedTuple):
    """Result of importing suppressions of another database."""

    added: int
    """Number of new hashes."""
    removed: int
    """Number of removed records."""


class _Employer(msgspec.Struct):
    name: str = ""
    domain: str = ""


class _PersonKeys(NamedTuple):
    strong: set[bytes]
    """Hashes of e-mail addresses, LinkedIn, source ids and id."""
    emails: set[bytes]
    """Strong keys that several people may share."""
    weak: set[bytes]
    """Hashes of name and company, for current and previous employers."""
    stored: set[bytes]
    """Hashes in the key table."""


class _Holder(NamedTuple):
    """Record of a person with its keys."""

    record: PersonRecord
    keys: _PersonKeys
    person: bytes
    """Key under which the person is suppressed."""


class Suppression:
    """Suppression of people and its lifting; each call is one transaction."""

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        clock: Clock,
        declarations: Iterable[PersonalData],
    ) -> None:
        """Take the declarations of all packages, in any order."""
        self._database = database
        self._keyring = keyring
        self._digests = Digests(keyring)
        self._tokens = RecordIds(keyring)
        self._clock = clock
        # what a package uses is erased after what uses it
        self._declarations = in_order_of_use(declarations)[::-1]

    def person(
        self, *, email: str | None = None, linkedin: str | None = None, id: str | None = None
    ) -> Person:
        """Return the person with one of these identifiers. Raises Refused if it is malformed or not exactly one."""
        if sum(value is not None for value in (email, linkedin, id)) != 1:
            raise Refused("Name the person by exactly one of --email, --linkedin and --id")
        if email is not None:
            address = normalise_email(email)
            if address is None:
                raise Refused("That is not an e-mail address")
            return Person(self._digests.contact_email(address))
        if linkedin is not None:
            slug = linkedin_slug(linkedin, "in")
            if slug is None:
                raise Refused("That is not the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe")
            return Person(self._digests.contact_linkedin(slug))
        try:
            number = self._tokens.open(Entity.CONTACT, id or "")
        except MalformedId:
            number = None
        if number is None:
            raise Refused("That is not the id of a contact")
        return Person(self._digests.contact_id(number), number)

    def find(self, session: Session, person: Person) -> People:
        """Return all records and keys of a person, as the packages' finders take them."""
        return self._people(
            self._holders(session, [(person.digest, self._numbers(session, person))]), [person.digest]
        )

    def suppress(self, person: Person) -> int:
        """Suppress the person and return the number of deleted records, 0 if there was none yet."""
        at = self._clock.seconds()
        with self._database.write(RECORDS) as session:
            store.insert_suppression(session, person.digest, [person.digest], [], int(at))
            holders = self._holders(session, [(person.digest, self._numbers(session, person))])
            self._erase(session, holders, [person.digest], at)
            return len(holders)

    def unsuppress(self, person: Person) -> bool:
        """Lift the suppression of the person with this key; return whether there was one."""
        with self._database.write(RECORDS) as session:
            return store.delete_suppressions(session, person.digest) > 0

    def import_keys(self, hashes: Sequence[SuppressedKey], last_contact: int) -> ImportedSuppressions:
        """Import hashes of another database under the same keys; never lift a suppression.

        Removes every record that holds a new strong key, because an import would skip its row; records found by the key
        under which their person was suppressed go first. A person whose only strong key is the record number must also
        match by name and company. New contacts get numbers after the last one of the other database.
        """
        at = self._clock.seconds()
        with_id_hash = self._contacts_by_id_hash({each.digest for each in hashes if each.strong})
        with self._database.write(RECORDS) as session:
            added = store.select_missing(session, hashes)
            store.insert_keys(session, added)
            store.raise_last_contact(session, last_contact)
            strong = {each.digest: each.person for each in added if each.strong}
            weak = {each.digest for each in added if not each.strong}
            holders = sorted(
                store.select_holders_of_keys(session, strong), key=lambda pair: strong[pair[0]] != pair[0]
            )
            holders += [
                (key, number)
                for key, number in with_id_hash
                if key in strong and self._has_weak_key(session, number, weak)
            ]
            found = self._holders(session, [(strong[key], [number]) for key, number in holders])
            self._erase(session, found, [*strong, *weak], at)
        return ImportedSuppressions(len(added), len(found))

    def _contacts_by_id_hash(self, digests: Collection[bytes]) -> list[tuple[bytes, int]]:
        """Return the contacts whose id has one of these hashes; called before the transaction as it visits all ids."""
        if not digests:
            return []
        pairs = ((self._digests.contact_id(n), n) for n in store.select_contact_ids(self._database.session()))
        return [(digest, number) for digest, number in pairs if digest in digests]

    def _has_weak_key(self, session: Session, number: int, weak: Collection[bytes]) -> bool:
        contact = store.select_contact(session, number)
        return contact is not None and not self._keys(session, number, *contact).weak.isdisjoint(weak)

    def _numbers(self, session: Session, person: Person) -> list[int]:
        return [person.number] if person.number is not None else store.select_holders(session, person.digest)

    def _erase(
        self, session: Session, holders: Mapping[int, _Holder], keys: Iterable[bytes], at: float
    ) -> None:
        """Suppress all keys of these records, and erase the people everywhere."""
        for each in holders.values():
            store.insert_suppression(session, each.person, each.keys.strong, each.keys.weak, int(at))
        erasure = Erasure(session, self._people(holders, keys), at)
        for declaration in self._declarations:
            for erase in declaration.record_erasers:
                erase(erasure)
        # entered last, because it blocks all charging; it waits for calls that are revealing a person
        session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
        for declaration in self._declarations:
            for erase in declaration.erasers:
                erase(erasure)

    def _people(self, holders: Mapping[int, _Holder], keys: Iterable[bytes]) -> People:
        every = set(keys).union(*(each.keys.strong | each.keys.weak for each in holders.values()))
        return People(self._keyring, {number: each.record for number, each in holders.items()}, every)

    def _holders(
        self, session: Session, numbers: Iterable[tuple[bytes, Iterable[int]]]
    ) -> dict[int, _Holder]:
        """Return records, given by the key of their person, and every other record that holds one of their keys."""
        holders: dict[int, _Holder] = {}
        waiting = [(person, number) for person, some in numbers for number in some][::-1]
        while waiting:
            person, number = waiting.pop()
            contact = None if number in holders else store.select_contact(session, number)
            if contact is None:
                continue
            keys, record = self._keys(session, number, *contact), decode_contact(contact[1])
            found = PersonRecord(record, contact[2], frozenset(keys.stored))
            holders[number] = _Holder(found, keys, person)
            is_split = store.is_split(session, number)
            others = self._other_records(session, record, keys, holders, is_split=is_split)
            waiting += [(person, other) for other in sorted(others, reverse=True)]
        return holders

    def _other_records(
        self,
        session: Session,
        record: Contact,
        keys: _PersonKeys,
        found: Collection[int],
        *,
        is_split: bool,
    ) -> set[int]:
        """Return other records of the person: imports never merge records, and assign a shared key to one of them.

        Records split by an operator are different people, whatever keys they share.
        """
        numbers: set[int] = set()
        for key in keys.strong:
            for number in store.select_holders(session, key):
                contact = None if number in found else store.select_contact(session, number)
                if contact is None or (is_split and store.is_split(session, number)):
                    continue
                if key not in keys.emails or _is_same_person(record, decode_contact(contact[1])):
                    numbers.add(number)
        return numbers

    def _keys(
        self,
        session: Session,
        number: int,
        company_id: int | None,
        fragments: ContactParts,
        card: bytes | None,
    ) -> _PersonKeys:
        record = decode_contact(fragments)
        strong, emails = {self._digests.contact_id(number)}, self._emails(record)
        weak = self._weak(session, record, card)
        for source, source_id, row in store.select_rows(session, number):
            source_record = msgspec.json.decode(row, type=Contact) if row is not None else record
            strong.update(contact_row_keys(self._digests, source, source_id, source_record))
            emails |= self._emails(source_record)
            weak |= self._weak(session, source_record, None)
        blocks = stored_blocking_keys(*_first_and_last_name(record)) if company_id is not None else []
        stored = strong | {self._digests.contact_name(company_id or 0, block) for block in blocks}
        return _PersonKeys(strong | emails, emails, weak, stored)

    def _emails(self, record: Contact) -> set[bytes]:
        addresses = [*(email.email for email in record.emails), *record.previous_emails]
        return {self._digests.contact_email(address) for address in addresses}

    def _weak(self, session: Session, record: Contact, card: bytes | None) -> set[bytes]:
        """Return the hashes of name and employer, for current and previous employers as named in rows and records."""
        refs = [record.company] if record.company else []
        refs += [job.company for job in record.previous_employment]
        named = [(ref.name or "", ref.domain or "") for ref in refs]
        linked = sorted({ref.id for ref in refs if ref.id is not None})
        for each in (*([card] if card is not None else []), *store.select_summaries(session, linked)):
            employer = msgspec.json.decode(b"{%s}" % each, type=_Employer)
            named.append((employer.name, employer.domain))
        companies = {
            company for name, domain in named for company in (*company_keys(name), domain) if company
        }
        names = full_name_keys(*_first_and_last_name(record))
        return {self._digests.contact_name_company(name, company) for name in names for company in companies}


def _first_and_last_name(record: Contact) -> tuple[str, str]:
    return record.first_name or "", record.last_name or ""


def _is_same_person(record: Contact, other: Contact) -> bool:
    """Return whether two holders of one e-mail address are the same person, by the rules of imports."""
    (first, last), (other_first, other_last) = _first_and_last_name(record), _first_and_last_name(other)
    return last_names_agree(last, other_last) and first_names_compatible(first, other_first)
