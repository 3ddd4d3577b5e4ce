"""Measures how well two listings of companies meet when one of them gives no web sites.

See docs/reference/records.md#identity-keys.

    python -m evaluation.listings FOLDER

The folder holds open listings of the same companies, each in its own spelling. One of them
is imported as it is, with names, countries and web sites. The others follow as another source without their web sites,
which stay behind as the truth: a row belongs to the company whose site has the same registrable domain. Recall = rows
that came to that company / rows whose company is held; wrong = rows that came to another one.
"""

import argparse
import csv
import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from firmograph.database import schema
from firmograph.database.connection import Database
from firmograph.directory.normalise.domains import host_of, registrable
from firmograph.ingest.preparation_process import Job
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SystemClock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity

_KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})


class Listed(NamedTuple):
    name: str
    domain: str
    country: str | None = None


class Figures(NamedTuple):
    rows: int
    held: int
    """Rows whose company the first listing has."""
    right: int
    wrong: int

    @property
    def recall(self) -> float:
        return self.right / self.held


def _table(path: Path, name: str, site: str, country: str = "") -> Iterator[Listed]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file) if ".csv" in path.name else map(json.loads, file)
        for row in rows:
            host = host_of(row[site] or "")
            if row[name] and host:
                yield Listed(row[name], registrable(host), row[country] or None if country else None)


def _first(data: Path) -> list[Listed]:
    """The listing with web sites, each site once."""
    listed = [
        *_table(data / "yc_companies_2024-05-11.csv.gz", "company_name", "website", "country"),
        *_table(data / "financedatabase_companies.csv.gz", "name", "website", "country"),
    ]
    return list({one.domain: one for one in reversed(listed)}.values())


def _second(data: Path) -> list[Listed]:
    """The listings without web sites; a site that several names have tells nothing and is left out."""
    listed = {
        *_table(data / "remote_friendly_companies.jsonl.gz", "title", "website"),
        *_table(data / "hiring_without_whiteboards.csv.gz", "name", "domain"),
        *_table(data / "technology_adopters.csv.gz", "company", "domain"),
        *_table(data / "brands_social_links.csv.gz", "name", "website"),
    }
    return sorted(listed)


def _imported(first: list[Listed], second: list[Listed]) -> Iterator[tuple[int, str, int]]:
    """Import both listings; source, source id and record of every row."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/listings.db")
        schema.prepare(database)
        for source, listed in (("a", first), ("b", second)):
            path = Path(folder) / f"{source}.jsonl"
            with path.open("w") as file:
                for number, one in enumerate(listed):
                    row = {"sourceId": f"{source}{number}", "name": one.name, "location": one.country}
                    file.write(json.dumps(row | ({"domain": one.domain} if source == "a" else {})) + "\n")
            job = Job(entity=Entity.COMPANY, paths=[str(path)], source=source, keyring=_KEYRING)
            import_files(database, job, SystemClock(), lambda *_: None, lambda _: None)
        select = "SELECT source, source_id, company_id FROM company_rows"
        yield from database.session().raw.execute(select).fetchall()
        database.close()


def measure(data: Path, *, countries: bool) -> Figures:
    """Import the listings; with `countries` the rows of the second have that of their company, as many listings do."""
    first, second = _first(data), _second(data)
    of_domain = {one.domain: f"a{number}" for number, one in enumerate(first)}
    where = {one.domain: one.country for one in first}
    if countries:
        second = [one._replace(country=where.get(one.domain)) for one in second]
    record = {source_id: number for _, source_id, number in _imported(first, second)}
    firsts = {number for source_id, number in record.items() if source_id.startswith("a")}
    right = wrong = held = 0
    for number, one in enumerate(second):
        own = of_domain.get(one.domain)
        met = record[f"b{number}"]
        held += own is not None
        if met in firsts:
            is_right = own is not None and met == record[own]
            right, wrong = right + is_right, wrong + (not is_right)
    return Figures(len(second), held, right, wrong)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, metavar="FOLDER", help="where the listings are")
    data = parser.parse_args().data
    for countries in (False, True):
        figures = measure(data, countries=countries)
        print(
            f"{'names and countries' if countries else 'names alone':<20} rows {figures.rows:,}"
            f" held {figures.held:,} right {figures.right:,} wrong {figures.wrong:,} recall {figures.recall:.4f}"
        )


if __name__ == "__main__":
    main()
