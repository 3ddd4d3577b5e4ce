"""What stands beside the tables of signals in the document; what was reached is told by the figures."""

from bench.report import Report
from bench.serving import QUICK
from bench.signals_report import SHARE_AIM, SignalsReport

_CALLS = """Last run: {day}.

{machine}

All signals of so many of {companies:,} companies in one call, paid before; a company has {events:.1f} events on
average, and the answer for a hundred companies is {bytes:,} bytes. Beside it the bare handler, as above: it decodes
the request and encodes the same answer. {rounds} rounds of {seconds:g} s each, in turn; medians count. The wait is that
of a single caller."""

_DETECTION = """A second import of the same contacts, a tenth of which have changed. Processor time is taken inside the
writer; the pass over the file that finds versions out of order is timed apart. Aim: under {aim:.0%}. {reached}"""


def of(title: str, report: Report, measured: SignalsReport, machine: str) -> str:
    if title == "Signals":
        return _CALLS.format(
            day=report.day,
            machine=machine,
            companies=measured.companies,
            events=measured.events,
            bytes=measured.bytes,
            rounds=report.effort.rounds,
            seconds=report.effort.seconds,
        )
    missed = [what for what, one in measured.detection if one.share >= SHARE_AIM]
    reached = f"Missed where a tenth has {', '.join(missed)}." if missed else "Reached."
    quick = " With so few rows the shares are rough." if report.effort == QUICK else ""
    return _DETECTION.format(aim=SHARE_AIM, reached=reached + quick)
