"""Company changes and promotions, detected in the transaction of the import (docs/reference/signals.md#job-moves)."""

import msgspec
import pytest

from firmograph.directory.records import Company, CompanyRef, JobTitle
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from firmograph.signals import store
from record_factory import contact as any_contact
from record_factory import load_companies, load_contacts
from stored_records import stored_companies, stored_contacts

IMPORT_DAY = "2026-09-21"


def job(company, title="Engineer", *, day=None, start=None, key="jane", first="Jane"):
    """Return a version of one person's row."""
    record = any_contact(first, "Doe", emails=[f"{key}@example.com"], company=company, day=day)
    record.job_title = JobTitle(title=title, start_date=start) if title else None
    return record


def signals(database):
    """Return type, day and event of every signal, in the order of detection."""
    return [
        (one.type, one.day, msgspec.json.decode(one.event))
        for one in store.signals_after(database.session(), 0, 100)
    ]


def moves(database):
    return [
        (type, day, event["previousCompanyName"], event["currentCompanyName"])
        for type, day, event in signals(database)
    ]


def test_a_new_employer_is_a_company_change_with_both_companies_as_in_their_records(database):
    load_companies(
        database,
        "a",
        [Company(name="Acme Inc.", domain="acme.test"), Company(name="Rival", domain="rival.test")],
    )
    load_contacts(database, "a", [("1", job(CompanyRef(domain="acme.test"), "Sales Manager"))])
    after = job(CompanyRef(name="Rival of the world", domain="rival.test"), "VP Sales", start="2026-03-01")
    after.job_title.departments, after.job_title.seniority = ["Sales", "Marketing"], "Vice President"
    load_contacts(database, "a", [("1", after)])
    numbers = {company.domain: number for number, company in stored_companies(database).items()}
    assert signals(database) == [
        (
            "companyChange",
            "2026-03-01",
            {
                "currentCompanyId": numbers["rival.test"],
                "currentCompanyName": "Rival",
                "currentDomain": "rival.test",
                "currentTitle": "VP Sales",
                "currentDepartments": "Sales, Marketing",
                "currentSeniorityLabel": "Vice President",
                "previousCompanyId": numbers["acme.test"],
                "previousCompanyName": "Acme Inc.",
                "previousDomain": "acme.test",
                "previousTitle": "Sales Manager",
            },
        )
    ]


def test_a_rise_at_one_company_is_a_promotion(database):
    load_contacts(database, "a", [("1", job("Acme"))])
    load_contacts(database, "a", [("1", job("Acme", "Senior Engineer"))])
    [(type, day, event)] = signals(database)
    assert (type, day) == ("promotion", IMPORT_DAY)
    assert (event["previousTitle"], event["currentTitle"]) == ("Engineer", "Senior Engineer")
    assert event["previousCompanyId"] == event["currentCompanyId"]


def test_a_move_into_a_higher_post_is_a_company_change_only(database):
    load_contacts(database, "a", [("1", job("Acme"))])
    load_contacts(database, "a", [("1", job("Rival", "Vice President"))])
    assert [type for type, _, _ in signals(database)] == ["companyChange"]


@pytest.mark.parametrize(
    "after",
    [
        job(None, None),
        job("Acme", None),
        job("ACME, Inc.", "Engineer"),
        job("Acme", "Software Engineer"),
        job("Acme", "Junior Engineer"),
    ],
    ids=["emptied", "title emptied", "spelling", "more exact", "demotion"],
)
def test_other_changes_are_no_signals(database, after):
    load_contacts(database, "a", [("1", job("Acme"))])
    load_contacts(database, "a", [("1", after)])
    assert signals(database) == []


def test_a_first_employer_and_a_first_title_are_no_signals(database):
    load_contacts(database, "a", [("1", job(None, None))])
    load_contacts(database, "a", [("1", job("Acme", None))])
    load_contacts(database, "a", [("1", job("Acme", "Director"))])
    assert signals(database) == []


def test_a_record_created_and_changed_in_one_import_has_its_signals(database):
    load_contacts(database, "a", [("1", job("Acme")), ("1", job("Rival")), ("1", job("Rival", "CTO"))])
    assert [type for type, _, _ in signals(database)] == ["companyChange", "promotion"]
    assert moves(database)[0][2:] == ("Acme", "Rival")


@pytest.mark.parametrize("direction", [1, -1])
def test_a_move_between_a_company_and_its_owners_is_no_signal(database, direction):
    load_companies(
        database,
        "a",
        [
            Company(name="Whole", domain="whole.test"),
            Company(name="Middle", domain="middle.test", parents=[CompanyRef(domain="whole.test")]),
            Company(name="Part", domain="part.test", parents=[CompanyRef(domain="middle.test")]),
        ],
    )
    ends = [CompanyRef(domain="part.test"), CompanyRef(domain="whole.test")][::direction]
    load_contacts(database, "a", [("1", job(ends[0]))])
    load_contacts(database, "a", [("1", job(ends[1], "Director"))])
    assert signals(database) == []


