"""Feeds of figures: accepted rows, and signals independent of order, commits, crashes and repetition."""

from datetime import date, timedelta
from itertools import count, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from emptied_database import empty_tables
from firmograph.database.connection import RECORDS
from firmograph.directory.records import Company
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.kinds import KINDS
from firmograph.ingest.feeds.service import FeedImporter, import_feed
from firmograph.kit.clock import SetClock, today
from firmograph.security.record_ids import Entity
from firmograph.signals.figures import store as figure_store
from firmograph.signals.figures.detectors import Figure, headcount_signals
from firmograph.signals.store import signals_of_records
from firmograph.signals.thresholds import load_thresholds
from record_factory import DIGESTS, load_companies

RULES = load_thresholds()
_numbers = count(1)
DAY = today(SetClock())


def feed(kind):
    return KINDS[kind](FeedDependencies(DIGESTS, RULES))


@pytest.fixture
def importing(database, clock, tmp_path):
    """Return a function that imports lines as a file of one kind; it returns the summary and the rejects by line."""

    def importing(kind, *lines, source="default", name="facts.csv"):
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines))
        rejects = {}
        summary = import_feed(
            database,
            clock,
            feed(kind),
            [str(path)],
            source,
            lambda _, reject: rejects.update({reject.line: reject.reason}),
            lambda progress: None,
        )
        return summary, rejects

    return importing


@pytest.fixture
def acme(database):
    load_companies(database, "companies", [Company(name="Acme", domain="acme.example.com")])


def signals(database, number=1):
    with database.read() as session:
        found = signals_of_records(session, Entity.COMPANY, [number])
    return sorted((one.type, one.day, one.event) for one in found)


def counts(summary):
    return summary.read, summary.created, summary.updated, summary.unchanged, summary.rejected


def test_the_same_file_again_changes_nothing(importing, acme):
    lines = ["company,date,count", "acme.example.com,2025-01-01,100", "acme.example.com,2025-02-01,120"]
    first, _ = importing("headcounts", *lines)
    second, _ = importing("headcounts", *lines)
    assert (counts(first), first.signals) == ((2, 2, 0, 0, 0), 1)
    assert (counts(second), second.signals) == ((2, 0, 0, 2, 0), 0)


def test_a_restated_figure_keeps_its_signal(importing, database, acme):
    importing("headcounts", "company,date,count", "Acme,2025-01-01,100", "Acme,2025-02-01,120")
    before = signals(database)
    summary, _ = importing("headcounts", "company,date,count", "Acme,2025-02-01,150")
    assert (counts(summary), summary.signals) == ((1, 0, 1, 0, 0), 0)
    assert signals(database) == before
    assert len(before) == 1


def test_a_late_month_shows_the_signals_it_would_have_shown(importing, database, acme):
    importing("headcounts", "company,date,count", "Acme,2025-01-01,100", "Acme,2025-03-15,200")
    assert signals(database) == []
    summary, _ = importing("headcounts", "company,date,count", "Acme,2025-02-10,150")
    assert summary.signals == 2
    assert [(type, day) for type, day, _ in signals(database)] == [
        ("headcountIncrease1m", "2025-02-10"),
        ("headcountIncrease1m", "2025-03-15"),
    ]


def test_sources_are_never_compared(importing, database, acme):
    importing("headcounts", "company,date,count", "Acme,2025-01-01,100", source="one")
    summary, _ = importing("headcounts", "company,date,count", "Acme,2025-02-01,200", source="other")
    assert (summary.created, summary.signals) == (1, 0)
    assert signals(database) == []


def test_kinds_are_never_compared(importing, database, acme):
    importing("it-spend", "company,date,value,currency", "Acme,2025-01-01,100,USD")
    summary, _ = importing("headcounts", "company,date,count", "Acme,2025-02-01,200")
    assert (summary.created, summary.signals) == (1, 0)


