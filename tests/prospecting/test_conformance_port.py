"""Engines give all parts of the port the answers of the oracle: exports, several searches, counts, suggestions."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from conformance import CALM, KINDS, TOKENS, RecordResolver, query_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Oracle
from oracle_employees import CRITERIA, expected_employees, members_of
from oracle_suggestions import plain
from record_set import Records
from remote_engine import EngineServer, RemoteEngine
from request_strategies import requests
from sample_records import generated
from value_strategies import Values

from effort import THOROUGH, examples
from firmograph.directory.company_json import is_partial
from firmograph.indexing.removed_records import RemovedRecords
from firmograph.prospecting.engines import fields
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

EVERY = 100_000
WAYS = [*((name, way) for name, kind in KINDS.items() for way in kind.filled), ("remote", "a socket")]
REMOVED = {"some removed": 25, "nobody removed": 0}
CASES = [
    (name, way, removed)
    for name, way in WAYS
    for removed in REMOVED
    if THOROUGH or removed == "some removed" or way == "built"
]


@cache
def records():
    return generated(20_260_102, contacts=160, companies=40)


@cache
def values():
    return Values(records(), TOKENS)


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def case(request):
    """Return the names of an engine, of the way to fill it, and of those who are removed."""
    return request.param


@pytest.fixture(scope="module")
def engine(case):
    """Return each engine under test, filled in each way."""
    name, way, _ = case
    if name != "remote":
        yield KINDS[name].filled[way](records())
        return
    server = EngineServer(KINDS["memory"].filled["built"](records()))
    yield RemoteEngine(server.port, 60.0, server.engine.applied)
    server.stop()


@pytest.fixture(scope="module")
def removed(case):
    """Return contacts that were deleted after the engine last followed."""
    return RemovedRecords(contacts=sorted(records().contacts)[: REMOVED[case[2]] * 3 : 3])


@pytest.fixture(scope="module")
def remaining(removed):
    contacts = {number: one for number, one in records().contacts.items() if number not in removed.contacts}
    return Records(contacts, dict(records().companies))


@pytest.mark.parametrize("endpoint", ["contacts", "companies"])
def test_exports_are_all_matches_in_order(engine, removed, remaining, endpoint):
    oracle, snapshot = Oracle(remaining, TOKENS), SearchSnapshot(engine, removed)
    sizes = set()

    @settings(CALM, max_examples=examples(40))
    @given(requests(endpoint, values(), circles=False))
    def run(request):
        expected = getattr(oracle, endpoint)({**request, "pagination": {"size": EVERY}})
        query = query_of(endpoint, request, RecordResolver(remaining, snapshot))
        assert [number for chunk in snapshot.matches(query) for number in chunk] == expected.numbers
        sizes.add(expected.total)

    run()
    assert len(sizes) > 2


@pytest.mark.parametrize("most", [1, 3])
def test_exports_keep_the_cap_per_company(engine, removed, remaining, most):
    request = {
        "filters": {"contacts": {"exclude": {"names": ["nobody is called this"]}}},
        "options": {"maxContactsPerCompany": most},
    }
    expected = Oracle(remaining, TOKENS).contacts({**request, "pagination": {"size": EVERY}})
    snapshot = SearchSnapshot(engine, removed)
    query = query_of("contacts", request, RecordResolver(remaining, snapshot))
    assert [number for chunk in snapshot.matches(query) for number in chunk] == expected.numbers
    assert 0 < expected.total < len(remaining.contacts)


def test_several_searches_give_what_each_gives_alone(engine, removed, remaining):
    oracle, snapshot = Oracle(remaining, TOKENS), SearchSnapshot(engine, removed)

    @settings(CALM, max_examples=examples(20))
    @given(
        st.lists(requests("contacts", values(), circles=False), max_size=3),
        st.lists(requests("companies", values(), circles=False), max_size=3),
    )
    def run(of_contacts, of_companies):
        asked = [("contacts", one) for one in of_contacts] + [("companies", one) for one in of_companies]
        expected = [getattr(oracle, endpoint)(request) for endpoint, request in asked]
        resolver = RecordResolver(remaining, snapshot)
        found = snapshot.search_many([query_of(endpoint, request, resolver) for endpoint, request in asked])
        assert [(one.total, one.numbers) for one in found] == [(one.total, one.numbers) for one in expected]

    run()


def test_employees_and_what_each_meets_are_those_of_the_records(engine, removed, remaining):
    snapshot, criteria = SearchSnapshot(engine, removed), list(CRITERIA)
    companies = [3, 1, *range(40, 3, -1), 41, 1_000_000]
    expected = expected_employees(remaining, companies)
    assert members_of(snapshot.employees(companies, criteria)) == expected
    for place, company in enumerate(companies):
        assert members_of(snapshot.employees([company], criteria)) == expected[place : place + 1]
    met = [one.met for members in expected for one in members]
    assert [any(column) for column in zip(*met, strict=True)].count(False) == 1
    assert len(max(expected, key=len)) > 10
    assert members_of(snapshot.employees([], criteria)) == []


def test_employees_can_be_read_in_parts(engine, removed):
    employees = SearchSnapshot(engine, removed).employees([1, 2, 3], list(CRITERIA))
    whole = [positions.tolist() for positions in employees.positions]
    for size in (1, 7, 1_000):
        starts = range(0, len(employees.numbers), size)
        parts = [employees.positions_within(start, start + size) for start in starts]
        joined = [
            [start + place for start, part in zip(starts, parts, strict=True) for place in part[at].tolist()]
            for at in range(len(CRITERIA))
        ]
        assert joined == whole == [sorted(positions) for positions in whole]


def test_counts_are_those_of_the_listed_records(engine, removed, remaining):
    snapshot = SearchSnapshot(engine, removed)
    people = [one.record for one in remaining.contacts.values()]
    firms = [one.record for one in remaining.companies.values() if not is_partial(one.record)]
    for entity, found in ((Entity.CONTACT, people), (Entity.COMPANY, firms)):
        places = [one.location.country_iso2 for one in found if one.location and one.location.country_iso2]
        assert snapshot.facet_counts(entity, fields.COUNTRY) == Counter(places)
    skills = Counter(skill for one in people for skill in set(one.skills))
    assert snapshot.facet_counts(Entity.CONTACT, fields.SKILL) == skills
    technologies = Counter(name for one in firms for name in set(one.technologies))
    assert snapshot.facet_counts(Entity.COMPANY, fields.TECHNOLOGY) == technologies


def test_suggestions_are_those_of_the_listed_records(engine, removed, remaining):
    snapshot = SearchSnapshot(engine, removed)
    skills = {number: one.record.skills for number, one in remaining.contacts.items()}
    technologies = {
        number: one.record.technologies
        for number, one in remaining.companies.items()
        if not is_partial(one.record)
    }
    for entity, field, stored in (
        (Entity.CONTACT, fields.SKILL, skills),
        (Entity.COMPANY, fields.TECHNOLOGY, technologies),
    ):
        typed = sorted({text[:size] for texts in stored.values() for text in texts for size in (2, 4, 8)})
        for text in typed:
            assert snapshot.suggest(entity, field, text, 50) == plain(stored, text)[:50], text
        assert len(typed) > 10


def test_companies_are_suggested_by_their_remaining_contacts(engine, removed, remaining):
    snapshot = SearchSnapshot(engine, removed)
    staff = Counter(one.company for one in remaining.contacts.values())
    found = {}
    for firm in remaining.companies.values():
        if firm.record.name:
            suggested = snapshot.suggest(Entity.COMPANY, fields.COMPANY_NAME, firm.record.name, 50)
            found |= {one.number: one.weight for one in suggested}
    listed = [
        one.number for one in remaining.companies.values() if one.record.name and not is_partial(one.record)
    ]
    assert found == {number: staff[number] for number in found}
    assert found.keys() >= set(listed)


def test_removed_companies_are_in_no_answer_and_hide_no_contact_of_their_numbers(engine, case):
    contacts, firms = records().contacts, records().companies
    removed = RemovedRecords(companies=sorted(firms)[: REMOVED[case[2]] * 2 : 2])
    left = Records(
        contacts, {number: one for number, one in firms.items() if number not in removed.companies}
    )
    snapshot = SearchSnapshot(engine, removed)
    for endpoint in ("companies", "contacts"):
        request = {"filters": {endpoint: {"exclude": {"names": ["nobody is called this"]}}}}
        query = query_of(endpoint, request, RecordResolver(left, snapshot))
        expected = getattr(Oracle(left, TOKENS), endpoint)({**request, "pagination": {"size": EVERY}})
        assert snapshot.search(query).total == expected.total
        assert [number for chunk in snapshot.matches(query) for number in chunk] == expected.numbers
    listed = [one for one in left.companies.values() if not is_partial(one.record)]
    places = [one.record.location.country_iso2 for one in listed if one.record.location]
    assert snapshot.facet_counts(Entity.COMPANY, fields.COUNTRY) == Counter(filter(None, places))
    for number in removed.companies:
        name = firms[number].record.name or ""
        suggested = snapshot.suggest(Entity.COMPANY, fields.COMPANY_NAME, name, 50)
        assert number not in {one.number for one in suggested}


def test_a_search_without_a_page_gives_the_total(engine, removed, remaining):
    snapshot = SearchSnapshot(engine, removed)
    request = {"filters": {"contacts": {"exclude": {"names": ["nobody is called this"]}}}}
    query = replace(query_of("contacts", request, RecordResolver(remaining, snapshot)), size=0)
    found = snapshot.search(query)
    assert (found.total, found.numbers) == (len(remaining.contacts), [])
