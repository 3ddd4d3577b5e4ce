"""No summary of a post names a suppressed person, mentioned or not.

See docs/reference/signals.md#suppressed-people.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.directory.records import Company, CompanyLinks, CompanyRef, PastJob
from firmograph.privacy import suppression_file
from post_factory import ACME, JANE, count_orphans, database_contains, import_posts, post, stored_posts
from record_factory import KEYRING, contact, load_companies, load_contacts
from suppression_factory import each_step, histories, suppression_of

BEN = {"email": "ben@example.com"}
HIRED = "Globex hires Ben Hart for kubernetes"
ROW = post(1, author=ACME, text="Kubernetes at work", summary=HIRED)


def prepared(database):
    """Fill a database with Acme, Globex and Initech, records 1 to 3, Ben Hart of Globex and Jane Doe of Acme."""
    links = CompanyLinks(linkedin=ACME)
    companies = [Company(name="Acme", domain="acme.example", social_links=links)]
    companies += [Company(name=name, domain=f"{name.lower()}.example") for name in ("Globex", "Initech")]
    load_companies(database, "crm", companies)
    people = [
        contact("Ben", "Hart", company="Globex", emails=[BEN["email"]]),
        contact(company="Acme", linkedin=JANE, emails=["jane@example.com"]),
    ]
    load_contacts(database, "crm", people)
    return database


@pytest.fixture
def load(filled, tmp_path):
    return lambda *rows: import_posts(filled, tmp_path, rows).summary


def summaries(database):
    return [event.get("activitySummary") for _, event in stored_posts(database)]


def count_notes(database):
    return database.session().raw.execute("SELECT count(*) FROM signal_people").fetchone()[0]


def last_change(database):
    query = "SELECT entity, entity_id FROM changes ORDER BY sequence DESC LIMIT 1"
    return tuple(database.session().raw.execute(query).fetchone())


# --- suppression of people in stored summaries ---


def test_a_summary_that_names_the_person_is_erased_and_the_post_stays(filled, load, suppress):
    load(ROW)
    ((company, before),) = stored_posts(filled)
    suppress(**BEN)
    assert stored_posts(filled) == [(company, {**before, "activitySummary": None})]
    assert last_change(filled) == (2, 1)
    assert (count_notes(filled), database_contains(filled, "Hart")) == (0, False)


@pytest.mark.parametrize(
    "row",
    [
        post(1, author=ACME, summary="Ben Hart on kubernetes", companiesMentioned=["globex.example"]),
        post(1, author=JANE, summary="Ben Hart on kubernetes", text="Thanks to Globex Inc."),
        post(
            1, author={"name": "Al", "company": {"name": "GLOBEX"}}, summary="With BEN Q. HÁRT on kubernetes"
        ),
    ],
    ids=["a company that is mentioned", "one that the text names", "the author's own"],
)
def test_the_person_is_recognised_at_any_company_of_the_post(filled, load, suppress, row):
    load(row)
    assert summaries(filled) == [row["summary"]]
    suppress(**BEN)
    assert summaries(filled) == [None]
    load(row)
    assert summaries(filled) == [None]


def test_the_person_is_recognised_at_the_employer_in_the_authors_record(filled, load, suppress):
    load_contacts(filled, "crm", [("j", contact("Jo", "Orr", linkedin="in/jo", company="Globex"))])
    row = post(1, author="linkedin.com/in/jo", summary="Ben Hart on kubernetes")
    load(row)
    suppress(**BEN)
    assert [company for company, _ in stored_posts(filled)] == [2]
    assert summaries(filled) == [None]


def test_the_person_is_recognised_at_the_company_of_the_signal_after_the_author_moved(filled, load, suppress):
    jo = {"linkedin": "in/jo", "company": "Globex"}
    load_contacts(filled, "crm", [("j", contact("Jo", "Orr", day="2025-01-01", **jo))])
    row = post(1, author="linkedin.com/in/jo")
    load(row)
    past = [PastJob(company=CompanyRef(domain="globex.example"))]
    jo["company"] = "Initech"
    load_contacts(
        filled, "crm", [("j", contact("Jo", "Orr", day="2025-02-01", previous_employment=past, **jo))]
    )
    assert load({**row, "summary": "Ben Hart on kubernetes"}).updated == 1
    suppress(**BEN)
    assert [company for company, _ in stored_posts(filled)] == [2]
    assert summaries(filled) == [None]


def test_a_summary_about_a_namesake_elsewhere_stays(filled, load, suppress):
    load(post(1, author=ACME, summary="Initech hires Ben Hart for kubernetes"))
    suppress(**BEN)
    assert summaries(filled) == ["Initech hires Ben Hart for kubernetes"]


def test_a_summary_that_names_others_stays(filled, load, suppress):
    load(post(1, author=ACME, summary="Globex hires Sam Roe for kubernetes"))
    suppress(**BEN)
    assert summaries(filled) == ["Globex hires Sam Roe for kubernetes"]


def test_a_post_is_erased_completely_with_its_author_despite_its_summary(filled, load, suppress):
    row = post(1, author={"fullName": "Ben Hart", "company": "Globex"}, summary=HIRED)
    load(row)
    suppress(**BEN)
    assert (stored_posts(filled), count_notes(filled)) == ([], 0)
    assert load(row).suppressed == 1


def test_a_person_in_a_later_summary_does_not_affect_the_stored_one(filled, load, suppress):
    first = {**ROW, "summary": "Globex on kubernetes"}
    again = {**ROW, "companiesMentioned": ["Initech"]}
    load(first)
    assert load(again).updated == 1
    suppress(**BEN)
    assert summaries(filled) == [first["summary"]]


# --- imports after a suppression ---


def test_an_import_leaves_the_summary_out(filled, load, suppress):
    suppress(**BEN)
    summary = load(ROW)
    assert (summary.suppressed, summary.created, summaries(filled)) == (0, 1, [None])
    assert not database_contains(filled, "Hart")
    assert load(ROW).unchanged == 1


def test_suppression_before_and_after_the_import_have_the_same_result(filled, other, tmp_path, clock):
    rows = [ROW, post(2, summary=HIRED), post(3, author=ACME, summary="Acme on kubernetes")]
    import_posts(filled, tmp_path, rows)
    for database in (filled, other):
        suppression = suppression_of(database, clock)
        suppression.suppress(suppression.person(**BEN))
    import_posts(other, tmp_path, rows)
    assert stored_posts(filled) == stored_posts(other)
    assert summaries(filled) == [None, None, "Acme on kubernetes"]


def test_a_summary_restored_after_lifting_is_found_by_the_next_suppression(
    filled, load, suppress, unsuppress
):
    load(ROW)
    before = stored_posts(filled)
    suppress(**BEN)
    unsuppress(**BEN)
    assert load(ROW).updated == 1
    assert stored_posts(filled) == before
    load_contacts(filled, "crm", [contact("Ben", "Hart", company="Globex", emails=[BEN["email"]])])
    suppress(**BEN)
    assert summaries(filled) == [None]


def test_a_summary_of_a_company_unknown_at_first_is_erased_by_the_next_import(filled, load, suppress):
    row = {**ROW, "summary": "Umbrella hires Kim Poe for kubernetes"}
    load(row)
    load_companies(filled, "crm", [Company(name="Umbrella", domain="umbrella.example")])
    load_contacts(filled, "crm", [contact("Kim", "Poe", company="Umbrella", emails=["kim@example.com"])])
    suppress(email="kim@example.com")
    assert load(row).updated == 1
    assert summaries(filled) == [None]


# --- other ways of suppression ---


def test_suppressions_imported_from_another_machine_apply_to_summaries_too(
    filled, other, tmp_path, suppress, clock
):
    import_posts(other, tmp_path, [ROW])
    suppress(**BEN)
    suppression_file.export_suppressions(filled, KEYRING.fingerprint(), tmp_path / "file", replace=True)
    exported = suppression_file.read_suppressions(tmp_path / "file", KEYRING.fingerprint())
    suppression_of(other, clock).import_keys(exported.hashes, exported.last_contact)
    assert (summaries(other), count_notes(other)) == ([None], 0)


# --- histories ---

PEOPLE = [("Ben", "Hart", "Globex"), ("Kim", "Poe", "Acme")]
NUMBERS = st.integers(0, 1)


def hiring_post(number, person, company):
    first, last, _ = PEOPLE[person]
    return post(number, author=ACME, summary=f"{company} hires {first} {last} for kubernetes")


ROWS = st.builds(hiring_post, st.integers(1, 4), NUMBERS, st.sampled_from(["Acme", "Globex"]))


@given(histories(ROWS, PEOPLE))
@settings(max_examples=examples(30))
def test_no_summary_names_a_suppressed_person_next_to_the_employer_at_any_time(
    filled, tmp_path, clock, steps
):
    for named in each_step(filled, clock, steps, PEOPLE, lambda rows: import_posts(filled, tmp_path, rows)):
        remaining = [summary for summary in summaries(filled) if summary]
        assert not any(company in each and first in each for each in remaining for company, first in named)
        assert count_orphans(filled) == 0
