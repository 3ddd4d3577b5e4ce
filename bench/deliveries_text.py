"""Texts around the tables of deliveries; the figures decide about reached aims."""

from bench.bare_sender import IN_FLIGHT
from bench.deliveries_report import P99_AIM, RATE_AIM, SILENT_AIM, DeliveriesReport
from bench.report import Report

_SUSTAINED = """Last run: {day}.

{machine}

One `firmograph worker`, {subscriptions:,} subscriptions of {accounts} accounts, {origins} receivers on the loopback
interface, each a separate origin, all on the same cores without cores of their own. A round is a backlog of {backlog:,}
deliveries: it includes fan-out, holds, signing, sending, recording and charging, from the first received delivery to
the last. The bare client is aiohttp alone, posting the same bodies to the same receivers from {in_flight} tasks,
without a database, a signature or an order. Medians of the rounds; memory is the worker's private memory at its peak.
Aim: {aim:,} a second. {reached}"""

_PACED = """Signals arrive at half the sustained rate for {seconds:g} s, in groups as from imports; the delay counts
from the time in the signal's row to its arrival. Aim: p99 under {p99:g} ms. {reached} Then the same with a tenth of the
receivers accepting and never answering: the first of their deliveries time out after 10 s and are retried, while the
others are counted. Aim: at most {parts:g} times the p99 of the run before. {undisturbed}"""

_FAN_OUT = """The step from signals to deliveries by itself: at most a thousand signals in a transaction."""


def deliveries_prose(title: str, report: Report, measured: DeliveriesReport, machine: str) -> str:
    sites = measured.sites
    if title == "Deliveries":
        low = [site.name for site in sites if min(one.per_second for one in site.sustained) < RATE_AIM]
        return _SUSTAINED.format(
            day=report.day,
            machine=machine,
            subscriptions=measured.subscriptions,
            accounts=measured.accounts,
            origins=measured.origins,
            backlog=measured.backlog,
            in_flight=IN_FLIGHT,
            aim=RATE_AIM,
            reached=_reached(low),
        )
    if title == "From detected to received":
        return _PACED.format(
            seconds=measured.seconds,
            p99=P99_AIM,
            reached=_reached([site.name for site in sites if site.paced[0].p99 >= P99_AIM]),
            parts=SILENT_AIM,
            undisturbed=_reached([site.name for site in sites if site.disturbed > SILENT_AIM]),
        )
    return _FAN_OUT


def _reached(missed_on: list[str]) -> str:
    return f"Missed on {' and '.join(missed_on)}." if missed_on else "Reached."
