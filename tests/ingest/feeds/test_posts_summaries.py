"""Nobody who is suppressed is named by the summary of a post, mentioned or not.

See docs/reference/signals.md#suppressed-people.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmograph.directory.records import Company, CompanyLinks, CompanyRef, PastJob
from firmograph.privacy import suppression_file
from post_factory import ACME, JANE, count_orphans, database_contains, import_posts, post, stored_posts
from record_factory import KEYRING, contact, load_companies, load_contacts
from suppression_factory import each_step, histories, suppression_of

BEN = {"email": "ben@example.com"}
HIRED = "Globex hires Ben Hart for kubernetes"
ROW = post(1, author=ACME, text="Kubernetes at work", summary=HIRED)


def prepared(database):
    """Makes a database of Acme, Globex and Initech, records 1 to 3, Ben Hart of Globex and Jane Doe of Acme."""
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
def load(held, tmp_path):
    return lambda *rows: import_posts(held, tmp_path, rows).summary


def summaries(database):
    return [event.get("activitySummary") for _, event in stored_posts(database)]


def noted(database):
    return database.session().raw.execute("SELECT count(*) FROM signal_people").fetchone()[0]


def last_change(database):
    query = "SELECT entity, entity_id FROM changes ORDER BY sequence DESC LIMIT 1"
    return tuple(database.session().raw.execute(query).fetchone())


# --- suppression of people whom held summaries name ---


def test_the_summary_that_names_the_person_goes_and_the_post_stays(held, load, suppress):
    load(ROW)
    ((company, before),) = stored_posts(held)
    suppress(**BEN)
    assert stored_posts(held) == [(company, {**before, "activitySummary": None})]
    assert last_change(held) == (2, 1)
    assert (noted(held), database_contains(held, "Hart")) == (0, False)


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
def test_at_whichever_company_of_the_post_the_person_works(held, load, suppress, row):
    load(row)
    assert summaries(held) == [row["summary"]]
    suppress(**BEN)
    assert summaries(held) == [None]
    load(row)
    assert summaries(held) == [None]


def test_at_the_employer_that_the_authors_record_has_too(held, load, suppress):
    load_contacts(held, "crm", [("j", contact("Jo", "Orr", linkedin="in/jo", company="Globex"))])
    row = post(1, author="linkedin.com/in/jo", summary="Ben Hart on kubernetes")
    load(row)
    suppress(**BEN)
    assert [company for company, _ in stored_posts(held)] == [2]
    assert summaries(held) == [None]


def test_at_the_company_whose_signal_it_is_still_though_the_author_has_moved(held, load, suppress):
    jo = {"linkedin": "in/jo", "company": "Globex"}
    load_contacts(held, "crm", [("j", contact("Jo", "Orr", day="2025-01-01", **jo))])
    row = post(1, author="linkedin.com/in/jo")
    load(row)
    past = [PastJob(company=CompanyRef(domain="globex.example"))]
    jo["company"] = "Initech"
    load_contacts(
        held, "crm", [("j", contact("Jo", "Orr", day="2025-02-01", previous_employment=past, **jo))]
    )
    assert load({**row, "summary": "Ben Hart on kubernetes"}).updated == 1
    suppress(**BEN)
    assert [company for company, _ in stored_posts(held)] == [2]
    assert summaries(held) == [None]


def test_somebody_of_the_same_name_elsewhere_is_not_meant(held, load, suppress):
    load(post(1, author=ACME, summary="Initech hires Ben Hart for kubernetes"))
    suppress(**BEN)
    assert summaries(held) == ["Initech hires Ben Hart for kubernetes"]


def test_a_summary_that_names_others_stays(held, load, suppress):
    load(post(1, author=ACME, summary="Globex hires Sam Roe for kubernetes"))
    suppress(**BEN)
    assert summaries(held) == ["Globex hires Sam Roe for kubernetes"]


def test_a_post_goes_as_a_whole_with_its_author_whatever_its_summary(held, load, suppress):
    row = post(1, author={"fullName": "Ben Hart", "company": "Globex"}, summary=HIRED)
    load(row)
    suppress(**BEN)
    assert (stored_posts(held), noted(held)) == ([], 0)
    assert load(row).suppressed == 1


def test_who_is_named_by_another_summary_of_the_post_takes_nothing_with_them(held, load, suppress):
    first = {**ROW, "summary": "Globex on kubernetes"}
    again = {**ROW, "companiesMentioned": ["Initech"]}
    load(first)
    assert load(again).updated == 1
    suppress(**BEN)
    assert summaries(held) == [first["summary"]]


# --- imports after a suppression ---


def test_an_import_leaves_the_summary_out(held, load, suppress):
    suppress(**BEN)
    summary = load(ROW)
    assert (summary.suppressed, summary.created, summaries(held)) == (0, 1, [None])
    assert not database_contains(held, "Hart")
    assert load(ROW).unchanged == 1


def test_it_makes_no_difference_which_came_first(held, other, tmp_path, clock):
    rows = [ROW, post(2, summary=HIRED), post(3, author=ACME, summary="Acme on kubernetes")]
    import_posts(held, tmp_path, rows)
    for database in (held, other):
        suppression = suppression_of(database, clock)
        suppression.suppress(suppression.person(**BEN))
    import_posts(other, tmp_path, rows)
    assert stored_posts(held) == stored_posts(other)
    assert summaries(held) == [None, None, "Acme on kubernetes"]


def test_once_it_is_lifted_the_next_import_brings_it_back_and_suppression_finds_it_again(
    held, load, suppress, unsuppress
):
    load(ROW)
    before = stored_posts(held)
    suppress(**BEN)
    unsuppress(**BEN)
    assert load(ROW).updated == 1
    assert stored_posts(held) == before
    load_contacts(held, "crm", [contact("Ben", "Hart", company="Globex", emails=[BEN["email"]])])
    suppress(**BEN)
    assert summaries(held) == [None]


def test_a_summary_whose_company_was_not_held_yet_goes_with_the_next_import(held, load, suppress):
    row = {**ROW, "summary": "Umbrella hires Kim Poe for kubernetes"}
    load(row)
    load_companies(held, "crm", [Company(name="Umbrella", domain="umbrella.example")])
    load_contacts(held, "crm", [contact("Kim", "Poe", company="Umbrella", emails=["kim@example.com"])])
    suppress(email="kim@example.com")
    assert load(row).updated == 1
    assert summaries(held) == [None]


# --- other ways of suppression ---


def test_suppressions_of_another_machine_hold_for_summaries_too(held, other, tmp_path, suppress, clock):
    import_posts(other, tmp_path, [ROW])
    suppress(**BEN)
    suppression_file.export_suppressions(held, KEYRING.fingerprint(), tmp_path / "file", replace=True)
    exported = suppression_file.read_suppressions(tmp_path / "file", KEYRING.fingerprint())
    suppression_of(other, clock).import_keys(exported.hashes, exported.last_contact)
    assert (summaries(other), noted(other)) == ([None], 0)


# --- histories ---

PEOPLE = [("Ben", "Hart", "Globex"), ("Kim", "Poe", "Acme")]
NUMBERS = st.integers(0, 1)


def told(number, who, company):
    first, last, _ = PEOPLE[who]
    return post(number, author=ACME, summary=f"{company} hires {first} {last} for kubernetes")


ROWS = st.builds(told, st.integers(1, 4), NUMBERS, st.sampled_from(["Acme", "Globex"]))


@given(histories(ROWS, PEOPLE))
@settings(max_examples=30)
def test_no_summary_names_a_suppressed_person_beside_the_employer_at_any_time(held, tmp_path, clock, steps):
    for named in each_step(held, clock, steps, PEOPLE, lambda rows: import_posts(held, tmp_path, rows)):
        shown = [summary for summary in summaries(held) if summary]
        assert not any(company in each and first in each for each in shown for company, first in named)
        assert count_orphans(held) == 0
