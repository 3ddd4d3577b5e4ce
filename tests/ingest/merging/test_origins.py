"""Origins of the values of merged records, compared with the merge itself."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.directory.records import Company, CompanyRef, Contact, Email, JobTitle, Location, Phone
from firmograph.ingest.merging.merge import (
    DatedCompany,
    DatedContact,
    Mark,
    merge_companies,
    merge_contacts,
)
from firmograph.ingest.merging.origins import ValueOrigin, company_origins, contact_origins, find_origin

pytestmark = pytest.mark.no_database

DAYS = st.sampled_from(["2026-01-01", "2026-01-02", "2026-02-01"])
NAMES = st.sampled_from([None, "A", "B", "C"])
ADDRESSES = st.lists(st.sampled_from(["a@x.example", "b@x.example", "c@x.example"]), max_size=3, unique=True)
WORDS = st.lists(st.sampled_from(["Go", "go", "Rust", "C"]), max_size=3, unique=True)


@st.composite
def contact_rows(draw):
    rows = []
    for number in range(draw(st.integers(1, 4))):
        title, employer = draw(NAMES), draw(st.sampled_from([None, 1, 2]))
        record = Contact(
            first_name=draw(NAMES),
            job_title=JobTitle(title=title) if title else None,
            location=Location(city=city) if (city := draw(NAMES)) else None,
            company=CompanyRef(name=f"Company {employer}") if employer else None,
            emails=[Email(email=each) for each in draw(ADDRESSES)],
            skills=draw(WORDS),
        )
        rows.append(DatedContact(draw(DAYS), f"source{number}", "1", record, employer))
    return rows


@st.composite
def company_rows(draw):
    return [
        DatedCompany(
            draw(DAYS),
            f"source{number}",
            "1",
            Company(name=draw(NAMES), technologies=draw(WORDS)),
            draw(st.booleans()),
        )
        for number in range(draw(st.integers(1, 4)))
    ]


def row_of(rows, origin):
    (row,) = (row for row in rows if row.source == origin.source.removesuffix(" (contacts)"))
    assert row.day == origin.day
    return row


@settings(max_examples=examples(300))
@given(contact_rows())
def test_the_row_of_each_value_of_a_contact_has_it(rows):
    merged, company = merge_contacts(rows)
    origins = contact_origins(rows, merged)
    for field, name in zip(merged.__struct_fields__, merged.__struct_encode_fields__, strict=True):
        value = getattr(merged, field)
        if field in ("company", "emails", "previous_employment") or value in (None, []):
            continue
        row = row_of(rows, origins[name])
        assert getattr(row.record, field) == value
        assert not any(
            other.day > row.day and getattr(other.record, field)
            for other in rows
            if field != "job_title" or other.company_id in (None, company)
        )
    for index, email in enumerate(merged.emails):
        holders = [row for row in rows if email.email in {one.email for one in row.record.emails}]
        assert row_of(rows, origins[f"emails.{index}"]) is max(holders, key=lambda row: row[:3])
    assert all(f"previousEmployment.{index}" in origins for index in range(len(merged.previous_employment)))


def test_a_value_of_the_employer_is_of_a_row_that_gives_it_or_of_none():
    rows = [
        DatedContact(
            "2026-01-01", "crm", "1", Contact(company=CompanyRef(name="Acme", domain="acme.example")), 7
        ),
        DatedContact("2026-02-01", "fair", "1", Contact(company=CompanyRef(name="Acme")), 7),
    ]
    origins = contact_origins(rows, merge_contacts(rows)[0])
    assert (origins["company.name"].source, origins["company.domain"].source) == ("fair", "crm")
    assert find_origin(origins, "company.industry") is None


@settings(max_examples=examples(200))
@given(company_rows())
def test_the_row_of_each_value_of_a_company_has_it(rows):
    merged = merge_companies(rows)
    origins = company_origins(rows, merged)
    if merged.name is not None:
        row = row_of(rows, origins["name"])
        assert row.record.name == merged.name
        assert origins["name"].source.endswith(" (contacts)") != row.is_own
    for index, technology in enumerate(merged.technologies):
        assert technology in row_of(rows, origins[f"technologies.{index}"]).record.technologies


def test_a_mark_has_the_source_and_day_of_the_statement():
    phone = Phone(number="+12025550143")
    marks = {"+12025550143": Mark("2026-01-05", True)}
    rows = [
        DatedContact("2026-02-01", "new", "1", Contact(first_name="A", phones=[phone]), None),
        DatedContact("2026-01-09", "old", "1", Contact(phones=[phone]), None, marks=marks),
    ]
    merged, _ = merge_contacts(rows)
    origins = contact_origins(rows, merged)
    assert merged.phones[0].do_not_call
    assert find_origin(origins, "phones.0.number") == ValueOrigin("new", "2026-02-01")
    assert find_origin(origins, "phones.0.doNotCall") == ValueOrigin("old", "2026-01-05")
    assert find_origin(origins, "lastName") is None
    assert msgspec.to_builtins(merged)["firstName"] == "A"
