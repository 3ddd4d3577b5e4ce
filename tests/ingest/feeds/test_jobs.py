"""The result of an import of job postings (docs/reference/signals.md#hiring-surges)."""

import json
from pathlib import Path

import msgspec
import pytest

from firmograph.directory.records import Company, CompanyRef, OpenJobs
from firmograph.ingest.feeds.feed_rows import read_facts
from firmograph.ingest.records.preparation import Unusable
from firmograph.signals.types import NUMBER_OF
from job_factory import import_jobs, job, jobs_feed, on, stored_surges, weekly, written
from record_factory import contact, load_companies, load_contacts
from stored_records import change_count, parents, stored_companies

TOTAL, DEPARTMENT, LOCATION = (
    NUMBER_OF[name] for name in ("surgeInHiring", "surgeInHiringByDepartment", "surgeInHiringByLocation")
)


@pytest.fixture
def acme(database):
    load_companies(database, "list", [Company(name="Acme", domain="acme.example")])
    return database


def open_jobs(database, number=1):
    return stored_companies(database)[number].open_jobs


def totals(database):
    return [record.open_jobs and record.open_jobs.total for record in stored_companies(database).values()]


# --- rows ---


def read(**fields):
    given = {"company": "Acme", "postingId": "1", "title": "Sales Manager", "openDate": "2025-06-02"}
    feed = jobs_feed()
    return feed.read_fact(1, feed.row(**{_snake(name): value for name, value in (given | fields).items()}))


def _snake(name):
    return "".join("_" + sign.lower() if sign.isupper() else sign for sign in name)


@pytest.mark.parametrize(
    ("title", "department", "found"),
    [
        ("Account Executive", "human resources", "Human Resources"),
        ("Account Executive", "Regional Team 4", "Sales"),
        ("Account Executive", None, "Sales"),
        ("Xyzzy", None, "Other"),
    ],
)
def test_the_department_is_the_given_one_or_that_of_the_title(title, department, found):
    assert read(title=title, department=department).posting.department == found


def test_seniority_is_that_of_the_title():
    assert read(title="Director of Sales").posting.seniority == "Director"


def test_a_location_has_codes_and_english_names_in_any_spelling():
    posting = read(country="Deutschland", state="Bayern", city="München").posting
    assert posting[3:7] == ("DE", "BY", "Germany", "Bavaria")
    assert read(country="US", state="CA").posting[3:7] == ("US", "CA", "United States", "California")


def test_without_a_country_the_location_is_unknown():
    assert read(state="Springfield", city="Springfield").posting[3:7] == (None, None, None, None)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"company": None}, "company"),
        ({"postingId": " "}, "postingId: missing"),
        ({"title": None}, "title: missing"),
        ({"openDate": None}, "openDate: missing"),
        ({"openDate": "06/02/2025"}, "openDate: not a date"),
    ],
)
def test_a_row_without_required_fields_is_rejected(fields, reason):
    with pytest.raises(Unusable, match=reason):
        read(**fields)


MARKERS = "nan,\\N,#REF!,(blank),-,undefined,[object Object],null,<NA>,N/A,none,0,unknown,keine Angabe".split(
    ","
)


def test_postings_whose_id_is_a_placeholder_are_rejected_and_never_merged(acme, tmp_path):
    rows = [
        job("acme.example", marker, on(1), title=title) for marker in MARKERS for title in ("Cook", "Nurse")
    ]
    summary = import_jobs(acme, written(tmp_path, [*rows, job("acme.example", "A-1", on(1))]))
    assert (summary.read, summary.created, summary.updated, summary.rejected) == (29, 1, 0, 28)


def test_an_unreadable_closing_date_is_ignored():
    assert read(closeDate="soon").posting.closed is None


def test_a_name_with_a_slash_is_not_read_as_an_address():
    assert read(company="Novo Example A/S").company.name == "Novo Example A/S"


# --- surges ---


