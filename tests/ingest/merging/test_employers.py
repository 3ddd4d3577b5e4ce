"""Facts about employers in rows of contacts go into the employers' records."""

import json

import pytest

from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from record_factory import KEYRING
from stored_records import stored_companies, stored_contacts
from suppression_factory import suppression_of

pytestmark = pytest.mark.any_database


@pytest.fixture
def imported(database, tmp_path):
    """Return a function that imports rows of a source and returns the summary."""

    def imported(entity, source, *rows):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        job = ImportTask(entity=entity, paths=[str(path)], source=source, keyring=KEYRING)
        return import_files(database, job, SetClock(), lambda file, reject: None, lambda progress: None)

    return imported


ACME = {"name": "Acme", "domain": "acme.example"}


def jane(day=None, **fields):
    row = {"fullName": "Jane Doe", "emails": ["jane@acme.example"], "company": ACME, **fields}
    return row | ({"updateDate": day} if day else {})


def test_an_employer_gets_the_facts_of_the_row(database, imported):
    imported(Entity.CONTACT, "crm", jane())
    assert stored_companies(database)[1].stub
    summary = imported(
        Entity.CONTACT,
        "crm",
        jane(employer={"industry": "Software", "employeeCount": "51-200", "phones": "+12025550100"}),
    )
    (company,) = stored_companies(database).values()
    assert (company.stub, company.sub_industry, company.employee_count.max) == (
        False,
        "Software Development",
        200,
    )
    assert [phone.number for phone in company.phones] == ["+12025550100"]
    assert (summary.unchanged, summary.employers) == (1, 1)
    assert [number for _, number in stored_contacts(database).values()] == [1]


@pytest.mark.parametrize("source_id", ["", "9"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_facts_from_contacts_only_fill_gaps_in_the_companies_of_their_source(
    database, imported, order, source_id
):
    place = {"country": "United States", "city": "Austin", "zipCode": "78701"}
    whole = {
        **ACME,
        "sourceId": source_id,
        "yearFounded": 1999,
        "location": place,
        "updateDate": "2024-01-01",
    }
    employer = {
        "sourceId": source_id,
        "yearFounded": 2000,
        "industry": "Software",
        "location": "Dallas, Texas",
    }
    files = [(Entity.COMPANY, "crm", whole), (Entity.CONTACT, "crm", jane("2025-01-01", employer=employer))]
    for at in order:
        imported(*files[at])
    (company,) = stored_companies(database).values()
    assert (company.year_founded, company.sub_industry) == (1999, "Software Development")
    assert (company.location.city, company.location.zip_code) == ("Austin", "78701")
    assert imported(*files[0]).unchanged == 1
    assert imported(*files[1]).employers == 0
    imported(Entity.CONTACT, "other", jane("2025-01-01", employer={"yearFounded": 2001}))
    assert stored_companies(database)[1].year_founded == 2001


def test_a_row_that_only_names_its_employer_makes_a_stub(database, imported):
    assert imported(Entity.CONTACT, "crm", jane(employer={"sourceId": "7"})).employers == 0
    assert stored_companies(database)[1].stub


def test_the_newer_of_an_employer_and_a_company_row_counts(database, imported):
    company = ACME | {"description": "Anvils", "yearFounded": 1999, "updateDate": "2025-03-01"}
    imported(Entity.COMPANY, "registry", company)
    imported(
        Entity.CONTACT, "crm", jane("2025-02-01", employer={"description": "Old", "technologies": "Nginx"})
    )
    employer = stored_companies(database)[1]
    assert (employer.description, employer.technologies, employer.year_founded) == ("Anvils", ["Nginx"], 1999)
    imported(Entity.CONTACT, "crm", jane("2025-04-01", employer={"description": "New"}))
    assert stored_companies(database)[1].description == "New"


def test_a_company_id_refers_to_the_companies_of_the_same_source(database, imported):
    imported(Entity.COMPANY, "crm", {"sourceId": "7", "name": "Acme Holding"})
    imported(
        Entity.CONTACT,
        "crm",
        jane(company={"name": "Acme"}, employer={"sourceId": "7", "description": "Anvils"}),
    )
    (company,) = stored_companies(database).values()
    assert company.description == "Anvils"
    assert [number for _, number in stored_contacts(database).values()] == [1]


def test_a_contact_is_linked_to_the_record_of_its_employers_row(database, imported):
    imported(
        Entity.COMPANY,
        "registry",
        {"name": "Acme", "location": {"country": "DE"}},
        {"name": "Acme", "location": {"country": "US"}},
    )
    row = jane(company={"name": "Acme"}, employer={"location": {"country": "US"}, "description": "Anvils"})
    for _ in range(2):
        imported(Entity.CONTACT, "crm", row)
        companies = stored_companies(database)
        assert {number: one.description for number, one in companies.items()} == {1: None, 2: "Anvils"}
        assert [number for _, number in stored_contacts(database).values()] == [2]


def test_people_of_one_employer_share_one_row(database, imported):
    rows = [
        jane(
            fullName=f"Person {number}",
            emails=[f"p{number}@acme.example"],
            employer={"description": "Anvils"},
        )
        for number in range(30)
    ]
    assert imported(Entity.CONTACT, "crm", *rows).employers == 1
    again = imported(Entity.CONTACT, "crm", *rows)
    assert (again.unchanged, again.employers) == (30, 0)


def test_the_row_of_a_suppressed_person_adds_nothing_to_the_employer(database, imported):
    suppression = suppression_of(database, SetClock())
    suppression.suppress(suppression.person(email="jane@acme.example"))
    assert imported(Entity.CONTACT, "crm", jane(employer={"description": "Anvils"})).suppressed == 1
    assert all(company.stub for company in stored_companies(database).values())


def test_an_unreadable_value_of_an_employer_is_counted_in_every_row(imported):
    rows = [
        jane(fullName=f"Person {n}", emails=[f"p{n}@x.example"], employer={"yearFounded": "long ago"})
        for n in (1, 2)
    ]
    unread = imported(Entity.CONTACT, "crm", *rows).values.unread
    assert {path: (one.count, one.lines) for path, one in unread.items()} == {
        "employer.yearFounded": (2, [1, 2])
    }
