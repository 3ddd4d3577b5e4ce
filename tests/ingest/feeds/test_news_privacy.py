"""No news names a suppressed person, and no import restores such news.

See docs/reference/signals.md#suppressed-people.
"""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.directory.records import Company, CompanyRef, PastJob
from firmograph.privacy import suppression_file
from news_factory import article, import_news, stored_news
from post_factory import count_orphans, database_contains
from record_factory import KEYRING, contact, load_companies, load_contacts
from suppression_factory import each_step, histories, suppression_of

HIRED = article(1, "Acme appoints Jane Doe as chief executive")
LEFT = article(2, "A change at the top", "Acme CEO Jane M. Doe has resigned.")
BOUGHT = article(3, "Acme to acquire Globex", "Acme agreed to acquire Globex for $40 million.")
ROWS = [HIRED, LEFT, BOUGHT]

JANE = {"email": "jane@example.com"}


def prepared(database):
    """Fill a database with Acme, Globex and Initech, records 1 to 3, Jane Doe of Acme and Sam Roe of Globex."""
    names = ("Acme", "Globex", "Initech")
    load_companies(database, "crm", [Company(name=name, domain=f"{name.lower()}.example") for name in names])
    load_contacts(
        database,
        "crm",
        [
            contact(company="ACME Inc.", emails=[JANE["email"]]),
            contact("Sam", "Roe", company="Globex", emails=["sam@example.com"]),
        ],
    )
    return database


@pytest.fixture
def load(filled, tmp_path):
    return lambda *rows: import_news(filled, tmp_path, rows)


def titles(database):
    return sorted({title for _, title in stored_news(database)})


def last_changes(database, number):
    query = "SELECT entity, entity_id FROM changes ORDER BY sequence DESC"
    return sorted(tuple(row) for row in database.session().raw.execute(query).fetchall()[:number])


# --- suppression of people in stored news ---


def test_news_that_name_the_person_are_erased_and_others_stay(filled, load, suppress):
    assert load(*ROWS).signals == 4
    suppress(**JANE)
    assert stored_news(filled) == [(1, BOUGHT["title"]), (2, BOUGHT["title"])]
    assert not database_contains(filled, "Jane")
    assert count_orphans(filled) == 0
    assert (2, 1) in last_changes(filled, 2)


@pytest.mark.parametrize("title", ["Acme appoints JANE DOÉ as CEO", "Acme appoints Jane Marie Doe as CEO"])
def test_news_are_erased_in_any_spelling_of_the_name(filled, load, suppress, title):
    load(article(1, title))
    suppress(**JANE)
    assert stored_news(filled) == []


def test_news_are_compared_with_the_name_and_not_with_its_variants(filled, load, suppress):
    load(article(1, "Acme appoints Doe Jane as CEO"))
    suppress(**JANE)
    assert titles(filled) == ["Acme appoints Doe Jane as CEO"]
    assert load(article(2, "Acme appoints J. Doe as CEO")).suppressed == 0


def test_a_record_with_a_middle_name_matches_without_it_too(filled, load, suppress):
    load_contacts(filled, "crm", [contact("Ann M.", "Orr", company="Globex", emails=["ann@example.com"])])
    load(article(1, "Globex appoints Ann Orr as CEO"))
    suppress(email="ann@example.com")
    assert stored_news(filled) == []


def test_news_whose_address_alone_names_the_person_are_erased(filled, load, suppress):
    load({**BOUGHT, "url": "https://news.example.com/2025/acme-buys-globex-says-jane-doe"})
    suppress(**JANE)
    assert stored_news(filled) == []


def test_news_about_a_namesake_elsewhere_stay(filled, load, suppress):
    load(article(1, "Initech appoints Jane Doe as chief executive"))
    suppress(**JANE)
    assert len(stored_news(filled)) == 1


def test_all_companies_of_an_article_lose_it(filled, load, suppress):
    row = article(1, "Acme, led by Jane Doe, to acquire Globex", companies=["Acme", "Globex"])
    assert load({**row, "eventTypes": ["M&A"]}).signals == 2
    suppress(**JANE)
    assert stored_news(filled) == []
    assert {(2, 1), (2, 2)} <= set(last_changes(filled, 3))


def test_news_of_former_employers_are_erased_too(filled, load, suppress):
    past = [PastJob(company=CompanyRef(domain="initech.example"))]
    ann = contact("Ann", "Orr", company="Globex", emails=["ann@example.com"], previous_employment=past)
    load_contacts(filled, "crm", [ann])
    rows = [article(1, "Initech CEO Ann Orr resigns"), article(2, "Globex appoints Ann Orr as CEO")]
    assert load(*rows).signals == 2
    suppress(email="ann@example.com")
    assert stored_news(filled) == []
    assert load(*rows).suppressed == 2


