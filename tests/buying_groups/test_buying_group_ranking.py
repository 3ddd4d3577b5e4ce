"""Groups of the ranker are those computed from the records one person after another."""

from functools import cache
from itertools import combinations
from random import Random

import group_people
import pytest
from group_people import TODAY, Member, expected_group, person
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.buying_groups import ranking
from firmograph.buying_groups.ranking import SCORE_SCALE, Ranker
from firmograph.buying_groups.roles.personas import PERSONAS
from firmograph.buying_groups.roles.table import load_role_table
from firmograph.directory.records import Company, Contact
from firmograph.indexing.removed_records import RemovedRecords
from firmograph.prospecting.engines.memory.build import Builder
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry
from firmograph.prospecting.search_snapshot import SearchSnapshot

pytestmark = pytest.mark.no_database

LARGE, SMALL, EMPTY, UNKNOWN = 1, 2, 3, 4
COMPANIES = [SMALL, EMPTY, LARGE, UNKNOWN]


@cache
def people() -> dict[int, tuple[Contact, int | None]]:
    """Return 3,000 contacts of one company, 10 of another, and some of none."""
    rng = Random(3)
    employers = [LARGE] * 3_000 + [SMALL] * 10 + [None] * 30
    rng.shuffle(employers)
    return {
        number: (person(rng, number, "acme" if employer else None), employer)
        for number, employer in enumerate(employers, 1)
    }


@cache
def engine():
    builder = Builder()
    for number in (LARGE, SMALL, EMPTY):
        builder.add_company(company_entry(number, Company(name=f"Firm {number}")))
    for number, (record, company) in people().items():
        builder.add_contact(contact_entry(number, company, record))
    return builder.finish(1)


def ranked(personas=(), removed=(), companies=COMPANIES, **options):
    snapshot = SearchSnapshot(engine(), RemovedRecords(contacts=removed))
    return Ranker(load_role_table()).rank(snapshot, companies, personas, TODAY, **options)


def members(group):
    return [
        Member(number, group.roles(place), score / SCORE_SCALE)
        for place, (number, score) in enumerate(
            zip(group.numbers.tolist(), group.scores.tolist(), strict=True)
        )
    ]


@cache
def expected(personas=()):
    return [expected_group(people(), company, personas) for company in COMPANIES]


@pytest.mark.parametrize(
    "personas", [some for size in range(4) for some in combinations(PERSONAS, size)], ids=" ".join
)
def test_a_large_company_is_ranked_as_exactly_as_a_small_one(personas):
    found = [members(group) for group in ranked(personas)]
    assert found == expected(personas)
    assert len(found[COMPANIES.index(LARGE)]) > 300
    assert found[COMPANIES.index(EMPTY)] == found[COMPANIES.index(UNKNOWN)] == []


@settings(max_examples=examples(20))
@given(st.sets(st.integers(1, 3_040), max_size=500))
def test_removed_contacts_are_left_out(removed):
    found = [members(group) for group in ranked(removed=removed)]
    assert found == [[one for one in group if one.number not in removed] for group in expected()]


@pytest.mark.parametrize(
    ("chunk", "companies"), [(1, [SMALL, EMPTY]), (7, [EMPTY, SMALL]), (1_000, COMPANIES)]
)
def test_the_size_of_chunks_changes_nothing(monkeypatch, chunk, companies):
    whole = [members(group) for group in ranked(companies=companies)]
    assert any(whole)
    monkeypatch.setattr(ranking, "_CHUNK", chunk)
    assert [members(group) for group in ranked(companies=companies)] == whole


def test_conditions_are_those_of_each_contact_of_the_group():
    match = cache(load_role_table().match)
    for group in ranked(with_matched=True):
        for number, row in zip(group.numbers.tolist(), group.matched.tolist(), strict=True):
            job = people()[number][0].job_title
            assert row == match(job.title, job.seniority, tuple(job.departments)).tolist()


def test_groups_have_people_of_every_reach_and_day():
    scores = {member.score for member in expected()[COMPANIES.index(LARGE)]}
    assert len(scores) > 50
    assert {record.update_date for record, _ in people().values()} == set(group_people.DAYS)
