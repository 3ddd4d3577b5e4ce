"""Searches over the imported demo data give the same answers as a plain filter over the records."""

from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from string import ascii_lowercase

import msgspec
import pytest
from conformance import KEYRING, TOKENS, finds_some, query_of, totals_of
from oracle import Answer, Oracle
from people_fixtures import wait
from record_set import Firm, Person, Records
from request_strategies import FILTERS, of_one_filter, requests
from sample_signals import signals_of_company, signals_of_contact
from value_strategies import Values

import database_fixtures
from demo_factory import demo_part
from effort import THOROUGH, examples
from firmograph.database.connection import RECORDS, Database
from firmograph.directory.identity import Digests
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.checkpoints import build_index
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.prospecting.service import DatabaseResolver
from firmograph.security.record_ids import Entity
from firmograph.settings import Settings
from firmograph.signals.events import Detected, HeadcountChange
from firmograph.signals.store import store_signals
from server_fixtures import Service
from stored_records import stored_companies, stored_contacts

# the engine answers, whatever database fills it
pytestmark = pytest.mark.sqlite

SHARES = {Entity.COMPANY: 64, Entity.CONTACT: 24}
"""Every how many rows are taken, so that the plain filter has an answer in milliseconds."""

WITHOUT_DATA = {
    ("contacts", "certifications"),
    ("contacts", "awards"),
    ("contacts", "previousEmails"),
    ("contacts", "education.fieldsOfStudy"),
    ("contacts", "education.startYearGte"),
}
"""By side: what no record of the demo data tells, so nothing matches."""


OVER_HTTP = (
    {"contacts": {"include": {"jobTitles": ["senator"]}}},
    {"contacts": {"exclude": {"departments": ["General Management"]}}},
    {"companies": {"include": {"locations": [{"countryGrouping": "EMEA"}], "mainIndustriesIds": [6, 9, 12]}}},
    {"companies": {"exclude": {"companyType": ["Public Company"], "names": ["inc"]}}},
    {"companies": {"include": {"signals": {"types": ["surgeInHiring", "linkedinActivityIntent"]}}}},
    {
        "contacts": {"include": {"locations": [{"country": "US"}]}},
        "companies": {"exclude": {"sizes": [{"min": 51}]}},
    },
)


