"""Sources that state a signal, and its withdrawal with them (docs/reference/signals.md#sources)."""

import msgspec
import pytest

from firmograph.database.connection import RECORDS
from firmograph.directory.records import Company, CompanyRef, JobTitle
from firmograph.ingest.merging.store import number_sources
from firmograph.signals.statements import Origin
from firmograph.signals.store import store_signals
from firmograph.webhooks.withdrawal import withdraw_import, withdraw_source
from news_factory import article, import_news
from post_factory import import_posts, post
from record_factory import DIGESTS, load_companies, load_contacts
from record_factory import contact as any_contact
from signal_factory import detected


def job(company, title="Engineer", day="2026-01-01"):
    record = any_contact(
        "Jane", "Doe", emails=["jane@example.com"], company=CompanyRef(name=company), day=day
    )
    record.job_title = JobTitle(title=title)
    return record


def load_job(database, source, *given):
    load_contacts(database, source, [("1", job(*given))])


def withdraw(database, name):
    """Withdraw a source and return how many signals were deleted."""
    with database.write(RECORDS) as session:
        number = number_sources(session, name)[name]
        return len(withdraw_source(session, number, 100).deleted)


def count_signals(database):
    return database.session().raw.execute("SELECT count(*) FROM signals").fetchone()[0]


def statements(database):
    rows = database.session().raw.execute(
        "SELECT by.name, needed.name FROM signal_statements JOIN sources by ON by.id = stated_by"
        " JOIN sources needed ON needed.id = source ORDER BY 1, 2"
    )
    return [tuple(row) for row in rows.fetchall()]


def test_a_move_is_stated_by_the_source_whose_rows_show_both_jobs(database):
    load_job(database, "a", "Acme")
    load_job(database, "a", "Rival", "Clerk", "2026-02-01")
    assert statements(database) == [("a", "a")]


def test_a_move_between_jobs_of_two_sources_needs_both(database):
    load_job(database, "a", "Acme")
    load_job(database, "b", "Rival", "Clerk", "2026-02-01")
    assert statements(database) == [("b", "a"), ("b", "b")]
    assert withdraw(database, "a") == 1
    assert (count_signals(database), statements(database)) == (0, [])


def test_a_move_that_two_sources_show_stays_when_one_is_withdrawn(database):
    for source, day in (("a", "2026-01-01"), ("b", "2026-01-02")):
        load_job(database, source, "Acme", "Engineer", day)
    load_job(database, "a", "Rival", "Clerk", "2026-02-01")
    load_job(database, "b", "Rival", "Clerk", "2026-02-02")
    assert statements(database) == [("a", "a"), ("b", "b")]
    assert withdraw(database, "a") == 0
    assert (count_signals(database), withdraw(database, "b"), count_signals(database)) == (1, 1, 0)


@pytest.fixture
def company(database):
    records = [{"name": "Initech", "domain": "initech.example"}, {"name": "Acme", "domain": "acme.example"}]
    load_companies(database, "crm", msgspec.convert(records, list[Company]))


@pytest.mark.usefixtures("company")
def test_an_article_of_two_sources_is_stated_by_both(database, tmp_path):
    rows = [article(1, "Initech partners with Globex", "Initech partners with Globex on robots.")]
    for source in ("wire", "press", "wire"):
        import_news(database, tmp_path, rows, source)
    assert statements(database) == [("press", "press"), ("wire", "wire")]


@pytest.mark.usefixtures("company")
def test_an_article_with_other_words_goes_with_the_source_of_the_stored_ones(database, tmp_path):
    for source, title in (("wire", "A deal in robots"), ("press", "News of robots")):
        rows = [article(1, title, "Initech partners with Globex on robots.")]
        import_news(database, tmp_path, rows, source)
    assert statements(database) == [("press", "press"), ("press", "wire"), ("wire", "wire")]
    assert withdraw(database, "press") == 0
    assert withdraw(database, "wire") == 1


@pytest.mark.usefixtures("company")
def test_a_post_goes_with_each_source_that_added_to_it(database, tmp_path):
    import_posts(database, tmp_path, [post()], source="one")
    import_posts(database, tmp_path, [post(summary="Acme moved to the cloud.")], source="two")
    assert statements(database) == [("one", "one"), ("one", "two"), ("two", "two")]
    assert withdraw(database, "two") == 1


def test_signals_of_an_import_go_with_it_unless_another_source_states_them(database):
    own, common = detected(1, "2026-01-01"), detected(1, "2026-02-01")
    with database.write(RECORDS) as session:
        store_signals(session, DIGESTS, [own, common], 0.0, origin=Origin(1, import_id=7))
        store_signals(session, DIGESTS, [common], 0.0, origin=Origin(2, import_id=8))
        done = withdraw_import(session, 7, 100)
        assert [each.identity for each in done.deleted] == [own.identity(DIGESTS)]
        assert withdraw_import(session, 7, 100).read == 0
    assert count_signals(database) == 1


def test_records_of_withdrawn_signals_change(database):
    with database.write(RECORDS) as session:
        store_signals(session, DIGESTS, [detected(1, "2026-01-01")], 0.0, origin=Origin(1))
        withdraw_source(session, 1, 100)
    rows = database.session().raw.execute("SELECT entity_id, removed FROM changes").fetchall()
    assert [tuple(row) for row in rows] == [(1, 0), (1, 0)]
