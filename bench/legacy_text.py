"""Texts around the table of the older generation; the figures decide about reached aims."""

from bench.legacy_report import LegacyReport
from bench.report import Report

_CALLS = """Last run: {day}, with {contacts:,} generated contacts at {companies:,} companies, on SQLite.

{machine}

Calls of the [older generation](older-generation.md) over HTTP, and the current call for the same people or by the same
filters. Everything was paid before, and nothing is charged while the clock runs. The server runs on one core, the load
client on another: 8 connections with one request after another on each. Both calls are sent in turn, {rounds} rounds of
{seconds:g} s each; medians count, and ratios are taken within rounds. *Ratio* is requests a second in parts of the
current call's; p50 is the wait of a single caller, in rounds of their own. Different requests: {pools}. Samples of the
answers are checked in every round, and before the clock starts the first answers of both have the same content.

{reached}"""


def legacy_prose(title: str, report: Report, measured: LegacyReport, machine: str) -> str:
    missed = [f"{one.title} ({one.ratio:.2f}, not {one.aim:.2f})" for one in measured.calls if one.is_missed]
    return _CALLS.format(
        day=report.day,
        contacts=measured.contacts,
        companies=measured.companies,
        machine=machine,
        rounds=report.effort.rounds,
        seconds=report.effort.seconds,
        pools="; ".join(f"{name}: {count:,}" for name, count in measured.pools.items()),
        reached=f"Missed aims: {'; '.join(missed)}." if missed else "All aims are reached.",
    )
