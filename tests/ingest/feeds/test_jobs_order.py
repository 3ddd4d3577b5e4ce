"""Imports of postings give the same result in any order, with any portions, repetitions and crashes."""

from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from emptied_database import empty_tables
from firmograph.directory.records import Company
from firmograph.ingest.feeds.feed_rows import read_facts
from firmograph.ingest.reading.readers import AUTODETECT
from job_factory import everything, import_jobs, importer, job, jobs_feed, on, written
from record_factory import load_companies

COMPANIES = ("one.example", "two.example", "unknown.example")
WEEKS = 14
LAST = on(WEEKS, 6)


@st.composite
def postings(draw):
    """Generate a few postings in most weeks, so that there are surges and gaps, and more in the last weeks."""
    rows = []
    for week in range(1, WEEKS + 1):
        for company in COMPANIES:
            for number in range(draw(st.integers(0, 9 if week > WEEKS - 2 else 2))):
                closed = draw(st.sampled_from([None, None, on(week + 1), on(WEEKS)]))
                place = draw(st.sampled_from([{}, {"country": "US", "state": "CA"}, {"country": "DE"}]))
                opened = on(week, draw(st.integers(0, 6)))
                rows.append(job(company, f"{week}-{number}", opened, closeDate=closed, **place))
    return rows


class Crash(Exception):
    pass


def crash_after(after):
    """Return a progress function that accepts `after` commits and raises at the next."""
    commits = iter(range(after))

    def report(done):
        if next(commits, None) is None:
            raise Crash

    return report


def interrupted_import(database, path, snapshot, after):
    """Import in small portions and stop after `after` commits, which stay."""
    feed = jobs_feed(snapshot=snapshot)
    feed.look_ahead([(Path(path), AUTODETECT)], LAST)
    report, writer = crash_after(after), importer(database, feed)
    facts = [fact for some in read_facts(Path(path), feed) for fact in some.facts]
    with suppress(Crash):
        for start in range(0, len(facts) + 1, 7):
            writer.apply(facts[start : start + 7], report)
        writer.finish(report)


def state(database, rows, folder, *, snapshot, crashes=()):
    """Return the state after importing some files into an empty database, after interrupted imports of them."""
    empty_tables(database)
    load_companies(database, "list", [Company(name=name[:3], domain=name) for name in COMPANIES[:2]])
    paths = [written(folder, some, f"{place}.jsonl") for place, some in enumerate(rows)]
    whole = written(folder, [row for some in rows for row in some], "whole.jsonl")
    for after in crashes:
        interrupted_import(database, whole, snapshot, after)
    import_jobs(database, paths, snapshot=snapshot)
    return everything(database)


@settings(max_examples=examples(15))
@given(
    rows=postings(),
    random=st.randoms(use_true_random=False),
    crashes=st.lists(st.integers(0, 12), max_size=2),
    snapshot=st.booleans(),
)
def test_order_portions_repetition_and_crashes_change_nothing(
    database, tmp_path, rows, random, crashes, snapshot
):
    plain = state(database, [rows], tmp_path, snapshot=snapshot)
    mixed = [*rows, *random.sample(rows, len(rows) // 3)]
    random.shuffle(mixed)
    cut = random.randint(0, len(mixed))
    files = [mixed[:cut], mixed[cut:]]
    assert state(database, files, tmp_path, snapshot=snapshot, crashes=crashes) == plain


def state_without_signals(database, imports, folder):
    """Return everything stored except signals, after imports of rows as of a day each."""
    empty_tables(database)
    load_companies(database, "list", [Company(name=name[:3], domain=name) for name in COMPANIES[:2]])
    for place, (rows, as_of, snapshot) in enumerate(imports):
        import_jobs(database, written(folder, rows, f"{place}.jsonl"), as_of=as_of, snapshot=snapshot)
    tables = everything(database)
    return tables[:3], tables[4:]


@settings(max_examples=examples(15))
@given(rows=postings(), data=st.data())
def test_the_order_of_two_imports_does_not_change_the_openings(database, tmp_path, rows, data):
    def some():
        return [row for row in rows if data.draw(st.booleans())]

    first = (some(), on(8, 6), data.draw(st.booleans()))
    second = (some(), LAST, data.draw(st.booleans()))
    there = state_without_signals(database, [first, second], tmp_path)
    assert state_without_signals(database, [second, first], tmp_path) == there
