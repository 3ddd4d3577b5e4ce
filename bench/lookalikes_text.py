"""Texts around the tables of lookalikes in the document."""

from bench.lookalikes_report import EXCLUDED, FIRST, LIMIT, NEAR, LookalikesReport
from bench.lookalikes_rows import NICHES, OWN
from bench.report import Report

_RECALL = """Last run: {day}, with {companies:,} generated companies.

{machine}

The companies come from the generator of this bench, through the real import. As it draws each trait by itself, no two
would be more alike than by chance; so each sub-industry has {niches} niches, whose companies take {own:.0%} of their
keywords, technologies and specialities from short lists of the niche. What the figures measure is speed and whether the
index finds what is nearest; how useful that is, is measured separately on real data.

Share of the first {first} results that an exact search over the same vectors gives as well, in {lists} lists of seeds:
of one niche, and drawn from all. The session has had the first results of the exact search already; {excluded} more are
excluded, half of them among the next {near:,}."""

_LATENCY = """The index in a process of its own on one core, asked for {limit} results, {calls} calls each; seeds of one
niche, exclusions and session as above."""

_CALLS = """One caller; the server on one core, with both of its indexes, the client on the other. Seeds and exclusions
are by id, domain and LinkedIn page, a third each: 600 look-ups. Every call is charged. Calls during a build: a
model of the next number comes into force, the server builds its index for it in another process, and goes on
answering; server, builder and client share two cores{seconds}."""

_INDEX = """Learning (from a sample) and building run one after the other in processes of their own. Resident memory is
what loading the checkpoint adds to the process, with the model, after searches. The restart reads a warm file. A
changed company is imported by the real command while the server answers; the time is from the commit to the first
answer that shows it, the call itself included."""


def lookalikes_prose(title: str, report: Report, measured: LookalikesReport, machine: str) -> str:
    busy, latency = measured.busy, measured.latency
    return {
        "Speed of lookalikes": _RECALL,
        "Latency of the similarity index": _LATENCY,
        "Lookalike calls over HTTP": _CALLS,
    }.get(title, _INDEX).format(
        day=report.day,
        companies=measured.companies,
        machine=machine,
        niches=NICHES,
        own=OWN,
        first=FIRST,
        excluded=EXCLUDED,
        near=NEAR,
        lists=measured.recall[0].lists,
        limit=LIMIT,
        calls=latency[0].calls,
        seconds=f", and the build took {busy.seconds:,.0f} s" if busy else "",
    )
