"""Suppression: removes a person from every response and keeps later imports from restoring them.

See docs/reference/records.md#suppression.

The erasers that packages declare (`declarations.py`) delete the records and other personal data. Keyed hashes of all
keys of the person remain: look-ups by them return `COMPLIANCE_RESTRICTED`, and imports skip matching rows. The hash key
of the installation is never rotated. Lifting a suppression deletes the hashes; the data returns with the next import.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.identity import Digests
from firmograph.directory.matching import first_names_compatible, last_names_agree, names_contradict
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import hashed_address_digests, mailbox_digests
from firmograph.directory.suppressed_names import suppressed_name_forms
from firmograph.kit.clock import Clock, moment_of
from firmograph.kit.errors import Refused
from firmograph.privacy import store
from firmograph.privacy.declarations import Erasure, People, PersonalData, PersonRecord
from firmograph.privacy.erasing import Erasers
from firmograph.privacy.near_records import find_near_records
from firmograph.privacy.person_keys import PersonKeyReader, PersonKeys, names_of, read_names
from firmograph.privacy.store import SuppressedKey
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, MalformedId, RecordIds


class Person(NamedTuple):
    """Person identified by a key, and by the record number if that is the key."""

    digest: bytes
    number: int | None = None
    address: str = ""
    """The e-mail address, if that is the key."""
    mailbox: tuple[bytes, ...] = ()
    """Keys of its mailbox (`row_keys.mailbox_digests`)."""
    hashed: tuple[bytes, ...] = ()
    """Keys of its SHA-256 (`row_keys.hashed_address_digests`)."""


class ImportedSuppressions(NamedTuple):
    """Result of importing suppressions of another database."""

    added: int
    """Number of new hashes."""
    removed: int
    """Number of removed records."""


class _Holder(NamedTuple):
    """Record of a person with its keys."""

    record: PersonRecord
    keys: PersonKeys
    person: bytes
    """Key under which the person is suppressed."""


class RecordAction(Protocol):
    """Records an operator's action in its transaction; the audit lies above this package."""

    def __call__(
        self,
        session: Session,
        at: float,
        action: str,
        *,
        person: bytes | None = None,
        details: Mapping[str, int | str],
    ) -> None: ...


def _record_nothing(
    session: Session,
    at: float,
    action: str,
    *,
    person: bytes | None = None,
    details: Mapping[str, int | str],
) -> None: ...


