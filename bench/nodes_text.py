"""Texts around the tables of databases and servers; the figures decide about reached aims."""

from collections.abc import Iterable

from bench.client import CONNECTIONS
from bench.mixes import MISSES
from bench.nodes_report import (
    CPU_AIM,
    MANY_CORES,
    SINGLE_AIM,
    Aim,
    NodesReport,
    call_aim,
    spread_aims,
    written_aim,
)
from bench.report import Report
from bench.sites import ACCOUNTS

_CALLS = """Last run: {day}, with {contacts:,} generated contacts at {companies:,} companies.

{machine}
{releases}{left_out}
The same calls to `firmograph serve` {where}. {layout} The client has {callers} connections with one request after
another on each; {rounds} rounds of {seconds:g} s each, in turn; medians count, and ratios are taken within rounds.
{misses:.0%} of the people searched for do not exist; a charged call is paid by one of {accounts} accounts in turn, each
time for a person that this account has not paid for. {compared}"""

_BOTH = """on SQLite and on a PostgreSQL on the same machine, which flushes every commit to disk before it answers"""
_COMPARED = """*Ratio* is PostgreSQL's requests a second in parts of SQLite's; aim for one item: at least {single:g}.
{reached}"""

_COSTS = """The waits of the {callers} callers, and the processor time of a request: that of the server's processes,
and separately that of all PostgreSQL processes."""

_WRITTEN = """As above, while `firmograph import` writes changed rows into the same database, one file after another,
each of which changes half of the contacts; server, import, PostgreSQL and load client share all {cores} cores of the
machine. {written_rounds} rounds of {written_seconds:g} s each. *Changes/s* is the speed of the import. Aim: more
requests a second on PostgreSQL than on SQLite. {reached}"""

_SPREAD = """On one PostgreSQL: one server with {callers} callers, one that is not bound to a core, two servers with as
many callers each, two with half of the {callers} each, and one server of two workers (`serve --workers 2`), which
are not bound to a core each. The fewer callers a server has, the more often it waits and is woken for each request; so
two servers that share the callers of one take more time for this reason alone. And the threads of a server on
PostgreSQL take turns with one interpreter: spread over several cores, waking each other costs as much as the work
itself ([a core for each server](operations.md#a-core-for-each-server)). {layout}
Aim: two take at most {cpu:g} times the processor time of one for a request.
{reached}"""

_LIMITS = """The same call ({limited}) to a server that counts rate limits by itself, and to one that counts them in a
Redis on the same machine (`FIRMOGRAPH_REDIS_URL`), in turn. The wait is that of a single caller, the processor time
that of a server kept busy by {callers}. {reached}"""


def nodes_prose(title: str, report: Report, measured: NodesReport, machine: str) -> str:
    texts = {
        "Databases and servers": (_CALLS, _reached(map(call_aim, measured.calls))),
        "Waiting and processor time": (_COSTS, ""),
        "Requests during an import": (_WRITTEN, _reached(map(written_aim, measured.written))),
        "Two servers": (_SPREAD, _reached(spread_aims(measured))),
        "Limits in Redis": (_LIMITS, _added(measured)),
    }
    text, reached = texts[title]
    both = measured.spread != []
    return text.format(
        day=report.day,
        machine=machine,
        releases="- Services: "
        + ", ".join(f"{name} {release}" for name, release in measured.releases.items())
        + "\n",
        left_out="".join(f"- Left out: {line}\n" for line in measured.left_out),
        contacts=measured.contacts,
        companies=measured.companies,
        cores=measured.cores,
        accounts=ACCOUNTS,
        callers=CONNECTIONS,
        misses=MISSES,
        layout=_layout(measured.cores, title),
        where=_BOTH if both else "on SQLite",
        compared=_COMPARED.format(single=SINGLE_AIM, reached=reached) if both else "",
        limited=measured.limits[0].many.title if measured.limits else "",
        cpu=CPU_AIM,
        reached=reached,
        **measured.effort._asdict(),
    ).rstrip()


def _layout(cores: int, title: str) -> str:
    if title == "Two servers":
        others = "have the others" if cores >= MANY_CORES else "use these too"
        return (
            f"The other servers have a core each, the workers two; the load client and PostgreSQL {others}."
        )
    return "The server has a core to itself; everything else has the others."


def _reached(aims: Iterable[Aim | None]) -> str:
    """Name the aims that were met and missed, with the figures."""
    present = [aim for aim in aims if aim]
    parts = []
    for verdict in ("met", "missed"):
        named = [f"{aim.what} ({aim.reached:.2f})" for aim in present if aim.verdict == verdict]
        if named:
            parts.append(f"{verdict.capitalize()}: {'; '.join(named)}.")
    return " ".join(parts)


def _added(measured: NodesReport) -> str:
    """Describe the cost of Redis for a request, by database."""
    parts = [
        f"on {one.database} {one.single.added('p50'):,.0f} µs of waiting (p50) and {one.many.added('cpu'):,.0f} µs"
        " of the server's processor time"
        for one in measured.limits
    ]
    return f"Redis adds {'; '.join(parts)}." if parts else ""
