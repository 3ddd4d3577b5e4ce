"""Texts around the tables of signals; the figures decide about reached aims."""

from bench.report import Report
from bench.serving import QUICK
from bench.signals_report import SHARE_AIM, SignalsReport

_CALLS = """Last run: {day}.

{machine}

All signals of some of {companies:,} companies in one call, paid before; a company has {events:.1f} events on
average, and the answer for a hundred companies is {bytes:,} bytes. The bare handler, as above, decodes the request and
encodes the same answer. {rounds} rounds of {seconds:g} s each, in turn; medians count. The wait is that
of a single caller."""

_DETECTION = """A second import of the same contacts, a tenth of which have changed. Processor time is measured inside
the writer; the pass the file that finds versions out of order is timed separately. Aim: under {aim:.0%}. {reached}"""


def signals_prose(title: str, report: Report, measured: SignalsReport, machine: str) -> str:
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
    missed_for = [what for what, one in measured.detection if one.share >= SHARE_AIM]
    reached = f"Missed where a tenth has {', '.join(missed_for)}." if missed_for else "Reached."
    quick = " With so few rows the shares are rough." if report.effort == QUICK else ""
    return _DETECTION.format(aim=SHARE_AIM, reached=reached + quick)
