"""`docs/benchmarks.md`: the tables with explanations and instructions.

The section between `<!-- matching -->` and `<!-- /matching -->` is not part of the bench, and is kept. So is
the section of a part that this run did not measure: one of `SEPARATE`, or everything else.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bench import (
    buying_groups_text,
    deliveries_text,
    legacy_text,
    lookalikes_text,
    nodes_text,
    pipelining_text,
    prospecting_text,
    record_tables_text,
    signals_text,
    steady_text,
)
from bench.buying_groups_report import buying_groups_tables
from bench.deliveries_report import deliveries_tables
from bench.legacy_report import legacy_tables
from bench.lookalikes_report import lookalikes_tables
from bench.nodes_report import nodes_tables
from bench.pipelining_report import pipelining_tables
from bench.prospecting_report import ProspectingReport, prospecting_tables
from bench.record_tables_report import record_tables_tables
from bench.report import IMPORT_AIM, Report, tables
from bench.serving import ServingReport
from bench.signals_report import signals_tables
from bench.steady_report import steady_tables
from bench.tables import Table
from bench.workspace import PLAN

MATCHING = re.compile(r"<!-- matching -->.*<!-- /matching -->", re.DOTALL)
_NO_MATCHING = "<!-- matching -->\n<!-- /matching -->"
SEPARATE = {
    name: re.compile(rf"\n*<!-- {name} -->.*<!-- /{name} -->\n*", re.DOTALL)
    for name in (
        "nodes",
        "pipelining",
        "prospecting",
        "signals",
        "deliveries",
        "lookalikes",
        "buying_groups",
        "record_tables",
        "legacy",
        "steady",
    )
}
"""Parts with a date and a machine of their own."""

_INTRODUCTION = """# Benchmarks

Written by `make bench`, which measures all of this again on any Linux machine with two cores, 16 GB of memory and some
50 GB of free disk, within two hours, most of which load five million contacts into all engines
(`.venv/bin/python -m bench --help` shows smaller and partial runs). Last run: {day}, with {contacts:,} generated
contacts at {companies:,} companies.

{machine}

Records and requests a second depend on the other load of the machine; processor time depends on it much less. Matching
quality is measured separately, on labelled look-ups from real data."""

_IMPORT_TEXT = """Through the real command, from JSON Lines on disk to the committed database, its start included. Aim:
{aim:,} contacts a second on two cores. The second import of the same file changes nothing. Processor time is that of
all its processes; peak memory is their private memory at its peak, and then together with the mapped pages of the
database file, which the system reclaims when needed."""

_POSTGRESQL_TEXT = """The same files by the same commands into a PostgreSQL server on the same two cores, configured as
for real work: every commit reaches the disk. Certainly new rows are written by COPY. The server's processor time is
added to the command's."""

_SERVING_TEXT = """The real server runs on one core, the load client on another: 8 connections with one request after
another on each. The bare handler is an ordinary handler of the same framework on the same HTTP server, which
decodes the request into the service's own types, encodes the same answers byte for byte, and does nothing else. Both
run in turn, {rounds} rounds of {seconds:g} s each; medians count, and ratios are taken within rounds. *Ratio* is
requests a second in parts of the bare handler's; *ratio of it* is the bare handler's processor time for a request in
parts of the service's.

Searches have a quarter of their items each by id, e-mail, LinkedIn URL, and name with company; 5 % of the items
match nobody. Requests come from pools made before ({pools}), and samples of the answers are checked in every round.
The account is on the packaged plan `{plan}`, which has no limit a second, so no plan was changed for the bench.
{apart:.1%} of the sampled people are found by name and company; the others have namesakes and are left out."""

_TEXTS = {
    "Authentication, limits and headers": """An endpoint of the real server that takes the same body and does nothing,
with and without authentication: their difference is the cost of authentication, limits and headers. Aim: less than the
bare handler.""",
    "Event loop or worker thread": """The same calls with their service function on the event loop, or handed to a
worker thread, which costs two switches and contends for the interpreter, but keeps the loop free while SQLite waits
for the disk or for its writer.""",
}

_PROFILE_TEXT = """Samples of the server under each mix, its service functions on the event loop (py-spy). A sample
counts for the Python function that ran or that had called into C, so the time of msgspec, SQLite and the cipher is
that of their callers. The shares divide the processor time of a request."""

_NO_PROFILE = "No profile was taken: this system does not allow one process to sample another."


