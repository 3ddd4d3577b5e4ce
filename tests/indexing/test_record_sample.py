"""Samples of the records: bounded, chosen by content, complete companies first."""

import pytest

import database_fixtures
from firmograph.database.connection import Database
from firmograph.directory.records import Company, CompanyRef
from firmograph.indexing import record_sample
from firmograph.indexing.record_sample import companies_of, sample_companies, sample_contacts
from record_factory import contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

COMPLETE = [Company(name=f"Firm {n}", domain=f"firm{n}.example.com") for n in range(40)]
PEOPLE = [
    contact("Ann", f"Example{n}", emails=[f"ann{n}@example.com"], company=CompanyRef(name=f"Stub {n}"))
    for n in range(60)
]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(record_sample, "_CHUNK_SIZE", 7)


@pytest.fixture
def other(tmp_path):
    """Return another empty database."""
    (tmp_path / "other").mkdir()
    database = Database(database_fixtures.fresh(tmp_path / "other"))
    yield database
    database.close()
    database_fixtures.drop(database.url)


def load(database, people, companies):
    load_contacts(database, "crm", people)
    load_companies(database, "crm", companies)


def names_of(companies):
    return [company.name for company in companies]


def test_a_sample_does_not_depend_on_the_order_of_imports(database, other):
    load(database, PEOPLE, COMPLETE)
    load(other, PEOPLE[::-1], COMPLETE[::-1])
    sampled = [
        [each.contact.last_name for batch in sample_contacts(one, 12) for each in batch]
        for one in (database, other)
    ]
    assert len(sampled[0]) == 12
    assert sorted(sampled[0]) == sorted(sampled[1])
    companies = [sorted(names_of(sample_companies(one, 12))) for one in (database, other)]
    assert companies[0] == companies[1]


def test_partial_companies_fill_up_a_sample_of_complete_ones(database):
    load(database, PEOPLE, COMPLETE)
    assert sorted(names_of(sample_companies(database, 40))) == sorted(names_of(COMPLETE))
    more = names_of(sample_companies(database, 50))
    assert len(more) == 50
    assert sum(name.startswith("Stub") for name in more) == 10
    assert len(names_of(sample_companies(database, 1_000))) == 100


def test_contacts_come_with_the_numbers_of_their_employers(database):
    load(database, PEOPLE[:3], [])
    sampled = [each for batch in sample_contacts(database, 10) for each in batch]
    employers = companies_of(database, [each.company for each in sampled])
    assert {(each.contact.last_name, employers[each.company].name) for each in sampled} == {
        (f"Example{n}", f"Stub {n}") for n in range(3)
    }