# --- imports after a suppression ---


def test_an_article_that_names_a_suppressed_person_is_counted_and_makes_no_signal(filled, load, suppress):
    suppress(**JANE)
    summary = load(*ROWS)
    assert (summary.suppressed, summary.created, summary.signals, summary.unnamed) == (2, 1, 2, 0)
    assert titles(filled) == [BOUGHT["title"]]
    assert not database_contains(filled, "Jane")


def test_other_events_of_the_article_are_kept(filled, load, suppress):
    suppress(**JANE)
    text = "Acme agreed to acquire Globex for $40 million. Acme CEO Jane Doe has resigned."
    summary = load(article(1, "A busy day", text))
    assert (summary.suppressed, summary.created, len(stored_news(filled))) == (0, 1, 2)
    assert not database_contains(filled, "Jane")


def test_suppression_before_and_after_the_import_have_the_same_result(filled, other, tmp_path, clock):
    text = "Acme agreed to acquire Globex for $40 million. Acme CEO Jane Doe has resigned."
    rows = [*ROWS, article(4, "A busy day", text), article(5, "Globex appoints Sam Roe as CEO")]
    import_news(filled, tmp_path, rows)
    for database in (filled, other):
        suppression = suppression_of(database, clock)
        suppression.suppress(suppression.person(**JANE))
    import_news(other, tmp_path, rows)
    assert stored_news(filled) == stored_news(other)
    assert len(stored_news(filled)) == 5


def test_the_next_import_after_lifting_a_suppression_restores_the_news(filled, load, suppress, clock):
    load(*ROWS)
    before = stored_news(filled)
    suppress(**JANE)
    suppression = suppression_of(filled, clock)
    suppression.unsuppress(suppression.person(**JANE))
    assert load(*ROWS).signals == 2
    assert stored_news(filled) == before


# --- other ways of suppression ---


def test_suppressions_imported_from_another_machine_apply_to_news_too(
    filled, other, tmp_path, suppress, clock
):
    import_news(other, tmp_path, ROWS)
    suppress(**JANE)
    suppression_file.export_suppressions(filled, KEYRING.fingerprint(), tmp_path / "file", replace=True)
    exported = suppression_file.read_suppressions(tmp_path / "file", KEYRING.fingerprint())
    suppression_of(other, clock).import_keys(exported.hashes, exported.last_contact)
    assert titles(other) == [BOUGHT["title"]]
    assert count_orphans(other) == 0


def test_the_commands_erase_people_from_news(commands, database, tmp_path):
    files = {
        "companies": [{"name": "Acme", "domain": "acme.example"}, {"name": "Globex"}],
        "contacts": [{"firstName": "Jane", "lastName": "Doe", "company": "Acme", "emails": [JANE["email"]]}],
        "news": ROWS,
    }
    for kind, rows in files.items():
        (tmp_path / f"{kind}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
        commands("import", kind, str(tmp_path / f"{kind}.jsonl"))
    assert len(stored_news(database)) == 4
    commands("suppress", "--email", JANE["email"])
    assert titles(database) == [BOUGHT["title"]]
    assert commands("import", "news", str(tmp_path / "news.jsonl"))["suppressed"] == 2
    assert not database_contains(database, "Jane")


# --- histories ---

PEOPLE = [("Jane", "Doe", "Acme"), ("Sam", "Roe", "Globex")]
FORMS = ["{0} {1}", "{0} Q. {1}", "{0} Marie {1}"]
NUMBERS = st.integers(0, 1)


def row(number, person, form, company):
    name = FORMS[form].format(*PEOPLE[person])
    return article(number, f"{company} appoints {name} as chief executive")


ROW = st.builds(row, st.integers(1, 9), NUMBERS, st.integers(0, 2), st.sampled_from(["Acme", "Globex"]))


@given(histories(ROW, PEOPLE))
@settings(max_examples=examples(30))
def test_no_news_of_the_employer_names_a_suppressed_person_at_any_time(filled, tmp_path, clock, steps):
    for named in each_step(filled, clock, steps, PEOPLE, lambda rows: import_news(filled, tmp_path, rows)):
        news = stored_news(filled)
        assert not any(company in title and first in title for _, title in news for company, first in named)
        assert count_orphans(filled) == 0
