"""Posts from files: the company, content and privacy of each signal.

See docs/reference/signals.md#posts.
"""

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.database.connection import RECORDS
from firmograph.directory.records import Company, CompanyLinks, CompanyRef, PastJob
from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from firmograph.signals.store import feed_kinds, signals_after
from post_factory import (
    ACME,
    JANE,
    SAM,
    count_orphans,
    database_contains,
    import_file,
    import_posts,
    post,
    stored_posts,
)
from record_factory import contact, load_companies, load_contacts
from stored_records import change_count

ACME_ROW = Company(name="Acme", domain="acme.test", social_links=CompanyLinks(linkedin=ACME))
MARKER = "The quick brown zebra counts sixteen lonely lighthouses"


@pytest.fixture
def acme(database):
    """Return a database with Acme, record 1."""
    load_companies(database, "test", [ACME_ROW, Company(name="Beta", domain="beta.test")])
    return database


def load(database, folder, *rows, **options):
    return import_posts(database, folder, rows, **options).summary


def event(database, at=0):
    return stored_posts(database)[at][1]


def test_a_post_is_a_signal_with_everything_except_its_text(acme, tmp_path):
    load_contacts(acme, "test", [contact(linkedin=JANE, company="Acme")])
    row = post(
        date="2025-06-03T23:30:00-04:00",
        summary="About clouds",
        likes="1,204",
        comments=7,
        type="Article",
        contactsMentioned=[{"name": "Sam Roe", "linkedinUrl": "linkedin.com/in/sam-roe/"}],
        companiesMentioned=["beta.test", {"name": "Gamma"}],
    )
    summary = load(acme, tmp_path, row)
    assert (summary.read, summary.created, summary.signals, summary.unnamed) == (1, 1, 1, 0)
    assert stored_posts(acme) == [
        (
            1,
            {
                "activityPublicationDate": "2025-06-04",
                "signalCategory": "Technology Discussion",
                "intentTopics": [
                    {"topic": "Cloud Computing", "category": "Technology"},
                    {"topic": "Data Platforms", "category": "Data"},
                ],
                "author": {"id": 1, "fullName": "Jane Doe", "linkedinUrl": JANE},
                "contactsMentioned": [{"id": None, "fullName": "Sam Roe", "linkedinUrl": SAM}],
                "companiesMentioned": [
                    {"id": 2, "name": "beta.test", "linkedinUrl": ""},
                    {"id": None, "name": "Gamma", "linkedinUrl": ""},
                ],
                "activityUrl": post()["url"],
                "activitySummary": "About clouds",
                "activityLikes": 1204,
                "activityComments": 7,
                "activityShares": 0,
                "activityType": "article",
            },
        )
    ]
    (signal,) = signals_after(acme.session(), 0, 10)
    assert (signal.entity, signal.type) == (Entity.COMPANY, "linkedinActivityIntent")
    assert (signal.day, signal.detail) == ("2025-06-04", "|Data|Technology|")
    assert feed_kinds(acme.session()) == {"posts"}


def test_the_text_is_neither_in_the_database_nor_in_rejects(acme, tmp_path):
    rows = [
        post(1, text=f"{MARKER} in the public cloud"),
        post(2, text=f"{MARKER} alone"),
        post(3, text=f"{MARKER} in the public cloud", author={"fullName": "Al", "company": "Nobody Holds"}),
        post(4, text=f"{MARKER} in the public cloud", date=MARKER),
        post(5, text=[MARKER]),
        post(6, text=MARKER, author=True),
        post(7, text=MARKER, url=None),
    ]
    imported = import_posts(acme, tmp_path, rows)
    assert (imported.summary.signals, imported.summary.rejected) == (1, 4)
    assert not any(database_contains(acme, word) for word in ("zebra", "lighthouses", MARKER))
    assert "zebra" not in str(imported.rejects)
    assert event(acme)["activitySummary"] is None


