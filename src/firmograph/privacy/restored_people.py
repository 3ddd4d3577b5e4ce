"""Records of a restored copy that were suppressed or removed in the database that it replaces.

- Every suppression that the copy lacks is added; none is lifted.
- A record of the copy is erased if it has a strong key that is newly suppressed, with two exceptions. The same record
  had that key in the replaced database too: then the suppression was for somebody else with the same address, and this
  record was kept. Or the key is that of a mailbox alone, and both names contradict the suppressed person's.
- A contact is also erased if its number was removed there and both databases have the same origin; such a company is
  deleted, and contacts that named it name it in text alone.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.identity import Digests
from firmograph.privacy import store
from firmograph.privacy.declarations import Erasure, People, PersonalData, PersonRecord
from firmograph.privacy.erasing import Erasers
from firmograph.privacy.person_keys import PersonKeyReader
from firmograph.privacy.store import SuppressedKey
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity


class Lacking(NamedTuple):
    """What a copy lacks of the suppressions and removals of the database that it replaces."""

    suppressed: list[SuppressedKey]
    held: list[tuple[bytes, int]]
    """Strong ones of these keys with the records of the copy that hold them."""
    contacts: list[int]
    """Contacts of the copy that were removed."""
    companies: list[int]
    """Companies of the copy that were removed."""

    def is_empty(self) -> bool:
        return not (self.suppressed or self.contacts or self.companies)


def has_same_origin(replaced: Session, copy: Session) -> bool:
    """Return whether one of the databases is a copy of the other, so that numbers mean the same records."""
    return store.select_origin(replaced) == store.select_origin(copy)


def find_lacking(replaced: Session, copy: Session) -> Lacking:
    """Return what a copy lacks; what `RestoredPeople.erase` has added or erased is lacking no more."""
    suppressed = [each for page in store.select_pages(replaced) for each in store.select_missing(copy, page)]
    held = store.select_holders_of_keys(copy, {each.digest for each in suppressed if each.strong})
    kept = store.select_live_holders(replaced, {digest for digest, _ in held}) if held else set()
    is_copy = has_same_origin(replaced, copy)
    contacts, companies = (
        store.select_existing(copy, entity, store.select_removed(replaced, entity)) if is_copy else []
        for entity in (Entity.CONTACT, Entity.COMPANY)
    )
    return Lacking(suppressed, [pair for pair in held if pair not in kept], contacts, companies)


class RestoredPeople:
    """Erasure of people and deleted records from restored copies, by the code of all packages."""

    def __init__(self, declarations: Iterable[PersonalData], keyring: Callable[[], Keyring]) -> None:
        """Take the declarations of all packages; the keyring is asked for when there is somebody to erase."""
        self._erasers = Erasers(declarations)
        self._keyring = keyring

    def erase(self, copy: Database, lacking: Lacking, at: float) -> int:
        """Add the suppressions that a copy lacks, erase the people, delete companies; return the number of records."""
        if lacking.is_empty():
            return 0
        keyring = self._keyring()
        reader = PersonKeyReader(Digests(keyring))
        with copy.write(RECORDS) as session:
            store.insert_keys(session, lacking.suppressed)
            numbers = {*lacking.contacts, *_suppressed_records(session, reader, lacking)}
            people = _read_people(session, reader, keyring, numbers)
            people.keys.update(each.digest for each in lacking.suppressed)
            self._erasers.erase(Erasure(session, people, at), notify=False)
            store.unlink_companies(session, lacking.companies)
            companies = store.select_keys_of(session, Entity.COMPANY, lacking.companies)
            self._erasers.delete(session, Entity.COMPANY, companies, at)
            # otherwise they would be found lacking for ever
            assert not store.select_existing(session, Entity.CONTACT, people.records)
            assert not store.select_existing(session, Entity.COMPANY, companies)
        return len(people.records) + len(companies)


def _suppressed_records(session: Session, reader: PersonKeyReader, lacking: Lacking) -> set[int]:
    """Return the records that hold a newly suppressed key, but those whose names contradict."""
    people: dict[bytes, set[bytes]] = defaultdict(set)
    for each in lacking.suppressed:
        people[each.digest].add(each.person)
    return {
        number
        for key, number in lacking.held
        if not reader.has_other_names(session, number, key, people[key])
    }


def _read_people(session: Session, reader: PersonKeyReader, keyring: Keyring, numbers: set[int]) -> People:
    people = People(keyring, {}, set())
    # not those that this release derives: the copy may hold keys by older rules
    stored = store.select_keys_of(session, Entity.CONTACT, numbers)
    for number in sorted(numbers):
        contact = store.select_contact(session, number)
        if contact is not None:
            keys = reader.read(session, number, contact)
            people.keys.update(keys.strong, keys.weak, keys.hashed, keys.listed)
            record = decode_contact(contact[1])
            people.records[number] = PersonRecord(record, contact[2], frozenset(stored[number]))
    return people
