"""Removal of sources: rows, facts and signals (docs/reference/import.md#removal-of-a-source)."""

import msgspec
import pytest
from undo_world import World, check, content

import database_fixtures
from emptied_database import empty_tables
from firmograph.directory.records import Company
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.figure_feeds import HeadcountsFeed
from firmograph.ingest.feeds.service import import_feed
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from firmograph.signals.store import signals_after
from firmograph.signals.thresholds import load_thresholds
from job_factory import import_jobs, weekly, written
from news_factory import article, import_news
from record_factory import DIGESTS, load_companies

CONTACT, COMPANY = Entity.CONTACT, Entity.COMPANY
FACTS = ("company_figures", "figures_to_judge", "job_postings", "job_weeks", "job_places", "signal_feeds")


def person(name, *emails, **fields):
    return {"firstName": name, "lastName": "Lee", "emails": list(emails), "company": "Acme", **fields}


@pytest.fixture
def world(database, tmp_path):
    return World(database, tmp_path)


def count(database, table, where="1 = 1"):
    return database.session().raw.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]


def import_headcounts(database, folder, source, count):
    path = folder / "counts.csv"
    days = [f"2025-{month:02}-01" for month in range(1, 13)]
    path.write_text(
        "company,date,count\n"
        + "".join(f"acme.example,{day},{count + index * 100}\n" for index, day in enumerate(days))
    )
    feed = HeadcountsFeed(FeedDependencies(DIGESTS, load_thresholds()))
    hooks = (lambda file, reject: None, lambda progress: None)
    return import_feed(database, SetClock(), feed, [str(path)], source, *hooks)


def test_records_are_merged_from_the_rows_of_other_sources(world, database):
    world.import_rows("crm", CONTACT, [person("Ann", "ann@a.example", jobTitle="Clerk")])
    shared = person(
        "Ann", "ann@a.example", "private@a.example", jobTitle="Frobnicator", updateDate="2026-01-02"
    )
    world.import_rows("fair", CONTACT, [shared, person("Zoe", "zoe@a.example")])
    counts = world.removal.remove("fair")
    assert (counts.contacts_removed, counts.changed) == (1, 1)
    check(database)
    found = content(database)
    empty_tables(database)
    World(database, world.folder).import_rows(
        "crm", CONTACT, [person("Ann", "ann@a.example", jobTitle="Clerk")]
    )
    assert found == content(database)


def test_no_value_of_the_source_stays_in_the_database(world, database):
    world.import_rows("crm", CONTACT, [person("Ann", "ann@a.example")])
    for title in ("Frobnicator", "Xyzzy"):
        row = person("Ann", "ann@a.example", "unusual@a.example", jobTitle=title)
        world.import_rows("fair", CONTACT, [row, person("Quentin", "quentin@a.example")])
    world.import_rows("fair", COMPANY, [{"name": "Acme", "description": "Unheard-of maker of anvils"}])
    world.removal.remove("fair")
    database.clear_remains()
    stored = database_fixtures.content(database)
    for value in (b"Frobnicator", b"Xyzzy", b"unusual@", b"Quentin", b"Unheard-of"):
        assert value not in stored
    assert count(database, "import_former_rows") == 0


@pytest.mark.usefixtures("world")
def test_the_facts_and_signals_of_a_source_go(world, database, tmp_path):
    load_companies(database, "crm", [msgspec.convert({"name": "Acme", "domain": "acme.example"}, Company)])
    import_headcounts(database, tmp_path, "board", 100)
    import_jobs(database, written(tmp_path, weekly("acme.example", [1, 1, 1, 1, 9], country="Chile")))
    import_news(database, tmp_path, [article(1, "A deal", "Acme partners with Globex on robots.")], "board")
    assert signals_after(database.session(), 0, 10)
    assert count(database, "company_rows") == 2
    world.removal.remove("board")
    assert [count(database, table) for table in FACTS] == [0] * len(FACTS)
    assert signals_after(database.session(), 0, 10) == []
    assert count(database, "company_rows") == 1
    check(database)


def test_facts_and_signals_of_other_sources_stay(world, database, tmp_path):
    load_companies(database, "crm", [msgspec.convert({"name": "Acme", "domain": "acme.example"}, Company)])
    import_headcounts(database, tmp_path, "board", 100)
    found = len(signals_after(database.session(), 0, 100))
    import_headcounts(database, tmp_path, "other", 100)
    world.removal.remove("board")
    assert count(database, "company_figures") == 12
    assert len(signals_after(database.session(), 0, 100)) == found


