"""What any search engine must pass: engines filled with records, asked as a request asks them, beside the oracle."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from generated_records import Firm, Person, Records
from oracle import Answer, Json, Oracle

from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.kit.keyring import Keyring
from firmograph.kit.tokens import Entity, Tokens
from firmograph.prospecting import filters, shapes
from firmograph.prospecting.company_entry import company_entry
from firmograph.prospecting.contact_entry import contact_entry
from firmograph.prospecting.engine import Changes, SearchEngine
from firmograph.prospecting.memory.build import Builder
from firmograph.prospecting.memory.engine import MemoryEngine

TOKENS = Tokens(Keyring(hash="ab" * 32, tokens={1: "cd" * 32}))


def entries_of(people: Iterable[Person], firms: Iterable[Firm], sequence: int = 1) -> Changes:
    return Changes(
        sequence,
        companies=[company_entry(firm.number, firm.record) for firm in firms],
        contacts=[contact_entry(person.number, person.company, person.record) for person in people],
    )


# --- engines ---


class Kind(NamedTuple):
    """A way in which an engine comes to hold records."""

    name: str
    filled: Callable[[Records, Path], SearchEngine]


def _applied(records: Records, folder: Path) -> SearchEngine:
    engine = MemoryEngine.empty()
    engine.apply(entries_of(records.contacts.values(), records.companies.values()))
    return engine


def _built(records: Records, folder: Path) -> SearchEngine:
    builder = Builder()
    changes = entries_of(records.contacts.values(), records.companies.values())
    for entry in changes.companies:
        builder.add_company(entry)
    for entry in changes.contacts:
        builder.add_contact(entry)
    return builder.finish(changes.sequence)


ENGINES = (Kind("memory, applied", _applied), Kind("memory, built", _built))
"""A second engine joins the suite by standing here."""


# --- requests ---


class RecordResolver:
    """Finds records by what names one of them, among the records of a test."""

    def __init__(self, records: Records, engine: SearchEngine) -> None:
        self._records = records
        self._engine = engine

    def contacts(
        self, *, ids: Sequence[str] = (), emails: Sequence[str] = (), linkedin_urls: Sequence[str] = ()
    ) -> frozenset[int]:
        found = {TOKENS.open(Entity.CONTACT, text) for text in ids} & self._records.contacts.keys()
        for person in self._records.contacts.values():
            links = person.record.social_links
            slug = linkedin_slug(links.linkedin, "in") if links and links.linkedin else None
            if slug in linkedin_urls or any(one.email in emails for one in person.record.emails):
                found.add(person.number)
        return frozenset(found)

    def companies(
        self, *, ids: Sequence[str] = (), domains: Sequence[str] = (), linkedin_urls: Sequence[str] = ()
    ) -> frozenset[int]:
        found = {TOKENS.open(Entity.COMPANY, text) for text in ids} & self._records.companies.keys()
        for firm in self._records.companies.values():
            links = firm.record.social_links
            slug = linkedin_slug(links.linkedin, "company") if links and links.linkedin else None
            hosts = (firm.record.domain, *firm.record.alternative_domains)
            if slug in linkedin_urls or any(host in domains for host in hosts):
                found.add(firm.number)
        return frozenset(found)

    def centre(self, postcode: str) -> tuple[float, float] | None:
        return self._engine.centre(postcode)


class Subject:
    """An engine, and the records that it must answer from."""

    def __init__(self, engine: SearchEngine, records: Records) -> None:
        self.engine = engine
        self.records = records
        self.oracle = Oracle(records, TOKENS)
        self.resolver = RecordResolver(records, engine)

    def found(self, endpoint: str, request: Json) -> Answer:
        raw = msgspec.json.encode(request)
        if endpoint == "contacts":
            query = filters.contact_query(
                msgspec.json.decode(raw, type=shapes.ContactProspecting), self.resolver
            )
        else:
            query = filters.company_query(
                msgspec.json.decode(raw, type=shapes.CompanyProspecting), self.resolver
            )
        found = self.engine.search(query)
        return Answer(found.total, found.numbers)

    def expected(self, endpoint: str, request: Json) -> Answer:
        return getattr(self.oracle, endpoint)(request)

    def agrees(self, endpoint: str, request: Json) -> Answer:
        """Asserts that engine and oracle answer the same; the answer."""
        expected = self.expected(endpoint, request)
        assert self.found(endpoint, request) == expected
        return expected
