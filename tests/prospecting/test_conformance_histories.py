"""An engine answers from the current records after any history of changes."""

from collections import Counter
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from conformance import CALM, KINDS, TOKENS, Trial, entries_of
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from oracle_employees import CRITERIA, expected_employees, members_of
from record_set import Records
from request_strategies import FILTERS, of_one_filter, requests
from sample_records import firm, generated, person
from sample_signals import signals_of_company, signals_of_contact
from value_strategies import Values

from effort import examples
from firmograph.directory.company_json import is_partial
from firmograph.indexing.removed_records import RemovedRecords
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory import documents, pages, postings
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

HISTORIES = settings(CALM, max_examples=examples(20), stateful_step_count=20)
MOST_CONTACTS, MOST_COMPANIES = 60, 10

contact_numbers = st.lists(st.integers(1, MOST_CONTACTS), min_size=1, max_size=20, unique=True)
company_numbers = st.lists(st.integers(1, MOST_COMPANIES), min_size=1, max_size=4, unique=True)
seeds = st.integers(0, 1_000_000)


@cache
def values():
    """Return values of the same vocabularies, and of most of the generated numbers."""
    return Values(generated(7, MOST_CONTACTS, MOST_COMPANIES), TOKENS)


PLAIN = [
    ("contacts", {"contacts": {"exclude": {"names": ["nobody is called this"]}}}),
    *(
        ("contacts", {"companies": {clause: criteria}})
        for clause in ("include", "exclude")
        for criteria in (
            {"locations": [{"countryGrouping": "EMEA"}]},
            {"locations": [{"city": "Paris"}, {"city": "Munich"}]},
            {"mainIndustriesIds": [1, 3, 5]},
            {"sizes": [{"min": 100, "max": 3_000}]},
            {"foundedYear": [{"max": 2005}]},
            {"technologies": ["C++", "Salesforce"]},
            {"names": ["Acme", "Globex"]},
            {"previousCompanyNames": ["Red Hat", "Acme"]},
        )
    ),
    ("companies", {"contacts": {"include": {"jobTitles": ["engineer"]}}}),
    ("companies", {"contacts": {"exclude": {"seniorityIds": [3, 4, 5, 6, 8]}}}),
    ("companies", {"companies": {"exclude": {"previousCompanyNames": ["Acme"]}}}),
    *(
        (endpoint, {side: {clause: {"signals": {"types": ["allSignals"], "startDate": start}}}})
        for endpoint, side in (
            ("contacts", "contacts"),
            ("contacts", "companies"),
            ("companies", "companies"),
        )
        for clause, start in (("include", "2026-01-01"), ("exclude", "2025-06-01"))
    ),
]
"""Requests for all denormalised fields of companies, and for the contacts of companies."""


@st.composite
def any_request(draw, endpoint):
    """Generate requests of many filters, and of one."""
    if draw(st.booleans()):
        return draw(requests(endpoint, values(), circles=False))
    side = draw(st.sampled_from(("contacts", "companies")))
    name = draw(st.sampled_from([name for name in FILTERS[endpoint, side] if name != "geographicDetails"]))
    clause = draw(st.sampled_from(("include", "exclude")))
    return draw(of_one_filter(values(), side, clause, name))