def test_a_company_may_be_named_in_any_form(importing, database):
    page = "https://www.linkedin.com/company/acme-made-up"
    load_companies(
        database,
        "companies",
        [Company(name="Acme Widgets", domain="acme.example.com"), Company(name="Birch", domain="birch.test")],
    )
    summary, rejects = importing(
        "headcounts",
        '{"company": "acme.example.com", "date": "2025-01-01", "count": 1}',
        '{"company": "Acme Widgets Inc.", "date": "2025-01-02", "count": "2"}',
        '{"company": "https://www.acme.example.com/about", "date": "2025-01-03", "count": 3.0}',
        '{"company": {"name": "Acme Widgets"}, "date": "2025-01-04T10:00:00Z", "count": 4}',
        '{"company": {"domain": "www.acme.example.com", "name": "Other"}, "date": "2025-01", "count": 5}',
        f'{{"company": "{page}", "date": "2025-01-06", "count": 6}}',
        name="facts.jsonl",
    )
    assert (summary.created, summary.updated, list(rejects)) == (4, 0, [6])
    with database.read() as session:
        stored = figure_store.figures_of(session, "headcounts", 1 + 1, [1])
    assert [(f"{one.day}", one.value) for one in stored[1]] == [
        ("2025-01-01", 5),
        ("2025-01-02", 2),
        ("2025-01-03", 3),
        ("2025-01-04", 4),
    ]


@pytest.mark.parametrize(
    "header",
    [
        "Company Domain;As Of;Head Count",
        "company,domain,date,count",
        "company.name,company.domain,date,employees",
        "Website\tDay\tEmployee_Count",
    ],
)
def test_headers_may_be_written_as_exports_write_them(importing, acme, header):
    mark = next(sign for sign in ";\t," if sign in header)
    cells = ["Nobody", "acme.example.com", "2025-01-01", "10"][-len(header.split(mark)) :]
    summary, rejects = importing("headcounts", header, mark.join(cells))
    assert (summary.created, rejects) == (1, {})


