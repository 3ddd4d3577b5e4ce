"""Search of people by one identifier, for reports and erasures of single people."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Database, Session
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.kit.errors import BadRequest, Refused
from firmograph.privacy.declarations import People
from firmograph.privacy.held_values import HeldValues
from firmograph.privacy.phone_scan import ReportProgress, find_by_phone, read_phone
from firmograph.privacy.suppression import Person, Suppression

_EXPECTED = (
    "Name the person by exactly one of --email, --phone, --linkedin and --id, or by --name and --company"
)


class PersonIdentifier(msgspec.Struct, frozen=True):
    """Identifier of a person, or a name with a company; exactly one is given."""

    email: str | None = None
    phone: str | None = None
    linkedin: str | None = None
    id: str | None = None
    name: str | None = None
    company: str | None = None
    """Name or domain."""

    def __post_init__(self) -> None:
        """Raise Refused unless exactly one identifier is given."""
        named = self.name if self.company else None
        given = [each for each in (self.email, self.phone, self.linkedin, self.id, named) if each is not None]
        if len(given) != 1 or (self.name is None) != (self.company is None):
            raise Refused(_EXPECTED)


class FoundPerson(NamedTuple):
    """Person that an identifier means."""

    person: Person
    """As suppressions take the person."""
    people: People
    """All records and keys; without a record those of the identifier alone."""


class PersonSearch:
    """Search that returns every person with an identifier."""

    def __init__(
        self, database: Database, suppression: Suppression, records: RecordLookup, values: HeldValues
    ) -> None:
        self._database = database
        self._suppression = suppression
        self._records = records
        self._values = values

    def find(
        self, identifier: PersonIdentifier, report: ReportProgress = lambda done, total: None
    ) -> list[FoundPerson]:
        """Return the people; a key that no record has is one person without records.

        Records that a suppression would remove together are one person. `report` shows the progress of a scan for a
        telephone number. Raises Refused for an identifier that is none.
        """
        if identifier.phone is not None:
            number = read_phone(identifier.phone)
            if number is None:
                raise Refused(
                    "That is not a telephone number; write it with its country code, as in +12025550101"
                )
            holders = find_by_phone(self._database, self._values, [number], report)[number]
            with self._database.read() as session:
                return self._people(session, holders)
        if identifier.name is not None:
            with self._database.read() as session:
                return self._people(session, self._named(session, identifier.name, identifier.company or ""))
        person = self._suppression.person(
            email=identifier.email, linkedin=identifier.linkedin, id=identifier.id
        )
        with self._database.read() as session:
            found = self._people(session, self._suppression.records_of(session, person))
            if len(found) > 1:
                return found
            return [FoundPerson(person, self._suppression.find(session, person))]

    def _named(self, session: Session, name: str, company: str) -> list[int]:
        try:
            query = self._records.queries.named_contact(name, company)
        except BadRequest as error:
            raise Refused(error.message.strip()) from None
        return self._records.people.every_match(session, query)

    def _people(self, session: Session, numbers: Iterable[int]) -> list[FoundPerson]:
        """Return the people of records, each once."""
        found: list[FoundPerson] = []
        for number in numbers:
            if not any(number in each.people.records for each in found):
                person = self._suppression.person_of(number)
                found.append(FoundPerson(person, self._suppression.find(session, person)))
        return found