@pytest.mark.parametrize(
    "new",
    [
        Company(name="Meta", domain="meta.test", alternative_names=["Facebook"]),
        Company(name="Meta", domain="meta.test", alternative_domains=["facebook.test"]),
        Company(name="Facebook", domain="meta.test"),
    ],
    ids=["alias", "other domain", "name"],
)
def test_a_renamed_company_causes_no_signal(database, new):
    load_contacts(database, "a", [("1", job(CompanyRef(name="Facebook", domain="facebook.test")))])
    load_companies(database, "a", [new])
    load_contacts(database, "a", [("1", job(CompanyRef(domain="meta.test")))])
    assert stored_contacts(database)[1][1] == 2
    assert signals(database) == []


def test_the_day_is_that_of_the_new_start_else_of_the_row_else_of_the_import(database):
    rows = [
        job("Acme", start="2020-01-01", day="2024-01-01"),
        job("Rival", start="2024-06-01", day="2025-01-01"),
        job("Third", start="2024-06-01", day="2025-02-01"),
        job("Fourth", start="2027-01-01", day="2025-03-01"),
        job("Fifth"),
    ]
    load_contacts(database, "a", [("1", row) for row in rows])
    assert [day for _, day, _, _ in moves(database)] == ["2024-06-01", "2025-02-01", "2025-03-01", IMPORT_DAY]


def test_a_row_that_is_not_newer_changes_nothing(database):
    load_contacts(database, "a", [("1", job("Acme", day="2025-06-01"))])
    load_contacts(database, "a", [("1", job("Rival", day="2025-05-01"))])
    load_contacts(database, "b", [("1", job("Third", day="2025-06-01"))])
    assert signals(database) == []


def test_another_source_with_a_later_day_shows_a_move(database):
    load_contacts(database, "a", [("1", job("Acme", day="2025-06-01"))])
    load_contacts(database, "b", [("1", job("Rival", day="2025-06-02"))])
    assert moves(database) == [("companyChange", "2025-06-02", "Acme", "Rival")]


def test_contradicting_sources_cause_no_repeated_moves(database):
    for month in range(1, 6):
        load_contacts(database, "a", [("1", job("Acme", "Senior Engineer", day=f"2025-{month:02}-01"))])
        load_contacts(database, "b", [("1", job("Rival", day=f"2025-{month:02}-15"))])
        load_contacts(database, "c", [("1", job("Rival", "Director", day=f"2025-{month:02}-20"))])
    assert [one[0] for one in moves(database)] == ["companyChange", "promotion"]


def test_a_rise_repeated_by_a_source_in_another_spelling_is_no_signal(database):
    load_contacts(database, "a", [("1", job("Acme", "Senior Engineer", day="2025-01-01"))])
    load_contacts(database, "b", [("1", job("Acme", "Engineer", day="2025-02-01"))])
    load_contacts(database, "a", [("1", job("Acme", "Sr. Engineer", day="2025-03-01"))])
    assert signals(database) == []


def test_the_same_move_is_a_signal_again_only_after_a_year(database):
    for day, company in (
        ("2023-01-01", "Acme"),
        ("2023-02-01", "Rival"),
        ("2023-03-01", "Acme"),
        ("2024-01-31", "Rival"),
        ("2024-02-28", "Acme"),
        ("2024-03-01", "Rival"),
    ):
        load_contacts(database, "a", [("1", job(company, day=day))])
    assert moves(database) == [
        ("companyChange", "2023-02-01", "Acme", "Rival"),
        ("companyChange", "2023-03-01", "Rival", "Acme"),
        ("companyChange", "2024-03-01", "Acme", "Rival"),
    ]


def test_the_same_rows_again_cause_no_second_signal(database):
    rows = [("1", job("Acme")), ("1", job("Rival")), ("2", job("Acme", key="bea", first="Bea"))]
    for _ in range(3):
        load_contacts(database, "a", rows)
    assert len(signals(database)) == 1


def test_a_signal_is_about_its_contact_and_dated_by_the_clock(database):
    clock = SetClock()
    load_contacts(database, "a", [("1", job("Acme"))], clock)
    clock.advance(60)
    load_contacts(database, "a", [("1", job("Rival"))], clock)
    [one] = store.signals_after(database.session(), 0, 10)
    assert (one.entity, one.number, one.detected_at) == (Entity.CONTACT, 1, clock.seconds())