class Demo:
    """A part of the demo data in a database, its records, and an index of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Database(database_fixtures.fresh(folder, "demo"))
        for kind, name in ((Entity.COMPANY, "companies"), (Entity.CONTACT, "contacts")):
            path = demo_part(name, folder, SHARES[kind])
            job = ImportTask(entity=kind, paths=[str(path)], source="demo", keyring=KEYRING)
            import_files(self.database, job, SetClock(), lambda *_: None, lambda *_: None)
        people, firms = stored_contacts(self.database), stored_companies(self.database)
        self.records = Records(
            {
                number: Person(number, company, record, signals_of_contact(Random(number)))
                for number, (record, company) in people.items()
            },
            {
                number: Firm(number, record, signals_of_company(Random(number)))
                for number, record in firms.items()
            },
        )
        put_all(self.database, Entity.CONTACT, self.records.contacts.values())
        put_all(self.database, Entity.COMPANY, self.records.companies.values())
        self.oracle = Oracle(self.records, TOKENS)
        employers = {person.company for person in self.records.contacts.values()}
        firms = {number: firm for number, firm in self.records.companies.items() if number in employers}
        self.values = {
            "contacts": Values(Records(self.records.contacts, firms), TOKENS),
            "companies": Values(self.records, TOKENS),
        }
        self.engine = build_index(MEMORY_SEARCH, self.database)

    def answer_of(self, endpoint, request) -> Answer:
        """Return the answer of the service. Fails if the oracle disagrees."""
        lookups = DatabaseResolver(
            self.database.session(), SearchSnapshot(self.engine), TOKENS, Digests(KEYRING)
        )
        found = self.engine.search(query_of(endpoint, request, lookups))
        answer = Answer(found.total, found.numbers)
        assert answer == getattr(self.oracle, endpoint)(request)
        return answer


def put_all(database, entity, records):
    """Store signals as detectors would; they are generated, as the demo data have few."""
    found = [
        Detected(entity, one.number, type, f"{place}", day, HeadcountChange(1, 2, 100), detail)
        for one in records
        for place, (type, detail, day) in enumerate(one.signals)
    ]
    with database.write(RECORDS) as session:
        store_signals(session, Digests(KEYRING), found, 0.0)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    made = Demo(tmp_path_factory.mktemp("demo"))
    yield made
    made.database.close()
    database_fixtures.drop(made.database.url)


@pytest.mark.parametrize("endpoint", ["contacts", "companies"])
@pytest.mark.parametrize("side", ["contacts", "companies"])
@pytest.mark.parametrize("clause", ["include", "exclude"])
def test_every_filter_finds_the_expected_real_records(demo, endpoint, side, clause):
    everyone, ask = len(getattr(demo.records, endpoint)), partial(demo.answer_of, endpoint)
    for name in FILTERS[endpoint, side]:
        requests_of_filter = of_one_filter(demo.values[endpoint], side, clause, name)
        efforts = (2,) if (side, name) in WITHOUT_DATA else (2, 15, 100)
        assert finds_some(ask, requests_of_filter, everyone, *efforts) is (
            (side, name) not in WITHOUT_DATA
        ), name


PAIRS = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)][:: 1 if THOROUGH else 7]


@pytest.mark.parametrize(
    ("entity", "name", "offered"),
    [
        (
            Entity.CONTACT,
            "locations",
            lambda discovery: suggested(PAIRS, partial(discovery.locations, Entity.CONTACT)),
        ),
        (
            Entity.COMPANY,
            "locations",
            lambda discovery: suggested(PAIRS, partial(discovery.locations, Entity.COMPANY)),
        ),
        (
            Entity.COMPANY,
            "technologies",
            lambda discovery: [one.name for one in suggested(PAIRS, discovery.technologies)],
        ),
        (
            Entity.COMPANY,
            "ids",
            lambda discovery: [one.company_id for one in suggested(PAIRS, discovery.company_names)],
        ),
        (Entity.COMPANY, "sicCodes", lambda discovery: [one.code for one in discovery.codes(fields.SIC)]),
        (Entity.COMPANY, "naicsCodes", lambda discovery: [one.code for one in discovery.codes(fields.NAICS)]),
        (Entity.COMPANY, "intentTopics", lambda discovery: discovery.intent_topics()),
    ],
)
def test_every_offered_value_finds_some_record_by_default(demo, entity, name, offered):
    index = ActiveIndex()
    index.serve(demo.engine)
    discovery = Discovery(demo.database, index, TOKENS)
    values = {msgspec.json.encode(value): value for value in offered(discovery)}
    assert values
    kind = "contacts" if entity is Entity.CONTACT else "companies"
    lookups = DatabaseResolver(demo.database.session(), SearchSnapshot(demo.engine), TOKENS, Digests(KEYRING))
    for value in values.values():
        request = {"filters": {kind: {"include": {name: [value]}}}}
        assert demo.engine.search(query_of(kind, request, lookups)).total, value


def suggested(queries, suggest):
    """Return the suggestions for all of the queries."""
    return [one for query in queries for one in suggest(query)]


@pytest.mark.parametrize("endpoint", ["contacts", "companies"])
def test_real_records_are_found_by_filters_of_both_sides(demo, endpoint):
    totals_of(partial(demo.answer_of, endpoint), requests(endpoint, demo.values[endpoint]), examples(50))


def test_the_service_answers_the_same(demo):
    service = Service(
        demo.database, KEYRING, SetClock(), Settings(search_folder=str(demo.folder), lookalikes=False)
    )
    with service.client:
        wait(service)
        for endpoint, kind in (("contacts", Entity.CONTACT), ("companies", Entity.COMPANY)):
            for filters in OVER_HTTP:
                request = {"filters": filters, "pagination": {"size": 100}}
                answer = service.post(f"/v3/{endpoint}/prospecting", request).json()
                numbers = [TOKENS.open(kind, result["id"]) for result in answer["results"]]
                expected = getattr(demo.oracle, endpoint)(request)
                assert Answer(answer["pagination"]["total"], numbers) == expected
                assert expected.total
