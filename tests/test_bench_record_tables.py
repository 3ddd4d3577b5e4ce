"""The bench of tables of records: the report of its figures."""

import pytest
from bench.record_tables_report import (
    During,
    Export,
    OnDatabase,
    OnTable,
    Page,
    Pages,
    RecordTablesReport,
    record_tables_tables,
)

pytestmark = [pytest.mark.no_database, pytest.mark.folders("bench")]


def on_table(kind, *, hold, last=9.0):
    pages = Pages(Page(5.0, 12.0), Page(last, 20.0))
    exports = [Export("csv", 50_000, 2.0, 90 << 20)]
    return OnTable(
        kind, 3.0, 60.0, hold, 8.0, 20.0, 5.0, pages, pages, 215_000, 90.0, hold, exports, 60.0, 12.0, 3.0
    )


def report_of(last=9.0):
    databases = [
        OnDatabase("SQLite", [on_table("contacts", hold=40.0, last=last)], [During("search", 1.0, 1.5, 900)]),
        OnDatabase("PostgreSQL", [on_table("contacts", hold=None)], [During("search", 1.0, 2.5, 900)]),
    ]
    return RecordTablesReport(1_000_000, 100_000, 50_000, 20, 5_000, 300, databases)


def figures(report):
    return {row[0]: row[1:] for row in record_tables_tables(report)[0].rows}


def test_each_figure_stands_by_its_aim():
    found = figures(report_of())
    assert found["all rows added, s"] == ("3.00", "3.00", "5", "met")
    assert found["bytes of a page"] == ("215,000", "215,000", "", "")


def test_one_missed_aim_on_one_database_is_said():
    assert figures(report_of(last=11.0))["last page in parts of the first, p50"][-1] == "missed"


def test_holds_of_the_writer_are_those_of_the_embedded_database_alone():
    assert figures(report_of())["longest hold of the writer by calls that add, ms"] == (
        "40",
        "",
        "100",
        "met",
    )


def test_calls_during_runs_are_compared_with_those_before():
    during = record_tables_tables(report_of())[1]
    assert [row[-3:] for row in during.rows] == [("1.50", "2", "met"), ("2.50", "2", "missed")]


def test_exports_show_rows_a_second_and_memory():
    exports = record_tables_tables(report_of())[2]
    assert exports.rows[0] == ("SQLite, contacts: csv", "50,000", "2.00", "25,000", "90 MiB")
