"""The similarity index answers as a plain slow search does, after any history of changes."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from vector_records import company, contact, model, plain_records, plain_search, state_of

from effort import examples
from firmograph.indexing.checkpoints import read_checkpoint, write_checkpoint
from firmograph.lookalikes.index import probing
from firmograph.lookalikes.index.changes import SimilarityChanges
from firmograph.lookalikes.index.index_kind import SIMILARITY
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

COMPANIES, CONTACTS = 40, 60
seeds = st.integers(0, 1_000_000)
company_numbers = st.lists(st.integers(1, COMPANIES), min_size=1, max_size=8, unique=True)
contact_numbers = st.lists(st.integers(1, CONTACTS), min_size=1, max_size=12, unique=True)
any_numbers = st.lists(st.integers(1, CONTACTS + 5), max_size=20)


class Histories(RuleBasedStateMachine):
    """Batches of changes, and the records that result."""

    def __init__(self):
        super().__init__()
        self.index = SimilarityIndex(model())
        self.sequence = 0
        self.companies, self.contacts = {}, {}
        self.records = {Entity.COMPANY: {}, Entity.CONTACT: {}}

    def apply(self, **changes):
        self.sequence += 1
        batch = SimilarityChanges(self.sequence, **changes)
        for held, put, removed in (
            (self.companies, batch.companies, batch.removed_companies),
            (self.contacts, batch.contacts, batch.removed_contacts),
        ):
            held |= {one.number: one for one in put}
            for number in removed:
                held.pop(number, None)
        self.index.apply(batch)
        assert self.index.applied == self.sequence
        self.records = plain_records(model(), self.companies.values(), self.contacts.values())

    @initialize(seed=seeds)
    def begin(self, seed):
        random = Random(seed)
        firms = [company(number, random) for number in range(1, COMPANIES, 2)]
        people = [contact(number, random, range(1, COMPANIES)) for number in range(1, CONTACTS, 2)]
        self.apply(companies=firms, contacts=people)

    @rule(firms=company_numbers, people=contact_numbers, seed=seeds)
    def records_are_added_or_replaced(self, firms, people, seed):
        random = Random(seed)
        self.apply(
            companies=[company(number, random) for number in firms],
            contacts=[contact(number, random, range(1, COMPANIES)) for number in people],
        )

    @rule(firms=company_numbers, seed=seeds)
    def companies_change(self, firms, seed):
        random = Random(seed)
        self.apply(companies=[company(number, random) for number in firms])

    @rule(firms=company_numbers, people=contact_numbers)
    def records_are_removed(self, firms, people):
        self.apply(removed_companies=firms, removed_contacts=people)

    @rule(firms=company_numbers, person=st.integers(1, CONTACTS), seed=seeds)
    def a_contact_brings_the_employers_that_the_index_lacks(self, firms, person, seed):
        random = Random(seed)
        missing = set(self.index.missing_companies(firms))
        assert missing == set(firms) - self.companies.keys()
        brought = [self.companies.get(number) or company(number, random) for number in firms]
        self.companies |= {one.number: one for one in brought}
        self.apply(employers=brought, contacts=[contact(person, random, firms)])

    @rule(
        entity=st.sampled_from(Entity),
        seeds=st.lists(st.integers(1, CONTACTS), min_size=1, max_size=8),
        excluded=any_numbers,
        limit=st.integers(1, 30),
    )
    def a_search_is_as_the_plain_one(self, entity, seeds, excluded, limit):
        found = self.index.similar(entity, seeds, excluded, limit)
        assert found == plain_search(model(), entity, self.records[entity], seeds, excluded, limit)
        other_order = self.index.similar(
            entity, np.array(seeds[::-1]), np.array(excluded, dtype=np.int64), limit
        )
        assert other_order == found

    @rule(
        entity=st.sampled_from(Entity),
        seeds=st.lists(st.integers(1, CONTACTS), min_size=1, max_size=8),
        sizes=st.lists(st.integers(1, 10), min_size=1, max_size=20),
    )
    def a_session_continues_where_it_was(self, entity, seeds, sizes):
        session = []
        for size in sizes:
            session += [one.number for one in self.index.similar(entity, seeds, session, size)]
        every = self.index.similar(entity, seeds, (), sum(sizes))
        assert session == [one.number for one in every]

    @rule()
    def a_checkpoint_holds_the_same(self):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "checkpoint"
            write_checkpoint(SIMILARITY, self.index, path, "this")
            loaded = read_checkpoint(SIMILARITY, path, "this")
        assert (loaded.applied, loaded.model.number) == (self.index.applied, 1)
        assert state_of(loaded) == state_of(self.index)
        self.index = loaded

    @invariant()
    def the_index_holds_each_record_as_it_is(self):
        state = state_of(self.index)
        for entity, records in self.records.items():
            assert state[entity] == {
                number: (record.code.tobytes(), record.tie, record.listed)
                for number, record in records.items()
            }


@pytest.fixture
def small_rounds(monkeypatch):
    """Consider so few records at a time that equal ones are cut off."""
    monkeypatch.setattr(probing, "_RECORDS", 1)


def test_after_any_history_the_index_answers_as_a_plain_search(small_rounds):
    run_state_machine_as_test(Histories, settings=settings(max_examples=examples(25), stateful_step_count=20))


def filled(records):
    """Return an index of companies, added a few at a time in an order."""
    index = SimilarityIndex(model())
    for start in range(0, len(records), 50):
        index.apply(SimilarityChanges(0, companies=records[start : start + 50]))
    return index


@pytest.fixture(scope="module")
def many():
    random = Random(11)
    return [company(number, random) for number in range(1, 2_001)]


def test_further_lists_are_searched_when_the_first_ones_are_excluded(many, monkeypatch):
    monkeypatch.setattr(probing, "_FIRST_RECORDS", 50)
    monkeypatch.setattr(probing, "_RECORDS", 10)
    index, seeds = filled(many), [one.number for one in many[:5]]
    held = plain_records(model(), many, ())[Entity.COMPANY]
    every = [number for number, _ in plain_search(model(), Entity.COMPANY, held, seeds, (), 2_000)]
    session = []
    while found := index.similar(Entity.COMPANY, seeds, session, 100):
        session += [one.number for one in found]
    assert len(session) == len(set(session))
    assert sorted(session) == sorted(every)


def test_another_order_of_arrival_and_other_numbers_give_the_same_results(many):
    random = Random(5)
    renumbered = {
        one.number: number for one, number in zip(many, random.sample(range(1, 9_000), 2_000), strict=True)
    }
    others = [type(one)(renumbered[one.number], one.attributes, one.tie, one.listed) for one in many]
    random.shuffle(others)
    one, other = filled(many), filled(others)
    for start in range(0, 200, 20):
        seeds = [each.number for each in many[start : start + 8]]
        expected = one.similar(Entity.COMPANY, seeds, (), 100)
        found = other.similar(Entity.COMPANY, [renumbered[number] for number in seeds], (), 100)
        assert found == [(renumbered[number], similarity) for number, similarity in expected]


def test_seeds_without_a_vector_and_unknown_ones_find_nothing(many):
    index = filled(many)
    index.apply(SimilarityChanges(0, companies=[type(many[0])(3_000, ["keyword:nobody knows"], 1, True)]))
    assert index.similar(Entity.COMPANY, [3_000, 77_777], (), 10) == []
    assert index.similar(Entity.CONTACT, [1], (), 10) == []
    assert SimilarityIndex(model()).similar(Entity.COMPANY, [1], [2], 10) == []