@pytest.mark.parametrize(
    ("author", "company"),
    [
        ({"fullName": "Jane Doe", "linkedinUrl": JANE, "company": "Acme"}, 1),
        ({"fullName": "Jane Doe", "linkedinUrl": JANE, "company": {"domain": "beta.test"}}, 2),
        ({"name": "Al", "company": ACME}, 1),
        ({"fullName": "Acme", "linkedinUrl": ACME}, 1),
        (ACME, 1),
        ({"fullName": "Sam Roe", "linkedinUrl": SAM}, 2),
        ({"fullName": "Sam Roe", "linkedinUrl": SAM, "company": "Acme"}, 2),
        (SAM, 2),
    ],
)
def test_a_post_is_a_signal_of_its_authors_employer_or_of_the_company_that_wrote_it(
    acme, tmp_path, author, company
):
    load_contacts(acme, "test", [contact("Sam", "Roe", linkedin=SAM, company="Beta")])
    load(acme, tmp_path, post(author=author))
    assert [number for number, _ in stored_posts(acme)] == [company]


@pytest.mark.parametrize(
    "author",
    ["Jane Doe", JANE, {"fullName": "Jane", "company": "Nobody Holds"}, "linkedin.com/company/nobody"],
)
def test_a_post_of_no_known_company_is_counted_although_it_mentions_one(acme, tmp_path, author):
    summary = load(acme, tmp_path, post(author=author, companiesMentioned=["Acme"]))
    assert (summary.signals, summary.unnamed, summary.unchanged) == (0, 1, 1)


def test_a_post_without_any_topic_is_no_signal(acme, tmp_path):
    summary = load(acme, tmp_path, post(text="Good morning"))
    assert (summary.signals, summary.unnamed, summary.unchanged) == (0, 0, 1)


def test_a_summary_is_read_for_topics_too_and_may_stand_alone(acme, tmp_path):
    load(acme, tmp_path, post(text=None, summary="She praises Kubernetes"))
    assert [topic["topic"] for topic in event(acme)["intentTopics"]] == ["Containers"]


def test_pages_in_the_text_are_mentions_except_the_author(acme, tmp_path):
    load_contacts(acme, "test", [contact("Sam", "Roe", linkedin=SAM)])
    text = f"ERP with {SAM} and linkedin.com/in/ann and linkedin.com/in/Jane-Doe at {ACME} linkedin.com/company/x"
    load(acme, tmp_path, post(text=text))
    assert event(acme)["contactsMentioned"] == [
        {"id": None, "fullName": "", "linkedinUrl": "https://www.linkedin.com/in/ann"},
        {"id": 1, "fullName": "Sam Roe", "linkedinUrl": SAM},
    ]
    assert event(acme)["companiesMentioned"] == [
        {"id": 1, "name": "Acme", "linkedinUrl": ACME},
        {"id": None, "name": "", "linkedinUrl": "https://www.linkedin.com/company/x"},
    ]


def test_known_companies_in_the_text_are_mentions_and_other_names_are_not_stored(acme, tmp_path):
    text = f"Kubernetes with Zaphod Corp and Beta Inc. and Acme and Quuxly Brown, Acme again at {ACME}"
    load(acme, tmp_path, post(text=text))
    assert [(each["id"], each["name"]) for each in event(acme)["companiesMentioned"]] == [
        (2, "Beta Inc."),
        (1, "Acme"),
    ]
    assert not database_contains(acme, "Zaphod")
    assert not database_contains(acme, "Quuxly")


def test_mentioned_people_without_a_page_are_not_stored(acme, tmp_path):
    load(
        acme, tmp_path, post(contactsMentioned=["Zora Quill", {"fullName": "Zora Quill", "company": "Acme"}])
    )
    assert event(acme)["contactsMentioned"] == []
    assert not database_contains(acme, "Quill")


