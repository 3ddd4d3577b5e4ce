"""Texts of the document about a steady load."""

from bench.report import Report
from bench.steady_episodes import SILENT_SECONDS
from bench.steady_load import CONNECTIONS
from bench.steady_report import LISTED, SteadyReport
from bench.steady_watch import LATE_SECONDS

_WAITS = """Last run: {day} at {begun} UTC, with {contacts:,} generated contacts.

{machine}

{minutes:g} minutes at {share:.0%} of the peak of {peak:,.0f} calls a second, that is {per_second:,.0f} a second over
{connections} connections, on SQLite: searches of one, charged search-and-enrich of one, paid enrich of one, pages of
prospecting (the seven shapes below) and signals of a company. Calls are due at fixed times, whether earlier ones were
answered or not, and waits count from these times. The server has one core, the load client the other, and every
{every} s an import of changed contacts runs there as well, at low priority."""

_STALLS = """Times without any answer for {silent:g} s; and where others were answered, but calls waited for
{late:g} s or longer, the slowest of these. The longest {shown} of {count:,}. *After* is minutes and seconds from the
start; *until over* includes the time of catching up. The cause is the first explanation that accounts for half of
that time. A separate process samples 50 times a second the processor time of the server, the time in which its main
thread had no core, the log of SQLite and the disk, and while a call is late also the stacks of the server's threads
(all data is in `{folder}`)."""

_MACHINE = """Figures of the whole run."""


def steady_prose(title: str, report: Report, measured: SteadyReport, machine: str) -> str:
    text = {"Steady load": _WAITS, "Stalls": _STALLS}.get(title, _MACHINE)
    return text.format(
        day=report.day,
        begun=measured.begun,
        machine=machine,
        contacts=measured.contacts,
        minutes=round(measured.seconds / 60, 2),
        share=measured.share,
        peak=measured.peak,
        per_second=measured.per_second,
        connections=CONNECTIONS,
        every=measured.every,
        late=LATE_SECONDS,
        silent=SILENT_SECONDS,
        shown=min(LISTED, len(measured.episodes)),
        count=len(measured.episodes),
        folder=f".bench/{measured.contacts}/steady/",
    )
