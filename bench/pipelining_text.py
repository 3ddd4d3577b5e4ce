"""Texts around the tables of clients that do not wait for answers."""

from bench.pipelining_report import BODIES_AIM, RATIO_AIM, PipeliningReport
from bench.report import Report

_ATTACK = """Last run: {day}, on SQLite.

{machine}

One process sends requests without a key over some connections: each waits for its answer before it sends the next,
or all send as fast as the server takes them. Eight other callers search for a contact at the same time, over
connections of their own. The server runs on one core, all clients on another, {seconds:g} s after a second of
warm-up, {rounds} rounds; medians count, and ratios are taken within rounds. Each figure has a server of its own.
Aim: p99 at most {ratio:g} times that of the same callers where as many connections wait, and memory back within a
minute. Memory is that of the server at its peak, above that before; it counts as back within 32 MiB of that.
{before}"""

_BEFORE = """*Before* is the state of 2026-11-27: every answer let the server read on, and it copied all that it had
read for each answer. A p99 of {seconds:,.0f} ms says that no other caller had an answer in that time."""

_HALF_SENT = """{bodies:,} connections with the key of one account send the header of a search and then half of a
body of {body_bytes:,} bytes, as far as the server takes it, and others ask for `/health`. Aim: at most {aim} MiB.
The memory of connections and requests is included, and after their end what the allocator of the system keeps for
later."""


def pipelining_prose(title: str, report: Report, measured: PipeliningReport, machine: str) -> str:
    if title == "Half-sent bodies":
        return _HALF_SENT.format(bodies=measured.bodies, body_bytes=measured.body_bytes, aim=BODIES_AIM >> 20)
    names = {one.name for one in measured.rounds}
    before = _BEFORE.format(seconds=measured.seconds * 1_000) if "before" in names else ""
    return _ATTACK.format(
        day=report.day,
        machine=machine,
        seconds=measured.seconds,
        rounds=len(measured.rounds) // len(names),
        ratio=RATIO_AIM,
        before=before,
    ).rstrip()
