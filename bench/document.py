"""`docs/benchmarks.md`: the tables, with what they mean and how to measure again.

What stands between `<!-- matching -->` and `<!-- /matching -->` in that file is not of the bench, and is kept. So is
what stands between the marks of a part that this run did not measure: one of `APART`, or everything else.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bench import deliveries_text, nodes_text, prospecting_text, signals_text, steady_text
from bench.deliveries_report import deliveries_tables
from bench.nodes_report import nodes_tables
from bench.prospecting_report import ProspectingReport, prospecting_tables
from bench.report import IMPORT_AIM, Report, tables
from bench.serving import ServingReport
from bench.signals_report import signals_tables
from bench.steady_report import steady_tables
from bench.tables import Table
from bench.workspace import PLAN

MATCHING = re.compile(r"<!-- matching -->.*<!-- /matching -->", re.DOTALL)
_NO_MATCHING = "<!-- matching -->\n<!-- /matching -->"
APART = {
    name: re.compile(rf"\n*<!-- {name} -->.*<!-- /{name} -->\n*", re.DOTALL)
    for name in ("nodes", "prospecting", "signals", "deliveries", "steady")
}
"""Parts with a date and a machine of their own."""

_INTRODUCTION = """# Benchmarks

Written by `make bench`, which measures all of this again on any Linux machine with two cores, 16 GB of memory and some
50 GB of free disk, within two hours, most of which load five million contacts into all engines
(`.venv/bin/python -m bench --help` shows smaller and partial runs). Last run: {day}, with {contacts:,} generated
contacts at {companies:,} companies.

{machine}

Records and requests by the second depend on what else the machine does; processor time does so much less. Matching
quality is measured apart, on labelled look-ups from real data."""

_IMPORT_TEXT = """Through the real command, from JSON Lines on disk to the committed database, its start included. Aim:
{aim:,} contacts a second on two cores. The second import of the same file changes nothing. Processor time is that of
all its processes; peak memory is what they had for themselves at one moment, and then together with the pages of the
database file that they had mapped, which the system takes back when it needs them."""

_POSTGRESQL_TEXT = """The same files by the same commands into a PostgreSQL server on the same two cores, set up as for
real work: every commit reaches the disk. What is certainly new goes by COPY. The server's processor time comes on top
of the command's."""

_SERVING_TEXT = """The real server runs on one core, the load client on another: 8 connections, on each of them one
request after the other. The bare handler is an ordinary handler of the same framework on the same HTTP server, which
decodes the request into the service's own types, encodes the same answers byte for byte, and does nothing else. Both
run in turn, {rounds} rounds of {seconds:g} s each; medians count, and ratios are taken within rounds. *Ratio* is
requests a second in parts of the bare handler's; *ratio of it* is the bare handler's processor time by request in
parts of the service's.

Searches ask for a quarter of their items each by id, e-mail, LinkedIn URL, and name with company; 5 % of the items
are of nobody. Requests come from pools made before ({pools}), and samples of the answers are checked in every round.
The account is on the packaged plan `{plan}`, which has no limit by the second, so no plan was changed for the bench.
Of the sampled people {apart:.1%} are found by name and company; the others have namesakes there, and are not asked
for."""

_TEXTS = {
    "Authentication, limits and headers": """An endpoint of the real server that takes the same body and does nothing,
behind the gate and without it: what they differ by is the gate. Aim: less than the bare handler.""",
    "Event loop or worker thread": """The same calls with their service function on the event loop, or handed to a
worker thread, which costs two switches and contends for the interpreter, but keeps the loop free while SQLite waits
for the disk or for its writer.""",
}

_PROFILE_TEXT = """Samples of the server under each mix, its service functions on the event loop (py-spy). A sample
counts for the Python function that ran or that had called into C, so the time of msgspec, SQLite and the cipher stands
with their callers. The shares divide the processor time by request."""

_NO_PROFILE = "No profile was taken: this system does not allow one process to sample another."


def document(report: Report, held: str) -> str:
    """The page, with the parts of the held one that this run did not measure."""
    made = {
        "nodes": _apart("nodes", report, nodes_tables, nodes_text.of),
        "prospecting": _prospecting(report, report.prospecting) if report.prospecting else "",
        "signals": _apart("signals", report, signals_tables, signals_text.of),
        "deliveries": _apart("deliveries", report, deliveries_tables, deliveries_text.of),
        "steady": _apart("steady", report, steady_tables, steady_text.of),
    }
    rest = held
    for name, mark in APART.items():
        found = mark.search(held)
        made[name] = made[name] or (found[0].strip() if found else "")
        rest = mark.sub("\n", rest)
    measured = report.imports or report.serving or not held
    return (
        "\n\n".join(filter(None, (_rest(report, held) if measured else rest.rstrip(), *made.values()))) + "\n"
    )


def _rest(report: Report, held: str) -> str:
    kept = MATCHING.search(held)
    parts = [_introduction(report), kept[0] if kept else _NO_MATCHING]
    shown = {table.title: table for table in tables(msgspec.structs.replace(report, **dict.fromkeys(APART)))}
    if report.imports:
        parts += ["## Import", _IMPORT_TEXT.format(aim=IMPORT_AIM), _markdown(shown.pop("Import"))]
        if report.imports.postgresql:
            parts += [_POSTGRESQL_TEXT, _markdown(shown.pop("Import into PostgreSQL"))]
        else:
            parts += ["PostgreSQL was not installed, so nothing was imported into it."]
        parts += [_markdown(shown.pop("Database"))]
    if report.serving:
        parts += ["## Serving", _serving_text(report, report.serving), _markdown(shown.pop("Serving"))]
        for title, text in _TEXTS.items():
            parts += [f"### {title}", text, _markdown(shown.pop(title))]
        parts += ["### Where the time goes", _PROFILE_TEXT if shown else _NO_PROFILE]
        parts += [part for table in shown.values() for part in (f"**{table.title}**", _markdown(table))]
    return "\n\n".join(parts)


def _apart(name: str, report: Report, tables: Callable[[Any], list[Table]], text: Callable[..., str]) -> str:
    """A part that has its own date and machine, as it may be of another run; empty where it was not measured."""
    measured = getattr(report, name)
    if measured is None:
        return ""
    parts = [f"<!-- {name} -->"]
    for number, table in enumerate(tables(measured)):
        parts += [f"{'###' if number else '##'} {table.title}"]
        parts += [text(table.title, report, measured, _about(report)), _markdown(table)]
    return "\n\n".join([*parts, f"<!-- /{name} -->"])


def _prospecting(report: Report, measured: ProspectingReport) -> str:
    """The part about prospecting, which has its own date and machine: it may be of another run."""
    parts = ["<!-- prospecting -->", "## Prospecting"]
    for number, table in enumerate(prospecting_tables(measured)):
        if number:
            parts += [f"### {table.title}"]
        parts += [prospecting_text.of(table.title, report, measured, _about(report)), _markdown(table)]
    return "\n\n".join([*parts, "<!-- /prospecting -->"])


def write(report: Report, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    held = path.read_text("utf-8") if path.exists() else ""
    path.write_text(document(report, held), "utf-8")


def _markdown(table: Table) -> str:
    lines = [table.columns, tuple("---" if place == 0 else "---:" for place in range(len(table.columns)))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (*lines, *table.rows))


def _introduction(report: Report) -> str:
    return _INTRODUCTION.format(
        day=report.day, machine=_about(report), contacts=report.contacts, companies=report.companies
    )


def _about(report: Report) -> str:
    """The machine, and whether it was left alone."""
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
        apart=serving.told_apart,
    )