class Suppression:
    """Suppression of people and its lifting; each call is one transaction."""

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        clock: Clock,
        declarations: Iterable[PersonalData],
        record: RecordAction = _record_nothing,
    ) -> None:
        """Take the declarations of all packages, in any order, and what records the operator's actions."""
        self._record = record
        self._database = database
        self._keyring = keyring
        self._digests = Digests(keyring)
        self._reader = PersonKeyReader(self._digests)
        self._tokens = RecordIds(keyring)
        self._clock = clock
        self._erasers = Erasers(declarations)

    def person(
        self, *, email: str | None = None, linkedin: str | None = None, id: str | None = None
    ) -> Person:
        """Return the person with one of these identifiers. Raises Refused if it is malformed or not exactly one."""
        if sum(value is not None for value in (email, linkedin, id)) != 1:
            raise Refused("Name the person by exactly one of --email, --linkedin and --id, or many by --file")
        if email is not None:
            address = normalise_email(email)
            if address is None:
                raise Refused("That is not an e-mail address")
            mailbox = mailbox_digests(self._digests, address)
            hashed = hashed_address_digests(self._digests, address)
            return Person(self._digests.contact_email(address), None, address, mailbox, hashed)
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
        return self.person_of(number)

    def person_of(self, number: int) -> Person:
        """Return the person of a contact."""
        return Person(self._digests.contact_id(number), number)

    def find(self, session: Session, person: Person) -> People:
        """Return all records and keys of a person, as the packages' finders take them."""
        return self._people(
            self._holders(session, [(person.digest, self.records_of(session, person))]),
            [person.digest, *person.mailbox[:1], *person.hashed],
        )

    def suppress(self, person: Person, *, action: str = "suppress", requested_at: float | None = None) -> int:
        """Suppress the person and return the number of deleted records, 0 if there was none yet.

        `action` stands in the audit. `requested_at` is the time of the person's request, now by default, which those
        who saw the person are notified of.
        """
        at = self._clock.seconds()
        with self._database.write(RECORDS) as session:
            store.insert_suppression(
                session, person.digest, {person.digest, *person.mailbox[:1]}, person.hashed, int(at)
            )
            holders = self._holders(session, [(person.digest, self.records_of(session, person))])
            keys = [person.digest, *person.mailbox[:1], *person.hashed]
            self._erase(session, holders, keys, at, requested_at=requested_at)
            details: dict[str, int | str] = {"records": len(holders)}
            if requested_at is not None:
                details["requested"] = moment_of(requested_at).date().isoformat()
            self._record(session, at, action, person=person.digest, details=details)
            return len(holders)

    def suppress_records(self, numbers: Iterable[int]) -> int:
        """Suppress the people of these records, in one transaction; return the number of deleted records."""
        at = self._clock.seconds()
        people = [(self.person_of(number).digest, [number]) for number in numbers]
        with self._database.write(RECORDS) as session:
            holders = self._holders(session, people)
            self._erase(session, holders, [digest for digest, _ in people], at)
            counts = {"people": len(people), "records": len(holders)}
            self._record(session, at, "suppress", details=counts)
            return len(holders)

    def suppress_listed(self, people: Mapping[bytes, Collection[int]], *, notify: bool = True) -> int:
        """Suppress the people of records, given by a key by which `lift_listed` lifts it, in one transaction.

        Return the number of deleted records. The caller records the action.
        """
        with self._database.write(RECORDS) as session:
            holders = self._holders(session, people.items())
            self._erase(session, holders, people, self._clock.seconds(), notify=notify)
            return len(holders)

    def lift_listed(self, session: Session, keys: Iterable[bytes]) -> None:
        """Lift what `suppress_listed` did under keys; part of the caller's transaction."""
        store.delete_people(session, keys)

    def near(self, person: Person) -> list[str]:
        """Return the ids of records that the person's address is near to, although they do not hold it."""
        if not person.address:
            return []
        with self._database.read() as session:
            numbers = find_near_records(session, self._digests, person.address)
        return [self._tokens.seal(Entity.CONTACT, number) for number in numbers]

    def unsuppress(self, person: Person) -> bool:
        """Lift the suppression of the person with this key; return whether there was one.

        An address that nobody holds also lifts that of its mailbox.
        """
        with self._database.write(RECORDS) as session:
            others = () if store.select_holders(session, person.digest) else person.mailbox
            lifted = any(store.delete_suppressions(session, key) for key in (person.digest, *others))
            if lifted:
                at = self._clock.seconds()
                self._record(session, at, "unsuppress", person=person.digest, details={})
            return lifted

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
            people: dict[bytes, set[bytes]] = defaultdict(set)
            for each in added:
                people[each.digest].add(each.person)
            holders = sorted(
                store.select_holders_of_keys(session, strong), key=lambda pair: strong[pair[0]] != pair[0]
            )
            holders += [
                (key, number)
                for key, number in with_id_hash
                if key in strong and self._has_weak_key(session, number, weak)
            ]
            found = self._holders(
                session,
                [
                    (strong[key], [number])
                    for key, number in holders
                    if not self._reader.has_other_names(session, number, key, people[key])
                ],
            )
            self._erase(session, found, [*strong, *weak], at)
            counts = {"added": len(added), "records": len(found)}
            self._record(session, at, "suppressions import", details=counts)
        return ImportedSuppressions(len(added), len(found))

    def _contacts_by_id_hash(self, digests: Collection[bytes]) -> list[tuple[bytes, int]]:
        """Return the contacts whose id has one of these hashes; called before the transaction as it visits all ids."""
        if not digests:
            return []
        pairs = ((self._digests.contact_id(n), n) for n in store.select_contact_ids(self._database.session()))
        return [(digest, number) for digest, number in pairs if digest in digests]

    def _has_weak_key(self, session: Session, number: int, weak: Collection[bytes]) -> bool:
        contact = store.select_contact(session, number)
        return contact is not None and not self._reader.read(session, number, contact).weak.isdisjoint(weak)

    def records_of(self, session: Session, person: Person) -> list[int]:
        """Return the records of a person: of an address also those of its mailbox, unless both names contradict."""
        if person.number is not None:
            return [person.number]
        holders = store.select_holders(session, person.digest)
        others = [
            number
            for key in person.mailbox[:1]
            for number in store.select_holders(session, key)
            if number not in holders
        ]
        if not holders or not others:
            return holders + others
        return holders + [one for one in others if self._may_be_one_of(session, one, holders)]

    def _may_be_one_of(self, session: Session, number: int, holders: Iterable[int]) -> bool:
        """Return whether a record of a mailbox may be a holder of the address that was asked for."""
        names = read_names(session, number)
        is_split = store.is_split(session, number)
        return any(
            not names_contradict(names, read_names(session, each))
            and not (is_split and store.is_split(session, each))
            for each in holders
        )

    def _erase(
        self,
        session: Session,
        holders: Mapping[int, _Holder],
        keys: Iterable[bytes],
        at: float,
        *,
        requested_at: float | None = None,
        notify: bool = True,
    ) -> None:
        """Suppress all keys of these records, and erase the people everywhere."""
        for each in holders.values():
            # names are compared for mailboxes alone
            names = each.keys.names if each.keys.mailboxes else ()
            forms = (suppressed_name_forms(self._digests, each.person, *name).all() for name in names)
            weak = each.keys.weak.union(each.keys.variants, each.keys.hashed, *forms)
            store.insert_suppression(session, each.person, each.keys.strong, weak, int(at))
        erasure = Erasure(session, self._people(holders, keys), at, requested_at)
        self._erasers.erase(erasure, notify=notify)

    def _people(self, holders: Mapping[int, _Holder], keys: Iterable[bytes]) -> People:
        every = set(keys).union(
            *(
                each.keys.strong | each.keys.weak | each.keys.hashed | each.keys.listed
                for each in holders.values()
            )
        )
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
            keys, record = self._reader.read(session, number, contact), decode_contact(contact[1])
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
        keys: PersonKeys,
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


def _is_same_person(record: Contact, other: Contact) -> bool:
    """Return whether two holders of one e-mail address are the same person, by the rules of imports."""
    (first, last), (other_first, other_last) = names_of(record), names_of(other)
    return last_names_agree(last, other_last) and first_names_compatible(first, other_first)