def document(report: Report, page: str) -> str:
    """Return the page, with the sections of the current one that this run did not measure."""
    made = {
        "nodes": _separate_part("nodes", report, nodes_tables, nodes_text.nodes_prose),
        "pipelining": _separate_part(
            "pipelining", report, pipelining_tables, pipelining_text.pipelining_prose
        ),
        "prospecting": _prospecting(report, report.prospecting) if report.prospecting else "",
        "signals": _separate_part("signals", report, signals_tables, signals_text.signals_prose),
        "deliveries": _separate_part(
            "deliveries", report, deliveries_tables, deliveries_text.deliveries_prose
        ),
        "lookalikes": _separate_part(
            "lookalikes", report, lookalikes_tables, lookalikes_text.lookalikes_prose
        ),
        "buying_groups": _separate_part(
            "buying_groups", report, buying_groups_tables, buying_groups_text.buying_groups_prose
        ),
        "record_tables": _separate_part(
            "record_tables", report, record_tables_tables, record_tables_text.record_tables_prose
        ),
        "legacy": _separate_part("legacy", report, legacy_tables, legacy_text.legacy_prose),
        "steady": _separate_part("steady", report, steady_tables, steady_text.steady_prose),
    }
    rest = page
    for name, mark in SEPARATE.items():
        found = mark.search(page)
        made[name] = made[name] or (found[0].strip() if found else "")
        rest = mark.sub("\n", rest)
    measured = report.imports or report.serving or not page
    return (
        "\n\n".join(filter(None, (_rest(report, page) if measured else rest.rstrip(), *made.values()))) + "\n"
    )


def _rest(report: Report, page: str) -> str:
    matching = MATCHING.search(page)
    parts = [_introduction(report), matching[0] if matching else _NO_MATCHING]
    by_title = {
        table.title: table for table in tables(msgspec.structs.replace(report, **dict.fromkeys(SEPARATE)))
    }
    if report.imports:
        parts += ["## Import", _IMPORT_TEXT.format(aim=IMPORT_AIM), _markdown(by_title.pop("Import"))]
        if report.imports.postgresql:
            parts += [_POSTGRESQL_TEXT, _markdown(by_title.pop("Import into PostgreSQL"))]
        else:
            parts += ["PostgreSQL was not installed, so nothing was imported into it."]
        parts += [_markdown(by_title.pop("Database"))]
    if report.serving:
        parts += ["## Serving", _serving_text(report, report.serving), _markdown(by_title.pop("Serving"))]
        for title, text in _TEXTS.items():
            parts += [f"### {title}", text, _markdown(by_title.pop(title))]
        parts += ["### Profile", _PROFILE_TEXT if by_title else _NO_PROFILE]
        parts += [part for table in by_title.values() for part in (f"**{table.title}**", _markdown(table))]
    return "\n\n".join(parts)


def _separate_part(
    name: str, report: Report, tables: Callable[[Any], list[Table]], text: Callable[..., str]
) -> str:
    """Return a part with its own date and machine, as it may be of another run; empty if it was not measured."""
    measured = getattr(report, name)
    if measured is None:
        return ""
    parts = [f"<!-- {name} -->"]
    for number, table in enumerate(tables(measured)):
        parts += [f"{'###' if number else '##'} {table.title}"]
        parts += [text(table.title, report, measured, _about(report)), _markdown(table)]
    return "\n\n".join([*parts, f"<!-- /{name} -->"])


def _prospecting(report: Report, measured: ProspectingReport) -> str:
    """Return the part about prospecting, which has its own date and machine: it may be of another run."""
    parts = ["<!-- prospecting -->", "## Prospecting"]
    for number, table in enumerate(prospecting_tables(measured)):
        if number:
            parts += [f"### {table.title}"]
        parts += [
            prospecting_text.prospecting_prose(table.title, report, measured, _about(report)),
            _markdown(table),
        ]
    return "\n\n".join([*parts, "<!-- /prospecting -->"])


def write(report: Report, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    page = path.read_text("utf-8") if path.exists() else ""
    path.write_text(document(report, page), "utf-8")


def _markdown(table: Table) -> str:
    lines = [table.columns, tuple("---" if place == 0 else "---:" for place in range(len(table.columns)))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (*lines, *table.rows))


def _introduction(report: Report) -> str:
    return _INTRODUCTION.format(
        day=report.day, machine=_about(report), contacts=report.contacts, companies=report.companies
    )


def _about(report: Report) -> str:
    """Describe the machine, and whether other programs used it."""
    machine = "\n".join(f"- {name}: {value}" for name, value in report.machine.items())
    if report.busy > 0.1:
        machine += (
            f"\n- Other programs used {report.busy:.0%} of it just before: figures by the second are too low"
        )
    return machine


def _serving_text(report: Report, serving: ServingReport) -> str:
    pools = "; ".join(f"{title}: {count:,}" for title, count in serving.pools.items())
    return _SERVING_TEXT.format(
        rounds=report.effort.rounds,
        seconds=report.effort.seconds,
        plan=PLAN,
        pools=pools,
        apart=serving.distinct_share,
    )