class Histories(RuleBasedStateMachine):
    """Changes in the form of the change sequence's reader, and the resulting records."""

    kind = "memory"

    def __init__(self):
        super().__init__()
        self.records = Records()
        self.sequence = 0
        self.next_number = MOST_CONTACTS + 1
        self.removed: set[int] = set()
        """Deleted contacts whose place in the change sequence the engine has not reached."""
        self.checked = False
        self.engine = KINDS[self.kind].empty()

    def apply(self, people=(), firms=(), removed_people=(), removed_firms=(), twice=False):
        if self.removed.intersection(one.number for one in people):
            self.the_engine_reaches_the_deletions()
        for added, records in ((people, self.records.contacts), (firms, self.records.companies)):
            records |= {one.number: one for one in added}
        for removed, records in (
            (removed_people, self.records.contacts),
            (removed_firms, self.records.companies),
        ):
            for number in removed:
                records.pop(number, None)
        changed = Records({one.number: one for one in people}, {one.number: one for one in firms})
        self.sequence += 1
        self.checked = False
        changes = entries_of(changed, self.sequence)
        changes.removed_contacts, changes.removed_companies = list(removed_people), list(removed_firms)
        for _ in range(1 + twice):
            self.engine.apply(changes)

    def generate_people(self, numbers, seed):
        firms = self.records.companies
        return [person(Random(seed * 1000 + number), number, firms) for number in numbers]

    def existing(self, people, firms):
        """Return those of these contacts and companies that exist."""
        contacts, companies = self.records.contacts, self.records.companies
        return (
            [contacts[number] for number in people if number in contacts],
            [companies[number] for number in firms if number in companies],
        )

    @initialize(seed=seeds)
    def begin(self, seed):
        initial = generated(seed, 40, 8)
        self.apply(initial.contacts.values(), initial.companies.values())

    @rule(numbers=contact_numbers, seed=seeds, twice=st.booleans())
    def contacts_are_created_or_replaced(self, numbers, seed, twice):
        self.apply(people=self.generate_people(numbers, seed), twice=twice)

    @rule(numbers=contact_numbers, company=st.none() | st.integers(1, MOST_COMPANIES))
    def contacts_move(self, numbers, company):
        affected = [self.records.contacts[number] for number in numbers if number in self.records.contacts]
        self.apply(people=[replace(one, company=company) for one in affected])

    @rule(people=contact_numbers, firms=company_numbers, seed=seeds)
    def signals_are_detected(self, people, firms, seed):
        contacts, companies = self.existing(people, firms)
        rng = Random(seed)
        self.apply(
            people=[replace(one, signals=(*one.signals, *signals_of_contact(rng))) for one in contacts],
            firms=[replace(one, signals=(*one.signals, *signals_of_company(rng))) for one in companies],
        )

    @rule(people=contact_numbers, firms=company_numbers, remaining=st.integers(0, 1))
    def signals_are_erased(self, people, firms, remaining):
        contacts, companies = self.existing(people, firms)
        self.apply(
            people=[replace(one, signals=one.signals[:remaining]) for one in contacts],
            firms=[replace(one, signals=one.signals[:remaining]) for one in companies],
        )

    @rule(numbers=company_numbers, seed=seeds, twice=st.booleans())
    def companies_are_created_or_replaced(self, numbers, seed, twice):
        self.apply(firms=[firm(Random(seed + number), number) for number in numbers], twice=twice)

    @rule(people=contact_numbers, firms=company_numbers, seed=seeds)
    def people_are_created_with_their_companies(self, people, firms, seed):
        companies = [firm(Random(seed + number), number) for number in firms]
        self.apply(people=self.generate_people(people, seed), firms=companies)

    @rule(numbers=contact_numbers)
    def contacts_are_deleted(self, numbers):
        self.apply(removed_people=numbers)

    @rule(numbers=company_numbers)
    def companies_are_deleted(self, numbers):
        self.apply(removed_firms=numbers)

    @rule(numbers=contact_numbers)
    def suppressed_people_are_deleted_ahead_of_the_sequence(self, numbers):
        self.removed.update(number for number in numbers if self.records.contacts.pop(number, None))
        self.checked = False

    @rule()
    def the_engine_reaches_the_deletions(self):
        self.apply(removed_people=sorted(self.removed))
        self.removed.clear()

    @rule(numbers=contact_numbers)
    def people_return_under_new_numbers(self, numbers):
        affected = [self.records.contacts[number] for number in numbers if number in self.records.contacts]
        again = [replace(one, number=self.next_number + place) for place, one in enumerate(affected)]
        self.next_number += len(again)
        self.apply(people=again, removed_people=[one.number for one in affected])

    @rule()
    def the_engine_restarts(self):
        self.engine = KINDS[self.kind].restarted(self.engine)
        self.checked = False

    @rule(way=st.integers(0, 2))
    def the_engine_is_filled_again(self, way):
        filled = list(KINDS[self.kind].filled.values())
        self.engine = filled[way % len(filled)](self.records)
        self.apply()

    @rule(request=any_request("contacts"))
    def it_finds_the_contacts_of_any_request(self, request):
        self.trial.answer_of("contacts", request)

    @rule(request=any_request("companies"))
    def it_finds_the_companies_of_any_request(self, request):
        self.trial.answer_of("companies", request)

    @property
    def trial(self):
        return Trial(self.records, {self.kind: self.engine}, RemovedRecords(contacts=self.removed))

    @rule()
    def it_counts_values_as_in_the_records(self):
        people = [one.record for one in self.records.contacts.values()]
        counts = self.engine.facet_counts(
            Entity.CONTACT, fields.COUNTRY, RemovedRecords(contacts=self.removed)
        )
        assert nonzero(counts) == countries(people)
        firms = [one.record for one in self.records.companies.values() if not is_partial(one.record)]
        assert nonzero(self.engine.facet_counts(Entity.COMPANY, fields.COUNTRY)) == countries(firms)

    @rule()
    def it_finds_the_employees_of_every_company(self):
        companies = list(range(1, MOST_COMPANIES + 1))
        employees = self.engine.employees(companies, list(CRITERIA), RemovedRecords(contacts=self.removed))
        assert members_of(employees) == expected_employees(self.records, companies)

    @invariant()
    def it_has_followed(self):
        assert self.engine.applied == self.sequence

    @invariant()
    def plain_filters_find_the_expected_records(self):
        if self.checked:
            return
        self.checked, trial = True, self.trial
        for endpoint, filters in PLAIN:
            trial.answer_of(endpoint, {"filters": filters, "pagination": {"size": 100}})


def nonzero(counts):
    return Counter({value: count for value, count in counts.items() if count})


def countries(records):
    places = [record.location for record in records if record.location]
    return Counter(place.country_iso2 for place in places if place.country_iso2)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_follow_the_records_through_any_history(kind):
    Histories.kind = kind
    run_state_machine_as_test(Histories, settings=HISTORIES)


def test_many_records_are_answered_as_few_are(monkeypatch):
    """Lower the thresholds of the in-memory engine so far that a few records exceed them."""
    monkeypatch.setattr(pages, "_SORT_AT_ONCE", 3)
    monkeypatch.setattr(documents, "_BUCKET_SIZE", 4)
    monkeypatch.setattr(postings, "dense_threshold", lambda documents: 2)
    monkeypatch.setattr("firmograph.prospecting.engines.memory.build.dense_threshold", lambda documents: 2)
    Histories.kind = "memory"
    run_state_machine_as_test(Histories, settings=settings(HISTORIES, max_examples=examples(8)))
