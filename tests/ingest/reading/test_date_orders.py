"""Numeric dates, whose order of day and month is decided once for a column."""

import pytest

from firmograph.ingest.preparation_process import ImportTask, prepare_files
from firmograph.ingest.reading.readers import ReadOptions
from firmograph.security.record_ids import Entity
from record_factory import KEYRING

pytestmark = pytest.mark.no_database


def prepared(path, entity=Entity.CONTACT, dates=None):
    job = ImportTask(
        entity=entity, paths=[str(path)], source="s", keyring=KEYRING, read_options=[ReadOptions(dates=dates)]
    )
    rows, unread = [], {}
    for stretch in prepare_files(job):
        rows += stretch.rows
        unread |= {name: one.lines for name, one in stretch.values.unread.items()}
    return [row.day for row in sorted(rows, key=lambda row: row.line)], unread


def table(tmp_path, *days, name="Last Updated"):
    path = tmp_path / "people.csv"
    lines = [f"p{number},Jane{number},Doe,{day}" for number, day in enumerate(days)]
    path.write_text("\n".join([f"Record ID,First Name,Last Name,{name}", *lines]) + "\n")
    return path


@pytest.mark.parametrize(
    ("days", "read"),
    [
        (["03/04/2024", "15/04/2024"], ["2024-04-03", "2024-04-15"]),
        (["03/04/2024", "04/15/2024"], ["2024-03-04", "2024-04-15"]),
        (["03.04.2024", "04.15.2024"], ["2024-03-04", "2024-04-15"]),
        (["03/04/24 2:30 PM", "4/15/24 9:00 AM"], ["2024-03-04", "2024-04-15"]),
        (["03/04/2024", "2024-04-15"], ["", "2024-04-15"]),
        (["03/04/2024", "04/15/2024", "15/04/2024"], ["", "2024-04-15", "2024-04-15"]),
    ],
)
def test_one_value_of_a_column_decides_for_the_others(tmp_path, days, read):
    assert prepared(table(tmp_path, *days))[0] == read


def test_undecidable_dates_are_counted(tmp_path):
    assert prepared(table(tmp_path, "03/04/2024", "05/06/2024", "2024-01-01"))[1] == {"Last Updated": [2, 3]}


def test_a_value_after_the_first_rows_decides_where_these_do_not(tmp_path):
    days, unread = prepared(table(tmp_path, *["03/04/2024"] * 1500, "04/15/2024"))
    assert (set(days), unread) == ({"2024-03-04", "2024-04-15"}, {})


def test_the_requested_order_takes_precedence_over_the_column(tmp_path):
    path = table(tmp_path, "03/04/2024", "2024-04-15")
    assert prepared(path, dates="dmy")[0] == ["2024-04-03", "2024-04-15"]
    assert prepared(path, dates="mdy")[0] == ["2024-03-04", "2024-04-15"]


def test_an_iso_date_does_not_depend_on_its_column(tmp_path):
    assert prepared(table(tmp_path, "2024-03-04", "04/15/2024"), dates="dmy")[0] == [
        "2024-03-04",
        "2024-04-15",
    ]


def test_each_column_is_decided_by_itself(tmp_path):
    path = tmp_path / "companies.csv"
    path.write_text(
        "Name,Domain,Last Updated,Last Funding Date\n"
        "A,a.example,03/04/2024,03/04/2024\n"
        "B,b.example,15/04/2024,04/15/2024\n"
    )
    job = ImportTask(entity=Entity.COMPANY, paths=[str(path)], source="s", keyring=KEYRING)
    rows = [row for stretch in prepare_files(job) for row in stretch.rows]
    assert [row.day for row in rows] == ["2024-04-03", "2024-04-15"]
    assert b"Mar 4, 2024" in rows[0].row
    assert b"Apr 15, 2024" in rows[1].row


def test_versions_of_a_person_follow_the_order_of_numeric_dates(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        "Record ID,First Name,Last Name,Last Updated\np1,Jane,Doe,04/05/2024\np1,Jane,Doe,15/02/2024\n"
    )
    job = ImportTask(entity=Entity.CONTACT, paths=[str(path)], source="s", keyring=KEYRING)
    rows = [row for stretch in prepare_files(job) for row in stretch.rows]
    assert [row.day for row in rows] == ["2024-02-15", "2024-05-04"]


def test_json_lines_are_read_in_the_requested_order(tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text('{"sourceId": "p1", "fullName": "Jane Doe", "updateDate": "03/04/2024"}\n')
    assert prepared(path) == ([""], {"updateDate": [1]})
    assert prepared(path, dates="mdy")[0] == ["2024-03-04"]


def test_numbers_of_json_count_days_and_seconds(tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text(
        '{"sourceId": "p1", "fullName": "Jane Doe", "updateDate": 45306}\n'
        '{"sourceId": "p2", "fullName": "Jane Doe", "updateDate": 1705312800000}\n'
    )
    assert prepared(path) == (["2024-01-15", "2024-01-15"], {})