def test_an_author_without_a_page_is_found_by_a_unique_name_at_the_employer(acme, tmp_path):
    people = [
        contact("Al", "Lone", company="Acme"),
        contact("Bo", "Two", company="Acme", emails=["a@example.com"]),
    ]
    people += [
        contact("Bo", "Two", company="Acme", emails=["b@example.com"]),
        contact("Al", "Lone", company="Beta"),
    ]
    load_contacts(acme, "test", people)
    for number, name in enumerate(["Dr. Al Lone", "Bo Two", "Alan Lone"]):
        load(acme, tmp_path, post(number, author={"fullName": name, "company": "acme.test"}))
    authors = [post["author"] for _, post in stored_posts(acme)]
    assert [(author["fullName"], author["id"]) for author in authors] == [
        ("Dr. Al Lone", 1),
        ("Bo Two", None),
        ("Alan Lone", None),
    ]


def test_the_same_file_again_changes_nothing(acme, tmp_path):
    rows = [post(1, contactsMentioned=[{"linkedinUrl": SAM}]), post(2)]
    load(acme, tmp_path, *rows)
    before, changes = stored_posts(acme), change_count(acme)
    summary = load(acme, tmp_path, *rows)
    assert (summary.unchanged, summary.signals) == (2, 0)
    assert (stored_posts(acme), change_count(acme)) == (before, changes)


def test_a_post_with_another_address_or_other_figures_stays_as_first_detected(acme, tmp_path):
    number = "7123456789012345678"
    first = post(url=f"https://www.linkedin.com/posts/jane-doe_x-activity-{number}-Ab", likes=1)
    again = post(url=f"https://www.linkedin.com/feed/update/urn:li:activity:{number}?x=1", likes=9)
    summary = load(acme, tmp_path, first, again)
    assert (summary.created, summary.unchanged, summary.signals) == (1, 1, 1)
    assert (event(acme)["activityLikes"], event(acme)["activityUrl"]) == (1, first["url"])


def test_a_signal_stays_with_its_company_when_the_author_moves_on(acme, tmp_path):
    row = post(author={"fullName": "Jane Doe", "linkedinUrl": JANE})
    load_contacts(acme, "test", [("j", contact(linkedin=JANE, company="Acme", day="2025-01-01"))])
    load(acme, tmp_path, row)
    load_contacts(acme, "test", [("j", contact(linkedin=JANE, company="Beta", day="2025-02-01"))])
    assert load(acme, tmp_path, row, post(2, author=row["author"])).signals == 1
    assert [number for number, _ in stored_posts(acme)] == [1, 2]


def test_a_former_employer_without_earlier_detection_gets_no_signal(acme, tmp_path):
    past = PastJob(company=CompanyRef(name="Acme"))
    load_contacts(acme, "test", [contact(linkedin=JANE, previous_employment=[past])])
    assert load(acme, tmp_path, post(author=JANE)).unnamed == 1


def test_the_next_import_adds_records_created_since(acme, tmp_path):
    row = post(companiesMentioned=["Gamma"], contactsMentioned=[{"linkedinUrl": SAM}])
    load(acme, tmp_path, row)
    load_companies(acme, "test", [Company(name="Gamma", domain="gamma.test")])
    load_contacts(acme, "test", [contact(linkedin=JANE, company="Acme"), contact("Sam", "Roe", linkedin=SAM)])
    changes = change_count(acme)
    summary = load(acme, tmp_path, row)
    assert (summary.updated, summary.signals) == (1, 0)
    assert event(acme)["author"]["id"] == 1
    assert event(acme)["contactsMentioned"] == [{"id": 2, "fullName": "Sam Roe", "linkedinUrl": SAM}]
    assert event(acme)["companiesMentioned"][0]["id"] == 3
    assert change_count(acme) == changes + 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"url": "no address"}, "url: no web address"),
        ({"date": "yesterday"}, "date: no day that could be read"),
        ({"date": None}, "date: no day that could be read"),
        ({"author": None}, "author: neither a name nor a LinkedIn page"),
        ({"author": {"company": "Acme"}}, "author: neither a name nor a LinkedIn page"),
        ({"date": "2999-01-01"}, "in the future"),
        ({"text": " "}, "neither text nor summary"),
        ({"author": [1]}, "author: expected str | object | null, got array"),
    ],
)
def test_an_unusable_row_is_rejected_with_the_reason(acme, tmp_path, fields, message):
    imported = import_posts(acme, tmp_path, [post(1), post(2, **fields)])
    assert [(reject.line, reject.reason) for reject in imported.rejects] == [(2, message)]


