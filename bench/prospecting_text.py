"""What stands beside the tables of prospecting in the document."""

from bench.prospecting_report import CAP_AIM, HTTP_AIM, ProspectingReport
from bench.report import Report

_SHAPES = """Last run: {day}, with {contacts:,} generated contacts at {companies:,} companies.

{machine}
- Other engines: {releases}

Seven queries, each answered as the exact total and the first page of 25 ids, in the order of results: completeness,
newest `updateDate`, number. Medians of {repeats} after warm-up, in milliseconds, one query at a time, everything in
memory. All engines hold the same rows, read from the same records, and gave the same totals and the same pages, else
there would be no table. *Best other / ours* is how many times as long the fastest of the others takes.

What each of the others was given:

- **tantivy**: one segment, documents added in the order of results, a term a value, results ordered by a fast field
  that holds the order.
- **DuckDB**: both cores; contacts lie by country and city so that row groups are skipped; technologies and words in
  tables by value, with what these queries ask beside it; total and page from one scan.
- **SQLite**: a covering index for each query that ends in the order, so that each combination of values is one range;
  for technologies and words a full-text index of pairs (a word and its country), which is faster than joining ranges.
- **PostgreSQL**: the same ranges, read from the indexes alone; merge joins for technologies and words, which were
  faster than GIN indexes over arrays. It is asked over a socket on the same machine.

The indexes of SQLite and PostgreSQL, and DuckDB's order of rows, are made for just these seven queries; with other
filters they would need others. Firmograph and tantivy hold each field by itself and answer any combination of filters
in this way. The Parquet, index or database files are what the others keep of the columns of these queries alone;
Firmograph's checkpoint holds every filter of both endpoints."""

_TEXTS = {
    "Prospecting": _SHAPES,
    "The shapes in other ways": """With {cap} (aim: {cap_aim:g} ms); over HTTP at a fifth of the contacts, one
request after the other, from the first byte sent to the last received, where the answer has 25 previews (aim: at most
{http_aim:g} ms more than the engine's call); and after changes were followed without a rebuild. In milliseconds.""",
    "Growth": """The engine alone, medians in milliseconds.""",
    "Memory after a restart": """What the process has resident more than before the index was loaded, once every shape
was asked: first with the fields of these shapes and the order alone, then with all fields of all filters, which the
generated records fill.""",
    "Restart, rebuild and changes": """A restart reads the checkpoint from a warm file cache and checks its sum. A
rebuild reads every record. Changes come through the real import into a copy of the database, and are applied while the
seven queries are asked in turn in another thread of the same process.""",
}


def of(title: str, report: Report, measured: ProspectingReport, machine: str) -> str:
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
