"""Texts around the tables of prospecting in the document."""

from bench.prospecting_report import CAP_AIM, HTTP_AIM, ProspectingReport
from bench.report import Report

_SHAPES = """Last run: {day}, with {contacts:,} generated contacts at {companies:,} companies.

{machine}
- Other engines: {releases}

Seven queries, each answered with the exact total and the first page of 25 ids, in the order of results: completeness,
newest `updateDate`, number. Medians of {repeats} after warm-up, in milliseconds, one query at a time, everything in
memory. All engines have the same rows, read from the same records; the table exists only if all gave the same totals
and pages. *Best other / ours* is how many times as long the fastest of the others takes.

Setup of the others:

- **tantivy**: one segment, documents added in the order of results, a term for each value, results ordered by a fast
  field that holds the order.
- **DuckDB**: both cores; contacts ordered by country and city so that row groups are skipped; technologies and words in
  tables by value, with the other columns of these queries; total and page from one scan.
- **SQLite**: a covering index for each query that ends in the order, so that each combination of values is one range;
  for technologies and words a full-text index of pairs (a word and its country), which is faster than joining ranges.
- **PostgreSQL**: the same ranges, read from the indexes alone; merge joins for technologies and words, which were
  faster than GIN indexes over arrays. It is called over a socket on the same machine.

The indexes of SQLite and PostgreSQL, and DuckDB's order of rows, are made for just these seven queries; with other
filters they would need others. Firmograph and tantivy index each field by itself and answer any combination of filters
in this way. The sizes of the others are those of the columns of these queries alone; Firmograph's checkpoint contains
every filter of both endpoints."""

_TEXTS = {
    "Prospecting": _SHAPES,
    "Variants of the shapes": """With {cap} (aim: {cap_aim:g} ms); over HTTP at a fifth of the contacts, one
request after another, from the first byte sent to the last received, where the answer has 25 previews (aim: at most
{http_aim:g} ms more than the engine's call); and after applied changes without a rebuild. In milliseconds.""",
    "Growth": """The engine alone, medians in milliseconds.""",
    "Memory after a restart": """Resident memory of the process beyond that before the index was loaded, after every
shape ran once: first with the fields of these shapes and the order alone, then with all fields of all filters, which
the generated records fill.""",
    "Restart, rebuild and changes": """A restart reads the checkpoint from a warm file cache and verifies its checksum.
A rebuild reads every record. Changes come from a real import into a copy of the database, and are applied while the
seven queries run in turn in another thread of the same process.""",
}


def prospecting_prose(title: str, report: Report, measured: ProspectingReport, machine: str) -> str:
    return _TEXTS[title].format(
        day=report.day,
        machine=machine,
        contacts=measured.contacts,
        companies=measured.companies,
        repeats=measured.repeats,
        releases=", ".join(f"{name} {release}" for name, release in measured.releases.items()),
        cap=measured.capped.title if measured.capped else "",
        cap_aim=CAP_AIM,
        http_aim=HTTP_AIM,
    )
