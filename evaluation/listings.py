"""Measurement of matches between two listings of companies if one of them has no web sites.

See docs/reference/records.md#identity-keys.

    python -m evaluation.listings FOLDER

The folder contains open listings of the same companies, each in its own spelling. Two of them are imported unchanged,
with names, countries and web sites. The others follow as another source without their web sites, which are kept as
the truth: a row belongs to the company whose site has the same registrable domain. Registrants of the SEC, a listing
without web sites, belong to the company of their stock symbol. Recall = rows joined to that company / rows whose
company is stored; wrong = rows joined to another one, among them rows whose own company is stored.
"""

import argparse
import csv
import gzip
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from firmograph.database import schema
from firmograph.database.connection import Database
from firmograph.directory.normalise.domains import host_of, registrable_domain
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SystemClock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity

_KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})


class Listed(NamedTuple):
    name: str
    domain: str
    country: str | None = None
    symbols: tuple[str, ...] = ()


class Figures(NamedTuple):
    rows: int
    stored: int
    """Rows whose company the first listing has."""
    right: int
    wrong: int
    wrong_of_stored: int
    """Wrong ones whose own company the first listing has."""

    @property
    def recall(self) -> float:
        return self.right / self.stored


def _table(path: Path, name: str, site: str, country: str = "") -> Iterator[Listed]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file) if ".csv" in path.name else map(json.loads, file)
        for row in rows:
            host = host_of(row[site] or "")
            if row[name] and host:
                symbols = tuple(re.split(r"[;,| ]+", row.get("symbols") or ""))
                yield Listed(
                    row[name], registrable_domain(host), row[country] or None if country else None, symbols
                )


def _first(data: Path) -> list[Listed]:
    """Return the listing with web sites, each site once."""
    listed = [
        *_table(data / "yc_companies_2024-05-11.csv.gz", "company_name", "website", "country"),
        *_table(data / "financedatabase_companies.csv.gz", "name", "website", "country"),
    ]
    return list({one.domain: one for one in reversed(listed)}.values())


def _second(data: Path) -> list[Listed]:
    """Return the listings without web sites; a site with several names is ambiguous and left out."""
    listed = {
        *_table(data / "remote_friendly_companies.jsonl.gz", "title", "website"),
        *_table(data / "hiring_without_whiteboards.csv.gz", "name", "domain"),
        *_table(data / "technology_adopters.csv.gz", "company", "domain"),
        *_table(data / "brands_social_links.csv.gz", "name", "website"),
    }
    return sorted(listed)


def _imported(first: list[Listed], second: list[Listed]) -> Iterator[tuple[int, str, int]]:
    """Import both listings; yield source, source id and record of every row."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/listings.db")
        schema.prepare(database)
        for source, listed in (("a", first), ("b", second)):
            path = Path(folder) / f"{source}.jsonl"
            with path.open("w") as file:
                for number, one in enumerate(listed):
                    row = {"sourceId": f"{source}{number}", "name": one.name, "location": one.country}
                    file.write(json.dumps(row | ({"domain": one.domain} if source == "a" else {})) + "\n")
            job = ImportTask(entity=Entity.COMPANY, paths=[str(path)], source=source, keyring=_KEYRING)
            import_files(database, job, SystemClock(), lambda *_: None, lambda _: None)
        select = "SELECT source, source_id, company_id FROM company_rows"
        yield from database.session().raw.execute(select).fetchall()
        database.close()


def measure(first: list[Listed], second: list[Listed], own: list[int | None]) -> Figures:
    """Import the listings. `own` has for each row of the second the position of its company in the first."""
    record = {source_id: number for _, source_id, number in _imported(first, second)}
    firsts = {number for source_id, number in record.items() if source_id.startswith("a")}
    joined = [record[f"b{number}"] for number in range(len(second))]
    pairs = [
        (at, None if place is None else record[f"a{place}"]) for at, place in zip(joined, own, strict=True)
    ]
    wrong = [right for at, right in pairs if at in firsts and at != right]
    return Figures(
        len(second),
        sum(right is not None for _, right in pairs),
        sum(at == right for at, right in pairs),
        len(wrong),
        sum(right is not None for right in wrong),
    )


def by_site(data: Path, *, countries: bool) -> Figures:
    """Measure listings by web sites; with `countries` the rows of the second have that of their company."""
    first, second = _first(data), _second(data)
    places = {one.domain: place for place, one in enumerate(first)}
    own = [places.get(one.domain) for one in second]
    if countries:
        at = {one.domain: one.country for one in first}
        second = [one._replace(country=at.get(one.domain)) for one in second]
    return measure(first, second, own)


def by_symbol(data: Path) -> Figures:
    """Measure registrants by their stock symbols."""
    first = _first(data)
    places = {symbol: place for place, one in enumerate(first) for symbol in one.symbols if symbol}
    with gzip.open(data / "sec_cik_ticker_exchange.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [(row["Name"], row["Ticker"]) for row in csv.DictReader(file)]
    own = {name: places[symbol] for name, symbol in rows if symbol in places}
    names = sorted({name for name, _ in rows if name})
    return measure(first, [Listed(name, "") for name in names], [own.get(name) for name in names])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, metavar="FOLDER", help="where the listings are")
    data = parser.parse_args().data
    for title, figures in (
        ("names alone", by_site(data, countries=False)),
        ("names and countries", by_site(data, countries=True)),
        ("registrants", by_symbol(data)),
    ):
        print(
            f"{title:<20} rows {figures.rows:,} stored {figures.stored:,} right {figures.right:,}"
            f" wrong {figures.wrong:,} (stored {figures.wrong_of_stored:,}) recall {figures.recall:.4f}"
        )


if __name__ == "__main__":
    main()
