"""Suppression: a person disappears from every answer, and no later import brings them back (decisions A).

The record is deleted, and what else is known of the person with it (`Eraser`). What stays are keyed hashes of every
key that it had, by which look-ups answer `COMPLIANCE_RESTRICTED` and imports skip its rows. They are made under the
installation's hash key, which is never rotated. Lifting a suppression removes the hashes; the data returns with the
next import.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from firmograph.database.connection import EVERY_ACCOUNT, RECORDS, SUBSCRIPTIONS, Database, Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.contact_json import ContactFragments, contact_record
from firmograph.directory.identity import Digests
from firmograph.directory.matching import first_names_compatible, last_names_agree
from firmograph.directory.names import full_names, held_blocks
from firmograph.directory.normalise.emails import normalise_email
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Contact
from firmograph.directory.row_keys import contact_strong
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.privacy import store
from firmograph.privacy.store import Hash
from firmograph.security.record_ids import Entity, MalformedId, Tokens


class Person(NamedTuple):
    """Who is meant: a key, and the record number where that is the key."""

    digest: bytes
    number: int | None = None


class Adopted(NamedTuple):
    """What the suppressions of another database changed."""

    added: int
    """Hashes."""
    removed: int
    """Records."""


class _Employer(msgspec.Struct):
    name: str = ""
    domain: str = ""


class _Keys(NamedTuple):
    strong: set[bytes]
    """E-mails, LinkedIn, source ids and id."""
    emails: set[bytes]
    """Those of the strong ones that others may share."""
    weak: set[bytes]
    """Name and company, of today and of before."""
    held: set[bytes]
    """Those that stand in the key table."""


class Removed(NamedTuple):
    """A record as it was until now."""

    record: Contact
    card: bytes | None
    """The inside of the employer's `company` object."""


class Gone(NamedTuple):
    """Whom one transaction removes."""

    people: dict[int, Removed]
    """By the numbers of their records."""
    keys: set[bytes]
    """Everyone's who is meant, strong and weak ones."""


class Eraser(Protocol):
    """Erases what is known of people beside their records, or does what else has to be done when they go."""

    def __call__(self, session: Session, gone: Gone, at: float) -> None:
        """Erase these people, whose records went just now, and everyone who has one of the keys.

        Part of the caller's transaction, of the scopes RECORDS, SUBSCRIPTIONS and EVERY_ACCOUNT: whoever was shown
        one of them is known by now, and nobody is being shown one meanwhile.
        """


