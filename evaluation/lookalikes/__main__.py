"""Measurement of lookalikes on lists in open data, which is not in this repository.

    python -m evaluation.lookalikes DATA [--half tune|test]

DATA is the folder of the open data. A list's half is set by its name; weights were changed for the tune half alone.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from evaluation.lookalikes import report
from evaluation.lookalikes.contacts import people
from evaluation.lookalikes.worlds import industries, tags

_REPEATS = 4
_MIXED = 200
_CONTACT_TRIALS = 200


def sections(data: Path, *, tuned: bool) -> Iterator[str]:
    measured = [report.Measured(world) for world in (tags(data), industries(data))]
    yield f"## Lookalikes, {'tune' if tuned else 'test'} half\n"
    yield "### Companies of a list, found from 10 others\n"
    yield from report.companies_table(measured, tuned=tuned, repeats=_REPEATS)
    yield "### Several seeds\n"
    for one in measured:
        yield from report.seeds_table(one, tuned=tuned, repeats=_REPEATS, mixed=_MIXED)
    yield "### Contacts\n"
    known = people(data / "reference" / "onet_alternate_titles.tsv.gz")
    yield from report.contacts_table(known, tuned=tuned, limit=_CONTACT_TRIALS)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure lookalikes.")
    parser.add_argument("data", type=Path, help="the folder of the open data")
    parser.add_argument("--half", choices=("tune", "test"), default="test")
    options = parser.parse_args()
    for part in sections(options.data, tuned=options.half == "tune"):
        print(part, flush=True)


if __name__ == "__main__":
    main()
