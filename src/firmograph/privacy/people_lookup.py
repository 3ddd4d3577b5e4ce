"""Lookup of the people that lines of a file name, for commands about many people."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from firmograph.database.connection import Database, Session
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.matching import first_names_compatible, last_names_agree, names_contradict
from firmograph.directory.names import split_full_name
from firmograph.kit.errors import BadRequest, Refused
from firmograph.privacy import store
from firmograph.privacy.held_values import HeldValues
from firmograph.privacy.person_keys import read_names
from firmograph.privacy.phone_scan import find_by_phone, read_phone
from firmograph.privacy.suppression import Person, Suppression

Identifiers = Mapping[str, str]
"""Texts by the argument names of `QueryReader.contact`, `full_name` and `phone`."""

_STRONG = {"id": "id", "linkedin_url": "linkedin", "email": "email"}
"""Identifiers that name a person by themselves, and their names as arguments of `Suppression.person`."""
_NAMES = ("first_name", "last_name", "full_name")
_NOBODY = "nobody has this {}"
_SEVERAL = "several people have this {}: give an e-mail, a LinkedIn URL or an id"


class FoundPeople(NamedTuple):
    """Result of a line."""

    people: Sequence[Person]
    """The person, once for each identifier."""
    problem: str = ""
    """Why there is none."""


class PeopleLookup:
    """Lookup by id, LinkedIn URL and e-mail, else by phone, else by name and company."""

    def __init__(
        self, database: Database, suppression: Suppression, records: RecordLookup, values: HeldValues
    ) -> None:
        self._database = database
        self._suppression = suppression
        self._records = records
        self._values = values

    def find(self, lines: Sequence[Identifiers]) -> list[FoundPeople]:
        """Return the people of each line.

        A line with several of id, LinkedIn URL and e-mail means one person with all of them. One who is not held is
        found by e-mail and LinkedIn URL, but by neither phone nor name.
        """
        wanted = {number for line in lines if (number := _asked_phone(line))}
        by_phone = find_by_phone(self._database, self._values, wanted)
        found = []
        for line in lines:
            # a snapshot for each, so that a long file keeps none open
            with self._database.read() as session:
                found.append(self._find(session, line, by_phone))
        return found

    def find_suppressed(self, line: Identifiers) -> FoundPeople:
        """Return the person of a line for each of its id, LinkedIn URL and e-mail, by which one is suppressed."""
        if _STRONG.keys().isdisjoint(line):
            return FoundPeople((), "a suppressed person is known by e-mail, LinkedIn URL or id alone")
        try:
            return FoundPeople(self._strong(line))
        except Refused as refusal:
            return FoundPeople((), refusal.message)

    def _strong(self, line: Identifiers) -> list[Person]:
        """Return the person of each strong identifier. Raises Refused for a malformed one."""
        return [
            self._suppression.person(**{argument: line[name]})
            for name, argument in _STRONG.items()
            if name in line
        ]

    def _find(
        self, session: Session, line: Identifiers, by_phone: Mapping[str, Collection[int]]
    ) -> FoundPeople:
        if not _STRONG.keys().isdisjoint(line):
            return self._by_identifiers(session, line)
        if "phone" in line:
            number = _asked_phone(line)
            if number is None:
                return FoundPeople((), "the telephone number cannot be read; write it with its country code")
            holders = self._of_name(session, by_phone.get(number, ()), line)
            return self._only_one(holders, "telephone number")
        return self._by_name(session, line)

    def _by_identifiers(self, session: Session, line: Identifiers) -> FoundPeople:
        try:
            people = self._strong(line)
        except Refused as refusal:
            return FoundPeople((), refusal.message)
        groups = [set(self._suppression.records_of(session, person)) for person in people]
        held = [group for group in groups if group]
        if any(not self._are_one_person(session, held[0] | group) for group in held[1:]):
            return FoundPeople((), "its identifiers are of different people")
        if not held and line.keys() & _STRONG.keys() == {"id"}:
            is_done = store.select_suppressed(session, {people[0].digest})
            return FoundPeople(people) if is_done else FoundPeople((), _NOBODY.format("id"))
        return FoundPeople(people)

    def _are_one_person(self, session: Session, numbers: Iterable[int]) -> bool:
        names = [read_names(session, number) for number in numbers]
        return not any(names_contradict(names[0], other) for other in names[1:])

    def _by_name(self, session: Session, line: Identifiers) -> FoundPeople:
        given = dict(line)
        if full_name := given.pop("full_name", None):
            first, last = split_full_name(full_name)
            given = {"first_name": first, "last_name": last} | given
        try:
            hit = self._records.contacts(session, [self._records.queries.contact((), **given)])[0]
        except BadRequest as error:
            return FoundPeople((), error.message.strip())
        if hit.contact is None:
            return FoundPeople((), "no single person of this name at this company")
        return FoundPeople([self._suppression.person_of(hit.contact.number)])

    def _only_one(self, numbers: Collection[int], what: str) -> FoundPeople:
        if len(numbers) == 1:
            return FoundPeople([self._suppression.person_of(number) for number in numbers])
        return FoundPeople((), (_SEVERAL if numbers else _NOBODY).format(what))

    def _of_name(self, session: Session, numbers: Collection[int], line: Identifiers) -> list[int]:
        """Return those of these records that have the name of the line, if it has one."""
        if not any(name in line for name in _NAMES):
            return list(numbers)
        first, last = split_full_name(line.get("full_name", ""))
        first, last = line.get("first_name", first), line.get("last_name", last)
        held = {number: read_names(session, number) for number in numbers}
        return [
            number
            for number, (held_first, held_last) in held.items()
            if last_names_agree(last, held_last) and first_names_compatible(first, held_first)
        ]


def _asked_phone(line: Identifiers) -> str | None:
    """Return the telephone number by which a line is looked up as E.164."""
    if "phone" not in line or not _STRONG.keys().isdisjoint(line):
        return None
    return read_phone(line["phone"])