def test_a_job_move_that_stays_loses_the_companys_names(world, database):
    acme = {"domain": "acme.example"}
    for company, day in (("acme.example", "2026-01-01"), ("rival.example", "2026-02-01")):
        row = person("Ann", "ann@a.example", company={"domain": company}, updateDate=day)
        if company == "acme.example":
            world.import_rows("crm", CONTACT, [row])
            world.import_rows("names", COMPANY, [{"name": "Frobnicators Inc", **acme}])
        else:
            world.import_rows("crm", CONTACT, [row])
    (move,) = signals_after(database.session(), 0, 10)
    assert b"Frobnicators" in move.event
    world.removal.remove("names")
    (move,) = signals_after(database.session(), 0, 10)
    event = msgspec.json.decode(move.event)
    assert (event["previousCompanyName"], event["previousDomain"]) == ("acme.example", "acme.example")


def test_an_import_of_a_source_that_is_being_removed_is_refused(world, monkeypatch):
    world.import_rows("crm", CONTACT, [person("Ann", "ann@a.example")])
    with monkeypatch.context() as patch:
        patch.setattr(type(world.removal), "_run", lambda *_: None)
        world.removal.remove("crm")
    for refused in (
        lambda: world.import_rows("crm", CONTACT, [person("Zoe", "zoe@a.example")]),
        lambda: world.undo(1),
    ):
        with pytest.raises(Refused, match="finish that first: firmograph source remove crm"):
            refused()
    assert world.removal.remove("crm").contacts_removed == 1


def test_an_import_under_the_name_lifts_the_removal(world, database):
    world.import_rows("crm", CONTACT, [person("Ann", "ann@a.example")])
    world.removal.remove("crm")
    world.import_rows("crm", CONTACT, [person("Ann", "ann@a.example")])
    assert world.sources.find("crm").state == "active"
    assert count(database, "contacts", "id = 2") == count(database, "contacts") == 1


def test_a_removal_is_refused_for_unknown_removed_and_running_sources(world, monkeypatch):
    with pytest.raises(Refused, match="nothing has been imported yet"):
        world.removal.remove("crm")
    world.import_rows("crm", CONTACT, [person("Ann", "ann@a.example")])
    with pytest.raises(Refused, match="no source 'crn'; the nearest name is 'crm'"):
        world.removal.remove("crn")
    world.runs.begin("contacts", "crm", [str(world.write([]))])
    with pytest.raises(Refused, match="Import 2 of the source 'crm' is running"):
        world.removal.remove("crm")
    world.clock.advance(3600)
    world.removal.remove("crm")
    with pytest.raises(Refused, match="has been removed already"):
        world.removal.remove("crm")


def test_a_preview_counts_what_the_removal_takes(world, database):
    world.import_rows("crm", CONTACT, [person("Ann", "ann@a.example")])
    world.import_rows("fair", CONTACT, [person("Ann", "ann@a.example"), person("Zoe", "zoe@a.example")])
    before = content(database)
    preview = world.sources.preview_removal("fair")
    assert (preview.removed[CONTACT], preview.changed) == (1, 1)
    assert content(database) == before


def test_a_stub_that_only_a_replaced_row_named_goes_and_is_counted(world, database):
    firm = {"sourceId": "1", "name": "Acme", "competitors": [{"name": "Rival", "domain": "rival.example"}]}
    world.import_rows("fair", COMPANY, [firm])
    world.import_rows("fair", COMPANY, [firm | {"competitors": []}])
    assert count(database, "companies") == 2
    assert world.sources.preview_removal("fair").removed[COMPANY] == 2
    assert world.removal.remove("fair").companies_removed == 2
    assert count(database, "companies") == 0


def test_owners_of_a_removed_source_are_counted_once(world, database):
    owner = {"sourceId": "1", "name": "Owner", "domain": "owner.example"}
    firm = {
        "sourceId": "2",
        "name": "Acme",
        "domain": "acme.example",
        "parents": [{"domain": "owner.example"}],
    }
    world.import_rows("fair", COMPANY, [owner, firm])
    assert world.sources.preview_removal("fair").removed[COMPANY] == 2
    assert world.removal.remove("fair").companies_removed == 2
    assert count(database, "companies") == 0


def test_sources_of_facts_and_stubs_are_not_listed(world, database, tmp_path):
    load_companies(database, "crm", [msgspec.convert({"name": "Acme", "domain": "acme.example"}, Company)])
    import_jobs(database, written(tmp_path, weekly("acme.example", [1])))
    names = {
        each.name: (each.feeds, each.postings, each.sizes[COMPANY].records) for each in world.sources.all()
    }
    assert names == {"crm": ([], 0, 1), "board": (["jobs"], 1, 0)}
