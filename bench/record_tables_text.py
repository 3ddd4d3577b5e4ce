"""Texts around the tables of tables of records in the document."""

from bench.record_tables_report import RecordTablesReport
from bench.report import Report

_FIGURES = """Last run: {day}, with {contacts:,} generated contacts at {companies:,} companies.

{machine}

Over HTTP, by one caller: a table of {rows:,} contacts and one of as many companies, each of {columns} columns with the
default ones. Rows are added by calls of 500. A column is run by a `firmograph worker` of its own, with nothing else to
do; its time is from the call to the first status without an open run. Runs are accepted {accepted} times, over all
rows, and stopped again. The status is asked again and again while the other columns are run. Pages have 100 rows and
are charged; they are read {accepted} times each, also after {removed:,} removals from all over the table. Tables with
an open run are deleted without a worker, and the rest is timed once there is one. Holds of the writer are those of the
embedded database, as another process sees them. Bytes of a cell are those by which the database grows, indexes
included, divided by rows and columns; a table that takes room which an earlier one has left makes it grow less. The
server runs on one core, the client on the other, and the worker where there is room."""

_DURING = """Contact searches and enrichments of one paid id by one caller, without a run, and while all columns that
can be run are run again and again; the server and the worker may use all cores. The worker is a process of its own, or
the threads in the server that do its work if there is none."""

_EXPORTS = """By `firmograph table export`, its start included, of the whole table and of one with a quarter of the
rows. Memory is private memory of the process at its peak."""

_TEXTS = {"Calls during runs": _DURING, "Exports of tables": _EXPORTS}


def record_tables_prose(title: str, report: Report, measured: RecordTablesReport, machine: str) -> str:
    return _TEXTS.get(title) or _FIGURES.format(
        day=report.day,
        contacts=measured.contacts,
        companies=measured.companies,
        machine=machine,
        rows=measured.rows,
        columns=measured.columns,
        accepted=measured.accepted,
        removed=measured.removed,
    )