BAD = {
    "headcounts": [
        (f"Acme,{DAY + timedelta(days=2)},5", "in the future"),
        ("Acme,2025-02-30,5", "date: not a date"),
        ("Acme,2025,5", "date: not a date"),
        ("Acme,0925-01-01,5", "date: before 1900"),
        ("Acme,,5", "date: missing"),
        ("Acme,2025-01-01,-5", "count: negative"),
        ("Acme,2025-01-01,5.5", "count: not a whole number"),
        ("Acme,2025-01-01,many", "count: not a number"),
        ("Acme,2025-01-01,", "count: missing"),
        (",2025-01-01,5", "company: no name, domain or LinkedIn page"),
    ],
    "traffic": [
        (f"Acme,{(DAY + timedelta(days=32)):%Y-%m},5", "in the future"),
        ("Acme,2025-13,5", "month: not a month"),
        ("Acme,2025-01,-0.5", "visits: negative"),
    ],
    "it-spend": [
        ("Acme,2025-01-01,-1,USD", "value: negative"),
        ("Acme,2025-01-01,1,ZZZ", "currency: none with a known rate to the dollar; give the value in USD"),
    ],
}
HEADS = {
    "headcounts": "company,date,count",
    "traffic": "company,month,visits",
    "it-spend": "company,date,value,currency",
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_rows_are_rejected_with_the_reason(importing, acme, kind):
    good = f"Acme,{DAY + timedelta(days=1) if kind != 'traffic' else DAY},5"
    rows = [row for row, _ in BAD[kind]]
    summary, rejects = importing(kind, HEADS[kind], *rows, good)
    assert rejects == {line: reason for line, (_, reason) in enumerate(BAD[kind], 2)}
    assert (summary.created, summary.rejected) == (1, len(rows))


def test_an_unknown_or_ambiguous_company_is_rejected(importing, database):
    twins = [Company(name="Twin", domain=f"twin{one}.example.com") for one in (1, 2)]
    load_companies(database, "companies", twins)
    summary, rejects = importing(
        "headcounts", HEADS["headcounts"], "Twin,2025-01-01,5", "nobody.example.com,2025-01-01,5"
    )
    assert summary.rejected == 2
    assert all(reason.startswith("company: no record, or several") for reason in rejects.values())
    assert not any(word in reason for reason in rejects.values() for word in ("Twin", "nobody"))


def test_the_last_of_two_rows_of_one_day_counts_after_any_number_of_imports(importing, database, acme):
    lines = [HEADS["headcounts"], "Acme,2025-01-01,10", "Acme,2025-01-01,20"]
    first, _ = importing("headcounts", *lines)
    second, _ = importing("headcounts", *lines)
    assert (first.created, first.unchanged, second.updated, second.unchanged) == (1, 1, 0, 2)


def test_traffic_and_spend_show_signals_too(importing, database, acme):
    months = [f"Acme,2025-{month:02},{visits}" for month, visits in enumerate((5000, 5000, 5000, 9000), 1)]
    importing("traffic", HEADS["traffic"], *months)
    importing("it-spend", HEADS["it-spend"], "Acme,2024-01-01,1000,EUR", "Acme,2025-01-01,1500,EUR")
    assert signals(database) == [
        (
            "itSpendIncrease",
            "2025-01-01",
            b'{"estimatedAnnualItSpend":1606,"changeRatePercent":50}',
        ),
        (
            "websiteTrafficIncrease",
            "2025-04-30",
            b'{"historicalAvg":5000,"lastMonthVisits":9000,"changeRatePercent":80}',
        ),
    ]


def test_the_next_import_examines_the_rest_of_an_interrupted_one(importing, database, clock):
    names = [f"c{place}.example.com" for place in range(30)]
    load_companies(database, "companies", [Company(domain=name) for name in names])
    fed = feed("headcounts")
    facts = [
        fed.read_fact(line, fed.row(company=name, date=day, count=number))
        for line, (name, (day, number)) in enumerate(
            product(names, (("2025-01-01", 100), ("2025-02-01", 120))), 1
        )
    ]
    ended = FeedImporter(database, clock, fed, "default")
    ended.apply(facts, lambda done: None)
    with database.write(RECORDS) as session:
        assert 0 < next(fed.steps())(ended._commit(session)) < len(names)
    importing("headcounts", HEADS["headcounts"], "c0.example.com,2020-01-01,5")
    assert all(len(signals(database, number)) == 1 for number in range(1, len(names) + 1))


# --- histories ---


@pytest.fixture
def history_database(shared_database):
    """Return one database for all histories; each has a company and a source of its own."""
    empty_tables(shared_database)
    return shared_database


FIGURES = st.dictionaries(
    st.dates(date(2024, 1, 1), date(2025, 6, 30)), st.integers(0, 400), min_size=1, max_size=25
)


class Killed(Exception):
    pass


@given(FIGURES, st.data())
@settings(max_examples=examples(60))
def test_order_commits_crashes_and_repetition_change_nothing(history_database, figures, data):
    name = f"c{next(_numbers)}"
    load_companies(history_database, "companies", [Company(name=name, domain=f"{name}.example.com")])
    with history_database.read() as session:
        number = session.raw.execute("SELECT max(id) FROM companies").fetchone()[0]
    rows = [("headcounts", f"{name}.example.com", str(day), value) for day, value in figures.items()]

    # imports may end anywhere: within a commit, between two, or during the detection of signals
    for _ in range(data.draw(st.integers(0, 3), "interrupted imports")):
        with pytest.raises(Killed):
            run(history_database, name, data.draw(st.permutations(rows)), data, killed=True)
    for _ in range(data.draw(st.integers(1, 2), "whole imports")):
        run(history_database, name, data.draw(st.permutations(rows)), data, killed=False)

    every = [Figure(day, value) for day, value in sorted(figures.items())]
    expected = headcount_signals(number, every, RULES.headcount)
    with history_database.read() as session:
        found = signals_of_records(session, Entity.COMPANY, [number])
    assert {(one.type, one.day) for one in found} == {(one.type, one.day) for one in expected}
    assert len(found) == len(expected)


def run(database, source, rows, data, *, killed):
    fed = feed("headcounts")
    importer = FeedImporter(database, SetClock(), fed, source)
    facts = [
        fed.read_fact(line, fed.row(company=company, date=day, count=value))
        for line, (_, company, day, value) in enumerate(rows, 1)
    ]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(facts)), max_size=4)))
    places = [0, *cuts, len(facts)]
    commits = [facts[start:end] for start, end in pairwise(places)]
    last = data.draw(st.integers(0, len(commits))) if killed else None
    for place, commit in enumerate(commits):
        if place == last:
            break
        importer.apply(commit, lambda done: None)
    if last is None:
        importer.finish(lambda signals: None)
    else:
        end_within_a_transaction(database, importer, commits[last:], data)


def end_within_a_transaction(database, importer, remaining, data):
    """Raise within a commit: its changes are lost and earlier ones stay."""
    with database.write(RECORDS) as session:
        commit = importer._commit(session)
        if remaining:
            importer._feed.apply(commit, remaining[0])
        elif data.draw(st.booleans(), "killed while detecting"):
            next(importer._feed.steps())(commit)
        raise Killed
