"""Bounds on the lock time and the record size of an import with odd rows."""

import pytest

from firmograph.directory.records import Company, CompanyLinks
from firmograph.ingest import commits as pacing
from firmograph.ingest.summary import Summary
from record_factory import contact, load_companies, load_contacts
from stored_records import stored_companies, stored_contacts

PERSON = "https://www.linkedin.com/in/jane-doe"
PAGE = "https://www.linkedin.com/company/acme"


@pytest.fixture
def shares_a_page():
    return [
        (f"{n:03}", Company(name=f"Acme {n}", social_links=CompanyLinks(linkedin=PAGE))) for n in range(130)
    ]


def count(database, table):
    return database.session().raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_a_person_with_many_ids_is_merged_from_the_newest_hundred_rows(database):
    rows = [(f"{n:03}", contact(linkedin=PERSON, title=f"Title {n}")) for n in range(130)]
    load_contacts(database, "a", rows)
    ((record, _),) = stored_contacts(database).values()
    assert record.job_title.title == "Title 129"
    assert count(database, "contact_rows") == 100
    assert count(database, "contact_keys") == 101


def test_rows_beyond_the_newest_hundred_change_nothing_when_imported_again(database):
    rows = [(f"{n:03}", contact(linkedin=PERSON, title=f"Title {n}")) for n in range(130)]
    load_contacts(database, "a", rows)
    assert load_contacts(database, "a", rows[::-1]) == Summary(read=130, unchanged=130)


def test_a_company_with_many_ids_is_merged_from_the_newest_hundred_rows(database, shares_a_page):
    load_companies(database, "a", shares_a_page)
    ((number, record),) = stored_companies(database).items()
    assert (number, record.name) == (1, "Acme 129")
    assert count(database, "company_rows") == 100
    assert load_companies(database, "a", shares_a_page) == Summary(read=130, unchanged=130)


def test_a_stub_is_still_found_by_its_name_after_many_rows_completed_it(database, shares_a_page):
    load_contacts(database, "c", [contact(company="Acme 0")])
    load_companies(database, "a", shares_a_page)
    assert load_contacts(database, "d", [contact("Bob", "Ray", company="Acme 0")]).created == 1
    assert len(stored_companies(database)) == 1


def test_only_the_last_fifty_former_employers_of_a_row_are_stored(database):
    load_contacts(database, "a", [("1", contact(company=f"Employer {n}")) for n in range(60)])
    ((record, _),) = stored_contacts(database).values()
    assert len(record.previous_employment) == 50


def test_deferred_rows_are_committed_after_the_first(database, monkeypatch, shares_a_page):
    for name in ("LOCK_SECONDS", "SERVER_LOCK_SECONDS"):
        monkeypatch.setattr(pacing, name, 0)
    rows = [contact("Jane", f"Doe{n}", company=f"Acme {n}") for n in range(9)]
    assert load_contacts(database, "a", rows) == Summary(read=9, created=9)
    assert load_companies(database, "a", shares_a_page[:9]).read == 9
    assert len(stored_contacts(database)) == 9