class Suppression:
    """Suppresses people and lifts it again; each call is one transaction."""

    def __init__(
        self,
        database: Database,
        digests: Digests,
        tokens: Tokens,
        clock: Clock,
        erasers: Sequence[Eraser] = (),
    ) -> None:
        """The erasers see to what other rooms know of people; `webhooks.erase` puts all of them together."""
        self._database = database
        self._digests = digests
        self._tokens = tokens
        self._clock = clock
        self._erasers = erasers

    def person(
        self, *, email: str | None = None, linkedin: str | None = None, id: str | None = None
    ) -> Person:
        """Who exactly one of these identifiers means. Raises Refused when it is malformed or not exactly one."""
        if sum(given is not None for given in (email, linkedin, id)) != 1:
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

    def suppress(self, person: Person) -> int:
        """Remove the person; how many records went. The identifier is kept out even when nothing is held yet."""
        at = self._clock.seconds()
        with self._database.write(RECORDS) as session:
            store.put(session, person.digest, [person.digest], [], int(at))
            numbers = [person.number] if person.number is not None else store.holders(session, person.digest)
            gone = Gone({}, {person.digest})
            self._remove(session, numbers, person.digest, at, gone)
            self._erase(session, gone, at)
            return len(gone.people)

    def unsuppress(self, person: Person) -> bool:
        """Lift it, whichever of the person's keys it is asked by; whether there was anything to lift."""
        with self._database.write(RECORDS) as session:
            return store.lift(session, person.digest) > 0

    def adopt(self, hashes: Sequence[Hash], last_contact: int) -> Adopted:
        """Suppress whom these hashes of another database under the same keys mean; no suppression is ever lifted.

        Every record that holds a strong key that is new here goes, as an import would skip its row; first those of
        the key by which their person was suppressed. Someone of whom nothing but the record's number is strong is
        known again by number, name and company. Contacts get numbers after the last one of the other database.
        """
        at = self._clock.seconds()
        numbered = self._numbered({each.digest for each in hashes if each.strong})
        with self._database.write(RECORDS) as session:
            new = store.unheld(session, hashes)
            store.put_hashes(session, new)
            store.raise_last_contact(session, last_contact)
            strong = {each.digest: each.person for each in new if each.strong}
            weak = {each.digest for each in new if not each.strong}
            holders = sorted(store.holders_of(session, strong), key=lambda held: strong[held[0]] != held[0])
            holders += [
                held for held in numbered if held[0] in strong and self._is_named(session, held[1], weak)
            ]
            gone = Gone({}, strong.keys() | weak)
            for key, number in holders:
                self._remove(session, [number], strong[key], at, gone)
            self._erase(session, gone, at)
        return Adopted(len(new), len(gone.people))

    def _numbered(self, digests: Collection[bytes]) -> list[tuple[bytes, int]]:
        """The contacts whose id has one of these digests; before the transaction, as every number is looked at."""
        if not digests:
            return []
        made = ((self._digests.contact_id(n), n) for n in store.numbers(self._database.session()))
        return [(digest, number) for digest, number in made if digest in digests]

    def _is_named(self, session: Session, number: int, weak: Collection[bytes]) -> bool:
        held = store.contact(session, number)
        return held is not None and not self._keys(session, number, *held).weak.isdisjoint(weak)

    def _erase(self, session: Session, gone: Gone, at: float) -> None:
        # last, as all charging waits from here on; who was just then being shown a person is waited for
        session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
        for erase in self._erasers:
            erase(session, gone, at)

    def _remove(self, session: Session, numbers: Iterable[int], person: bytes, at: float, gone: Gone) -> None:
        """Remove these records, and every other record of the person that holds one of their keys."""
        for number in numbers:
            held = store.contact(session, number)
            if held is None:
                continue
            keys, record = self._keys(session, number, *held), contact_record(held[1])
            store.put(session, person, keys.strong, keys.weak, int(at))
            is_split = store.is_split(session, number)
            store.delete(session, number, keys.held)
            gone.people[number] = Removed(record, held[2])
            gone.keys.update(keys.strong, keys.weak)
            others = self._of_the_same(session, record, keys, is_split=is_split)
            self._remove(session, others, person, at, gone)

    def _of_the_same(self, session: Session, record: Contact, keys: _Keys, *, is_split: bool) -> set[int]:
        """Other records of the person: an import never merges two, and leaves a key that both have with one.

        Records that an operator split are strangers, whatever keys they share.
        """
        numbers: set[int] = set()
        for key in keys.strong:
            for number in store.holders(session, key):
                held = store.contact(session, number)
                if is_split and store.is_split(session, number):
                    continue
                if held and (key not in keys.emails or _one_person(record, contact_record(held[1]))):
                    numbers.add(number)
        return numbers

    def _keys(
        self,
        session: Session,
        number: int,
        company_id: int | None,
        fragments: ContactFragments,
        card: bytes | None,
    ) -> _Keys:
        record = contact_record(fragments)
        strong, emails = {self._digests.contact_id(number)}, self._emails(record)
        weak = self._weak(session, record, card)
        for source, source_id, row in store.rows(session, number):
            shown = msgspec.json.decode(row, type=Contact) if row is not None else record
            strong.update(contact_strong(self._digests, source, source_id, shown))
            emails |= self._emails(shown)
            weak |= self._weak(session, shown, None)
        blocks = held_blocks(*_names(record)) if company_id is not None else []
        held = strong | {self._digests.contact_name(company_id or 0, block) for block in blocks}
        return _Keys(strong | emails, emails, weak, held)

    def _emails(self, record: Contact) -> set[bytes]:
        addresses = [*(email.email for email in record.emails), *record.previous_emails]
        return {self._digests.contact_email(address) for address in addresses}

    def _weak(self, session: Session, record: Contact, card: bytes | None) -> set[bytes]:
        """Of the name at its employers, those of before too, as a row names them and as their records do."""
        refs = [record.company] if record.company else []
        refs += [job.company for job in record.previous_employment]
        named = [(ref.name or "", ref.domain or "") for ref in refs]
        linked = sorted({ref.id for ref in refs if ref.id is not None})
        for each in (*([card] if card is not None else []), *store.cards(session, linked)):
            employer = msgspec.json.decode(b"{%s}" % each, type=_Employer)
            named.append((employer.name, employer.domain))
        companies = {
            company for name, domain in named for company in (*company_keys(name), domain) if company
        }
        names = full_names(*_names(record))
        return {self._digests.contact_name_company(name, company) for name in names for company in companies}


def _names(record: Contact) -> tuple[str, str]:
    return record.first_name or "", record.last_name or ""


def _one_person(record: Contact, other: Contact) -> bool:
    """Whether two holders of one e-mail address are one person, as imports judge it."""
    (first, last), (other_first, other_last) = _names(record), _names(other)
    return last_names_agree(last, other_last) and first_names_compatible(first, other_first)