def test_a_surge_is_detected_once_in_repeated_imports(acme, tmp_path):
    rows = weekly("acme.example", [2] * 12 + [8], country="US", state="CA", title="Account Executive")
    path = written(tmp_path, [*rows, job("acme.example", "next", on(14), title="Account Executive")])
    assert import_jobs(acme, path).signals == 4
    last = on(13, 6)
    assert [row[1:4] for row in stored_surges(acme)] == [
        (TOTAL, last, ""),
        (DEPARTMENT, last, "Sales"),
        (LOCATION, last, "US"),
        (LOCATION, last, "US|CA"),
    ]
    again = import_jobs(acme, path)
    assert (again.signals, again.created, again.updated, again.unchanged) == (0, 0, 0, len(rows) + 1)
    assert len(stored_surges(acme)) == 4


def test_the_last_complete_week_is_judged_and_not_the_running_one(acme, tmp_path):
    path = written(tmp_path, weekly("acme.example", [2] * 10 + [9]))
    assert import_jobs(acme, path).signals == 0
    assert import_jobs(acme, path, as_of=on(11, 6)).signals > 0


def test_an_event_contains_new_postings_average_and_rate(acme, tmp_path):
    path = written(tmp_path, weekly("acme.example", [2] * 10 + [8]))
    import_jobs(acme, path, as_of=on(11, 6))
    event = stored_surges(acme)[0][4]
    assert event == {"newJobsPostedLastWeek": 8, "historicalAvg": 2, "changeRatePercent": 300}


def test_a_week_without_any_posting_of_the_source_is_a_gap_and_not_a_zero(acme, tmp_path):
    rows = [*weekly("acme.example", [4] * 5), *weekly("acme.example", [4] * 5, first_week=30)]
    assert import_jobs(acme, written(tmp_path, rows), as_of=on(34, 6)).signals == 0


def test_postings_of_an_unknown_company_cover_weeks_all_the_same(acme, tmp_path):
    rows = [
        *weekly("acme.example", [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]),
        *weekly("unknown.example", [1] * 11),
    ]
    summary = import_jobs(acme, written(tmp_path, rows), as_of=on(11, 6))
    assert (summary.created, summary.rejected) == (12, 11)
    assert stored_surges(acme)[0][4]["historicalAvg"] == 0.4


def test_postings_of_another_source_do_not_count(acme, tmp_path):
    import_jobs(acme, written(tmp_path, weekly("acme.example", [2] * 10)), source="one")
    assert import_jobs(acme, written(tmp_path, weekly("acme.example", [9], 11)), as_of=on(11, 6)).signals == 0


def test_history_accumulates_over_many_imports(acme, tmp_path):
    for week in range(1, 11):
        path = written(tmp_path, weekly("acme.example", [2], week))
        assert import_jobs(acme, path, as_of=on(week, 6)).signals == 0
    assert import_jobs(acme, written(tmp_path, weekly("acme.example", [8], 11)), as_of=on(11, 6)).signals == 1


def test_one_posting_id_at_two_companies_is_two_postings(acme, tmp_path):
    load_companies(acme, "list", [Company(name="Other", domain="other.example")])
    path = written(tmp_path, [job("acme.example", 1, on(1)), job("other.example", 1, on(1))])
    assert import_jobs(acme, path).created == 2
    assert totals(acme) == [1, 1]


# --- snapshots ---


def test_a_snapshot_alone_never_shows_a_surge(acme, tmp_path):
    survivors = weekly("acme.example", [1] * 12 + [3, 6, 12, 24])
    assert import_jobs(acme, written(tmp_path, survivors), as_of=on(16, 6), snapshot=True).signals == 0
    assert open_jobs(acme).total == len(survivors)


def test_weekly_snapshots_show_a_surge(acme, tmp_path):
    rows = []
    for week, count in enumerate([2] * 10 + [8], 1):
        rows += weekly("acme.example", [count], week)
        found = import_jobs(acme, written(tmp_path, rows), as_of=on(week, 6), snapshot=True).signals
        assert bool(found) == (week == 11)


