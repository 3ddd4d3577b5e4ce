import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.records import Company, CompanyRef, Email, PastJob, Phone
from firmograph.ingest.merging.merge import DatedCompany, DatedContact, merge_companies, merge_contacts
from record_factory import contact

pytestmark = pytest.mark.no_database


def dated(record, day, source="a", company_id=None, past=()):
    return DatedContact(day, source, "", record, company_id, past)


def test_the_newest_value_of_a_field_wins():
    old = contact(title="Engineer", skills=["go"])
    new = contact("Janet", title="Manager")
    merged, _ = merge_contacts([dated(old, "2024-01-01"), dated(new, "2025-01-01", "b")])
    assert (merged.first_name, merged.job_title.title) == ("Janet", "Manager")


def test_an_older_value_stays_if_the_newer_row_has_none():
    old = contact(skills=["go"])
    merged, _ = merge_contacts([dated(old, "2024-01-01"), dated(contact(), "2025-01-01", "b")])
    assert merged.skills == ["go"]


def test_a_list_without_union_is_replaced_completely():
    rows = [dated(contact(skills=["go"]), "2024-01-01"), dated(contact(skills=["c"]), "2025-01-01", "b")]
    assert merge_contacts(rows)[0].skills == ["c"]


def test_emails_and_phones_unite_by_value_with_the_newest_details():
    old = contact(emails=["a@example.com", "b@example.com"], phones=[Phone("+12025550101")])
    new = contact(phones=[Phone("+12025550101", type="mobile"), Phone("+12025550102")])
    new.emails = [Email("b@example.com", type="private")]
    merged, _ = merge_contacts([dated(old, "2024-01-01"), dated(new, "2025-01-01", "b")])
    assert [(e.email, e.type) for e in merged.emails] == [
        ("b@example.com", "private"),
        ("a@example.com", "work"),
    ]
    assert [(p.number, p.type) for p in merged.phones] == [
        ("+12025550101", "mobile"),
        ("+12025550102", "unknown"),
    ]


def test_the_job_of_an_older_row_at_another_employer_is_a_former_one():
    old = contact(company="Acme", title="Engineer")
    new = contact(company="Rival", title="Manager")
    merged, employer = merge_contacts(
        [dated(old, "2024-01-01", company_id=1), dated(new, "2025-01-01", "b", 2)]
    )
    assert employer == 2
    assert [(j.company.name, j.job_title.title) for j in merged.previous_employment] == [("Acme", "Engineer")]


def test_two_spellings_of_one_employer_are_no_change_of_job():
    old, new = contact(company="Acme Inc", title="Engineer"), contact(company="ACME", title="Lead")
    merged, _ = merge_contacts([dated(old, "2024-01-01", company_id=1), dated(new, "2025-01-01", "b", 1)])
    assert merged.previous_employment == []


def test_the_title_at_a_former_employer_is_not_moved_to_the_new_one():
    old, new = contact(company="Acme", title="Engineer"), contact(company="Rival")
    merged, _ = merge_contacts([dated(old, "2024-01-01", company_id=1), dated(new, "2025-01-01", "b", 2)])
    assert merged.job_title is None


def test_former_jobs_from_history_are_shown_unless_the_person_returned():
    jobs = [PastJob(CompanyRef(name="Acme", id=1)), PastJob(CompanyRef(name="Old", id=3))]
    merged, _ = merge_contacts([dated(contact(company="Acme"), "2024-01-01", company_id=1, past=jobs)])
    assert [(job.company.name, job.company.id) for job in merged.previous_employment] == [("Old", None)]


def test_the_source_decides_between_rows_of_one_day():
    rows = [dated(contact("Ann"), "2024-01-01", "a"), dated(contact("Bea"), "2024-01-01", "b")]
    assert merge_contacts(rows) == merge_contacts(rows[::-1])


companies = st.builds(
    Company,
    name=st.sampled_from(["Acme", "ACME Inc", None]),
    technologies=st.lists(st.sampled_from(["Go", "go", "Rust"]), max_size=2),
    keywords=st.lists(st.sampled_from(["x", "y"]), max_size=2),
    alternative_names=st.lists(st.sampled_from(["A", "B"]), max_size=2),
    industry=st.sampled_from(["Finance", None]),
    stub=st.booleans(),
)
company_rows = st.lists(
    st.builds(
        DatedCompany,
        st.sampled_from(["2024-01-01", "2024-01-02"]),
        st.text("ab", min_size=1),
        st.text("12"),
        companies,
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda row: (row.source, row.source_id),
)


@given(company_rows, st.randoms())
def test_the_order_of_company_rows_changes_nothing(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert merge_companies(rows) == merge_companies(shuffled)


@given(company_rows)
def test_a_merged_company_is_a_stub_only_if_all_its_rows_are(rows):
    assert merge_companies(rows).stub == all(row.record.stub for row in rows)


def test_technologies_and_keywords_of_all_rows_are_united():
    one = msgspec.convert({"technologies": ["Go"], "keywords": ["k"], "specialities": ["s"]}, Company)
    two = msgspec.convert({"technologies": ["GO", "Rust"], "specialities": ["t"]}, Company)
    merged = merge_companies(
        [DatedCompany("2024-01-01", "a", "", one), DatedCompany("2024-01-02", "b", "", two)]
    )
    assert merged.technologies == ["GO", "Rust"]
    assert (merged.keywords, merged.specialities) == (["k"], ["t"])