def test_a_table_of_the_usual_columns_is_recognised(acme, tmp_path):
    (tmp_path / "posts.csv").write_text(
        "Post URL;Posted At;Author Name;Author Company;Text;Reactions;companiesMentioned\n"
        'https://x.test/1;2025-06-01;Jane Doe;Acme;Kubernetes rocks;12;"Beta | Gamma, Inc."\n'
    )
    assert import_file(acme, tmp_path / "posts.csv").summary.signals == 1
    assert event(acme)["activityLikes"] == 12
    assert [each["name"] for each in event(acme)["companiesMentioned"]] == ["Beta", "Gamma, Inc."]


def test_the_sample_can_be_imported(database, tmp_path):
    samples = Path(__file__).parents[3] / "docs" / "samples"
    rows = [msgspec.json.decode(line) for line in (samples / "companies.jsonl").read_bytes().splitlines()]
    companies = [
        Company(
            name=row["name"],
            domain=row.get("domain"),
            social_links=CompanyLinks(linkedin=row["linkedinUrl"]) if "linkedinUrl" in row else None,
        )
        for row in rows
    ]
    load_companies(database, "test", companies)
    imported = import_file(database, samples / "posts.jsonl", SystemClock())
    assert imported.rejects == []
    assert [(number, event["signalCategory"]) for number, event in stored_posts(database)] == [
        (1, "Technology Discussion"),
        (4, "Hiring"),
        (3, "Event"),
    ]
    assert [each["id"] for each in event(database, 2)["companiesMentioned"]] == [1]


def test_a_table_without_authors_is_refused(acme, tmp_path):
    (tmp_path / "posts.csv").write_text("url,date,text\n")
    with pytest.raises(Refused, match="has no column 'author', which an import of posts needs"):
        import_file(acme, tmp_path / "posts.csv")


ROWS = [
    post(1, contactsMentioned=[{"linkedinUrl": SAM}]),
    post(1, contactsMentioned=[{"fullName": "Ann", "linkedinUrl": "linkedin.com/in/ann"}]),
    post(2, author=SAM, companiesMentioned=["Gamma"]),
    post(2, author={"fullName": "Sam Roe", "linkedinUrl": SAM}),
    post(3, author=ACME, companiesMentioned=["Beta"]),
    post(4, author=ACME, text="nothing"),
]


@given(st.permutations(ROWS), st.lists(st.integers(0, 6), max_size=3), st.booleans())
@settings(max_examples=examples(25))
def test_order_portions_and_repetition_change_nothing(acme, tmp_path, rows, cuts, again):
    load_contacts(acme, "test", [contact("Sam", "Roe", linkedin=SAM, company="Beta")])
    results = []
    for portions in ([ROWS], _cut(rows, cuts), *([[ROWS, rows]] if again else [])):
        for portion in portions:
            load(acme, tmp_path, *portion)
        results.append(sorted(stored_posts(acme), key=str))
        assert count_orphans(acme) == 0
        _forget(acme)
    assert all(result == results[0] for result in results)
    assert len(results[0]) == 3


def _cut(rows, cuts):
    bounds = [0, *sorted(cuts), len(rows)]
    return [rows[start:end] for start, end in pairwise(bounds)]


def _forget(database):
    with database.write(RECORDS) as session:
        session.raw.execute("DELETE FROM signal_people")
        session.raw.execute("DELETE FROM signals")