def test_a_posting_missing_in_the_next_snapshot_is_closed(acme, tmp_path):
    both = [job("acme.example", 1, on(1)), job("acme.example", 2, on(2))]
    import_jobs(acme, written(tmp_path, both), as_of=on(2, 6), snapshot=True)
    import_jobs(acme, written(tmp_path, both[1:]), as_of=on(3, 6), snapshot=True)
    assert open_jobs(acme).total == 1
    import_jobs(acme, written(tmp_path, [job("acme.example", 3, on(4))]), as_of=on(4, 6))
    assert open_jobs(acme).total == 2


@pytest.mark.parametrize("rows", [[], [job("nobody.example", 1, on(2))]])
def test_a_snapshot_without_postings_of_known_companies_closes_none(acme, tmp_path, rows):
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(1))]), as_of=on(1, 6), snapshot=True)
    import_jobs(acme, written(tmp_path, rows), as_of=on(2, 6), snapshot=True)
    assert open_jobs(acme).total == 1


def test_a_posting_in_a_snapshot_is_open_at_any_age(acme, tmp_path):
    path = written(tmp_path, [job("acme.example", 1, "2011-06-24")])
    import_jobs(acme, path, as_of=on(2), snapshot=True)
    assert open_jobs(acme).total == 1


# --- open postings ---


@pytest.mark.parametrize(
    ("closing", "as_of", "total"),
    [
        (None, "2025-01-05", 0),
        (None, "2025-01-06", 1),
        (None, "2025-03-06", 1),
        (None, "2025-03-07", 0),
        ("2025-05-01", "2025-04-30", 1),
        ("2025-05-01", "2025-05-01", 0),
    ],
)
def test_a_posting_is_open_until_it_closes_or_for_60_days(acme, tmp_path, closing, as_of, total):
    import_jobs(
        acme, written(tmp_path, [job("acme.example", 1, "2025-01-06", closeDate=closing)]), as_of=as_of
    )
    assert open_jobs(acme).total == total


def test_openings_are_counted_in_total_and_by_department_location_and_seniority(acme, tmp_path):
    rows = [
        job("acme.example", 1, on(1), title="Sales Director", country="US", state="CA"),
        job("acme.example", 2, on(1), title="Sales Director", country="US"),
        job("acme.example", 3, on(1), title="Account Executive", country="US", state="California"),
        job("acme.example", 4, on(1), title="Xyzzy"),
    ]
    import_jobs(acme, written(tmp_path, rows))
    assert msgspec.to_builtins(open_jobs(acme)) == {
        "total": 4,
        "byDepartment": [{"department": "Sales", "count": 3}, {"department": "Other", "count": 1}],
        "byLocation": [
            {"country": "United States", "state": "California", "count": 2},
            {"country": "United States", "count": 1},
        ],
        "bySeniority": [{"seniority": "Director", "count": 2}, {"seniority": "Non-Manager", "count": 2}],
    }


def test_when_all_are_closed_the_record_says_zero(acme, tmp_path):
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(1))]))
    assert open_jobs(acme).total == 1
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(1), closeDate=on(1, 3))]), as_of=on(2))
    assert open_jobs(acme) == OpenJobs(total=0)


def test_a_closing_date_is_taken_from_a_file_with_an_older_day(acme, tmp_path):
    rows = [job("acme.example", 1, on(1)), job("acme.example", 2, on(4))]
    import_jobs(acme, written(tmp_path, rows))
    summary = import_jobs(acme, written(tmp_path, [rows[0] | {"closeDate": on(2), "title": "Attorney"}]))
    assert (summary.updated, open_jobs(acme).total) == (1, 1)


def test_a_corrected_department_replaces_the_previous_one(acme, tmp_path):
    row = job("acme.example", 1, on(1), department="Sales")
    import_jobs(acme, written(tmp_path, [row]))
    assert import_jobs(acme, written(tmp_path, [row | {"department": "Legal"}])).updated == 1
    assert [one.department for one in open_jobs(acme).by_department] == ["Legal"]


def test_an_older_import_does_not_replace_newer_openings(acme, tmp_path):
    import_jobs(acme, written(tmp_path, [job("acme.example", n, on(9)) for n in range(3)]))
    before = stored_companies(acme)
    import_jobs(acme, written(tmp_path, [job("acme.example", 9, on(1), closeDate=on(2))]))
    assert stored_companies(acme) == before


