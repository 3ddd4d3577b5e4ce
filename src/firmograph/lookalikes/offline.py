"""Lookalikes for commands: over the database and the checkpoint, without a server, an account or a charge."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from firmograph.database.connection import Database, Session
from firmograph.directory.lookup.identifiers import (
    COMPANY_PAGE,
    DOMAIN,
    EMAIL,
    ID,
    PROFILE,
    IdentifierKind,
)
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.indexing.record_sample import companies_of, contacts_of, highest_numbers
from firmograph.installation import Installation
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.lookalikes.explanation import Traits
from firmograph.lookalikes.model.attributes import company_attributes, contact_attributes
from firmograph.lookalikes.model.similarity_model import UnknownFormat
from firmograph.lookalikes.model.training import (
    ReportProgress,
    is_training_due,
    learn_next,
    newest_model,
    put_in_force,
)
from firmograph.lookalikes.seeds import CompanySeedReader, ContactSeedReader, SeedReader
from firmograph.lookalikes.shapes import LEAST_SEEDS, MOST_SEEDS, CompanySeeds, ContactSeeds
from firmograph.security.record_ids import Entity


class Identifier(NamedTuple):
    """Identifier of a record as it was given."""

    name: str
    """`id`, `domain`, `linkedin` or `email`."""
    text: str


class GivenRecord(NamedTuple):
    """Record that a command was given by one or several identifiers; the first that names one record decides."""

    place: str
    """Option, or file and line, for messages."""
    identifiers: tuple[Identifier, ...]


class MissingSeed(NamedTuple):
    """Seed that names no record."""

    seed: GivenRecord
    reason: str


class FoundSeeds(NamedTuple):
    numbers: frozenset[int]
    given: int
    """Number of different seeds."""
    found: int
    """Number of those that name a record."""
    missing: Sequence[MissingSeed]


class _Name(NamedTuple):
    kind: IdentifierKind
    member: str
    """Member of the seeds of a request."""


NAMES: Final[Mapping[Entity, Mapping[str, _Name]]] = {
    Entity.CONTACT: {
        "id": _Name(ID, "ids"),
        "linkedin": _Name(PROFILE, "linkedin_urls"),
        "email": _Name(EMAIL, "emails"),
    },
    Entity.COMPANY: {
        "id": _Name(ID, "ids"),
        "domain": _Name(DOMAIN, "domains"),
        "linkedin": _Name(COMPANY_PAGE, "linkedin_urls"),
    },
}
"""Names of identifiers in the order in which those of one record are tried."""


def require_records(database: Database, entity: Entity) -> None:
    """Raise Refused, with what to do, if there are no records of a kind."""
    companies, contacts = highest_numbers(database.session())
    kind, highest = ("contacts", contacts) if entity is Entity.CONTACT else ("companies", companies)
    if not highest:
        raise Refused(f"There are no {kind} yet; load some with: firmograph import {kind} FILE")


def learn_if_due(database: Database, clock: Clock, report: ReportProgress) -> None:
    """Learn a similarity model if there is none, or if the records have doubled since, as servers do.

    Raises Refused, with advice, if another release has written the model in force.
    """
    try:
        is_due = newest_model(database) is None or is_training_due(database.session())
    except UnknownFormat as error:
        raise Refused(
            "The similarity model was written by another release; learn one with: firmograph lookalike train"
        ) from error
    if is_due:
        # another process may have been faster, whose model is as good
        put_in_force(database, clock, learn_next(database, report))


class SeedFinder:
    """Finder of the records that a command was given, by the rules of the API."""

    def __init__(self, installation: Installation, entity: Entity) -> None:
        self._entity = entity
        self._record_ids = installation.record_ids
        self._reader = _reader(installation, entity)
        self._names = NAMES[entity]

    def seeds(self, session: Session, given: Sequence[GivenRecord]) -> FoundSeeds:
        """Return the records of seeds.

        Raises Refused for a malformed identifier, naming its place, and for too few or too many different seeds.
        """
        different = {self._normal_form(each): each for each in given}
        different.pop((), None)
        nameless = [
            MissingSeed(each, f"has no {_choice(self._names)}") for each in given if not each.identifiers
        ]
        if not LEAST_SEEDS <= len(different) <= MOST_SEEDS:
            example = f": {nameless[0].seed.place} {nameless[0].reason}" if nameless else ""
            raise Refused(
                f"Give {LEAST_SEEDS} to {MOST_SEEDS} different seeds; these are {len(different)}{example}"
            )
        numbers: set[int] = set()
        unknown = []
        for each in different.values():
            found, reason = self._find(session, each)
            numbers |= found
            if not found:
                unknown.append(MissingSeed(each, reason))
        found_count = len(different) - len(unknown)
        return FoundSeeds(frozenset(numbers), len(different), found_count, [*nameless, *unknown])

    def exclusions(self, session: Session, given: Sequence[GivenRecord]) -> frozenset[int]:
        """Return every record that any of the identifiers names. Raises Refused for a malformed one."""
        lists: dict[str, list[str]] = {}
        for each in given:
            self._normal_form(each)
            for identifier in each.identifiers:
                lists.setdefault(self._names[identifier.name].member, []).append(identifier.text)
        return self._reader.find_excluded(session, self._read(lists)).every() if lists else frozenset()

    def _normal_form(self, given: GivenRecord) -> tuple[object, ...]:
        """Return the identifiers in normal form. Raises Refused for a malformed one."""
        return tuple((each.name, self._normalise(each, given.place)) for each in given.identifiers)

    def _normalise(self, identifier: Identifier, place: str) -> object:
        name, text = identifier
        kind = self._names[name].kind
        form = kind.normalise(text)
        if form is None:
            raise Refused(f"{place}: {text!r} {kind.expected}")
        if name == "id":
            number = self._record_ids.open(self._entity, form)
            return form if number is None else number
        return form

    def _find(self, session: Session, given: GivenRecord) -> tuple[frozenset[int], str]:
        """Return the record, or none and why."""
        reason = "no such record"
        for identifier in given.identifiers:
            read = self._read({self._names[identifier.name].member: [identifier.text]})
            listed = self._reader.find(session, read)
            listed = listed._replace(by_id=self._reader.existing(session, listed.by_id))
            if found := listed.unambiguous():
                return found, ""
            if listed.every():
                reason = "names several records"
        return frozenset(), reason

    def _read(self, lists: Mapping[str, Sequence[str]]) -> Any:
        shape: Any = ContactSeeds if self._entity is Entity.CONTACT else CompanySeeds
        return self._reader.read(shape(**lists), "seeds")


def traits_of(database: Database, entity: Entity, numbers: Collection[int]) -> dict[int, Traits]:
    """Return the attributes of records that exist, by number."""
    if entity is Entity.COMPANY:
        companies = companies_of(database, sorted(numbers))
        return {number: Traits(company_attributes(record)) for number, record in companies.items()}
    contacts = contacts_of(database, sorted(numbers))
    employers = companies_of(
        database, sorted({each.company for each in contacts.values() if each.company is not None})
    )
    attributes = {number: company_attributes(record) for number, record in employers.items()}
    return {
        number: Traits(
            contact_attributes(each.contact),
            attributes.get(each.company, ()) if each.company is not None else (),
        )
        for number, each in contacts.items()
    }


def _reader(installation: Installation, entity: Entity) -> SeedReader:
    record_ids, digests = installation.record_ids, installation.digests
    if entity is Entity.COMPANY:
        return CompanySeedReader(record_ids, digests)
    return ContactSeedReader(record_ids, digests, installation.get(RecordLookup))


def _choice(names: Collection[str]) -> str:
    """Return names as `id, linkedin or email`."""
    *first, last = names
    return f"{', '.join(first)} or {last}"
