"""The conformance suite of search engines: requests to filled engines, compared with the oracle."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy
from oracle import Answer, Json, Oracle
from oracle_companies import at_domains
from record_set import TODAY, Firm, Person, Records

from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.indexing.checkpoints import read_checkpoint, write_checkpoint
from firmograph.indexing.removed_records import NONE_REMOVED, RemovedRecords
from firmograph.prospecting.engines.memory.build import Builder
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters.compiler import Resolver, company_query, contact_query
from firmograph.prospecting.filters.requests import CompanyProspecting, ContactProspecting
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry
from firmograph.prospecting.indexing.entry_changes import EntryChanges
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.activity.record_activity import Activity, DatedSignal, derive_activity

CALM = settings(suppress_health_check=list(HealthCheck), phases=set(Phase) - {Phase.explain})
KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})
TOKENS = RecordIds(KEYRING)


def entries_of(records: Records, sequence: int = 1) -> EntryChanges:
    """Return all these records as entries of a change batch."""
    return EntryChanges(
        sequence,
        companies=[
            company_entry(firm.number, firm.record, activity_of(firm)) for firm in records.companies.values()
        ],
        contacts=[
            contact_entry(one.number, one.company, one.record, activity_of(one))
            for one in records.contacts.values()
        ],
    )


def activity_of(record: Person | Firm) -> Activity:
    return derive_activity(
        DatedSignal(signal.type, signal.detail, signal.day, signal.ahead) for signal in record.signals
    )


# --- engines ---


class Kind(NamedTuple):
    """One engine under test, and the ways to fill it."""

    empty: Callable[[], SearchEngine]
    filled: Mapping[str, Callable[[Records], SearchEngine]]
    """Ways to make it from all records at once."""
    restarted: Callable[[SearchEngine], SearchEngine]
    """The same engine after a restart."""


def _applied(records: Records) -> MemoryEngine:
    engine = MemoryEngine.empty()
    engine.apply(entries_of(records))
    return engine


def _built(records: Records, sequence: int = 1) -> MemoryEngine:
    builder, changes = Builder(), entries_of(records, sequence)
    for entry in changes.companies:
        builder.add_company(entry)
    for entry in changes.contacts:
        builder.add_contact(entry)
    return builder.finish(sequence)


def _read_again(engine: MemoryEngine) -> MemoryEngine:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "checkpoint"
        write_checkpoint(MEMORY_SEARCH, engine, file, "identity")
        return read_checkpoint(MEMORY_SEARCH, file, "identity")


MEMORY = Kind(
    MemoryEngine.empty,
    {"applied": _applied, "built": _built, "read again": lambda records: _read_again(_built(records))},
    _read_again,
)
KINDS = {"memory": MEMORY}
"""Every engine under test."""


# --- requests ---


class RecordResolver:
    """A resolver over the records of a test; it is not itself under test."""

    def __init__(self, records: Records, engine: SearchSnapshot) -> None:
        self._records = records
        self._engine = engine

    def contacts(self, given: ContactIdentifiers) -> frozenset[int]:
        found = {TOKENS.open(Entity.CONTACT, text) for text in given.ids} & self._records.contacts.keys()
        for person in self._records.contacts.values():
            links = person.record.social_links
            slug = linkedin_slug(links.linkedin, "in") if links and links.linkedin else None
            if slug in given.linkedin_urls or any(one.email in given.emails for one in person.record.emails):
                found.add(person.number)
        return frozenset(found)

    def companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return self._companies(given, excludes=False)

    def excluded_companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return self._companies(given, excludes=True)

    def _companies(self, given: CompanyIdentifiers, *, excludes: bool) -> frozenset[int]:
        found = {TOKENS.open(Entity.COMPANY, text) for text in given.ids} & self._records.companies.keys()
        for firm in self._records.companies.values():
            links = firm.record.social_links
            if links and links.linkedin and linkedin_slug(links.linkedin, "company") in given.linkedin_urls:
                found.add(firm.number)
        hosts = at_domains(given.domains, self._records, excludes=excludes) if given.domains else set()
        return frozenset(found | hosts)

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        return self._engine.postcode_centre(postcode)


class Trial:
    """Records, engines filled with them, and the expected answers of the oracle."""

    def __init__(
        self, records: Records, engines: Mapping[str, SearchEngine], removed: RemovedRecords = NONE_REMOVED
    ) -> None:
        self.records = records
        self.engines = {name: SearchSnapshot(engine, removed) for name, engine in engines.items()}
        self.oracle = Oracle(records, TOKENS)

    def answer_of(self, endpoint: str, request: Json) -> Answer:
        """Return the answer of all engines. Fails if an engine and the oracle, or two engines, disagree."""
        expected: Answer = getattr(self.oracle, endpoint)(request)
        for name, engine in self.engines.items():
            found = engine.search(query_of(endpoint, request, RecordResolver(self.records, engine)))
            assert Answer(found.total, found.numbers) == expected, name
        return expected


def query_of(endpoint: str, request: Json, resolver: Resolver) -> Query:
    raw = msgspec.json.encode(request)
    if endpoint == "contacts":
        return contact_query(msgspec.json.decode(raw, type=ContactProspecting), resolver, TODAY)
    return company_query(msgspec.json.decode(raw, type=CompanyProspecting), resolver, TODAY)


def totals_of(answer_of: Callable[[Json], Answer], requests: SearchStrategy[Json], examples: int) -> set[int]:
    """Return the totals of the answers to generated requests."""
    totals: set[int] = set()

    @settings(CALM, max_examples=examples)
    @given(requests)
    def run(request: Json) -> None:
        totals.add(answer_of(request).total)

    run()
    return totals


def finds_some(
    answer_of: Callable[[Json], Answer], requests: SearchStrategy[Json], everyone: int, *examples: int
) -> bool:
    """Return whether some request finds some records but not all, trying more examples in each round."""
    return any(
        0 < total < everyone for effort in examples for total in totals_of(answer_of, requests, effort)
    )