def test_a_future_day_is_not_used_as_the_day_of_judgment(acme, tmp_path):
    rows = [job("acme.example", 1, on(1)), job("acme.example", 2, "2999-01-01")]
    import_jobs(acme, written(tmp_path, rows))
    assert open_jobs(acme).total == 1


# --- openings in the company record ---


def test_openings_stay_when_the_company_is_imported_again(acme, tmp_path):
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(1))]))
    load_companies(acme, "list", [Company(name="Acme Inc", domain="acme.example", year_founded=1999)])
    (record,) = stored_companies(acme).values()
    assert (record.name, record.year_founded, record.open_jobs.total) == ("Acme Inc", 1999, 1)


def test_openings_do_not_complete_a_stub(database, tmp_path):
    load_contacts(database, "list", [contact(company="Acme")])
    import_jobs(database, written(tmp_path, [job("Acme", 1, on(1))]))
    (record,) = stored_companies(database).values()
    assert (record.stub, record.name, record.open_jobs.total) == (True, "Acme", 1)
    assert load_companies(database, "list", [Company(name="Acme", domain="acme.example")]).created == 1
    (record,) = stored_companies(database).values()
    assert (record.stub, record.domain, record.open_jobs.total) == (False, "acme.example", 1)


def test_a_company_keeps_its_owners_and_competitors(database, tmp_path):
    acme = Company(
        name="Acme",
        domain="acme.example",
        parents=[CompanyRef(name="Hold")],
        competitors=[CompanyRef(name="Rival")],
    )
    load_companies(database, "list", [acme])
    before = database.session().raw.execute("SELECT tokens, premium FROM companies WHERE id = 1").fetchone()
    import_jobs(database, written(tmp_path, [job("acme.example", 1, on(1))]))
    after = database.session().raw.execute("SELECT tokens, premium FROM companies WHERE id = 1").fetchone()
    old, new = (json.loads(bytes(row[1])) for row in (before, after))
    assert new["competitors"] == old["competitors"]
    assert after[0] & before[0] == before[0]
    assert parents(database) == [(1, 2)] or parents(database) == [(1, 3)]


def test_the_newest_of_several_sources_states_the_openings(acme, tmp_path):
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(5))]), source="one")
    import_jobs(acme, written(tmp_path, [job("acme.example", n, on(3)) for n in range(4)]), source="two")
    assert open_jobs(acme).total == 1


def test_figures_of_a_newer_file_of_companies_win(acme, tmp_path):
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(1))]))
    newer = Company(domain="acme.example", open_jobs=OpenJobs(total=77), update_date=on(9))
    load_companies(acme, "other", [newer])
    assert open_jobs(acme).total == 77


def test_only_changed_records_get_a_new_position_in_the_change_sequence(acme, tmp_path):
    load_companies(acme, "list", [Company(name="Quiet", domain="quiet.example")])
    before = change_count(acme)
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(1))]))
    assert change_count(acme) == before + 1
    import_jobs(acme, written(tmp_path, [job("acme.example", 1, on(1))]), as_of=on(2))
    assert change_count(acme) == before + 1


def test_a_row_of_openings_may_return_to_an_earlier_state(acme, tmp_path):
    for week, count in ((1, 1), (2, 3), (3, 1)):
        rows = [job("acme.example", f"{week} {n}", on(week)) for n in range(count)]
        import_jobs(acme, written(tmp_path, rows), as_of=on(week, 6), snapshot=True)
        assert open_jobs(acme).total == count


# --- tables ---


def test_the_samples_in_all_formats_are_read_alike(database, tmp_path):
    folder = Path(__file__).parents[3] / "docs" / "samples"
    found = []
    for name in ("jobs.jsonl", "jobs.csv"):
        feed = jobs_feed()
        (some,) = read_facts(folder / name, feed)
        assert not some.rejects
        found.append([fact.posting for fact in some.facts])
    assert found[0] == found[1]
    assert len(found[0]) >= 5
