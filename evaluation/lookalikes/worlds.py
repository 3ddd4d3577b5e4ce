"""Companies of an open file as records of an installation, and the lists that are hidden from the records."""

import ast
import csv
import gzip
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from firmograph.directory.records import Company
from firmograph.ingest.reading.inputs import CompanyInput, LocationInput
from firmograph.ingest.records.company import normalise_company

MEMBERS = 30
"""Members of a list at least: 10 seeds, and 20 to be found."""
_FIELD_LIMIT = 1 << 24


class World(NamedTuple):
    """Records, and what is known about them outside of the records."""

    name: str
    records: Sequence[Company]
    lists: Mapping[str, frozenset[int]]
    """Members of each list, as positions of records."""
    industries: Callable[[int, str], str | None]
    """Industry of a record for the comparison by industry, without the help of one list."""
    popularity: Sequence[float]


def tags(data: Path) -> World:
    """Return the companies of `yc_companies` and the lists by their tags.

    A record has name, description, place, size and year, but no tag. For the comparison by industry the first other
    tag of a company counts as its industry: of several ways to give it one, this found most.
    """
    rows = list(_table(data / "companies" / "yc_companies_2024-05-11.csv.gz"))
    known = [list(dict.fromkeys(ast.literal_eval(row["tags"] or "[]"))) for row in rows]

    def industry(position: int, without: str) -> str | None:
        return next((tag for tag in known[position] if tag != without), None)

    return World(
        "tags",
        [normalise_company(_tagged(row)) for row in rows],
        _lists(known),
        industry,
        [_number(row["team_size"]) for row in rows],
    )


def industries(data: Path) -> World:
    """Return the companies of FinanceDatabase and the lists by their industries.

    A record has name, place and as its industry the sector, of which there are eleven. Neither the industry nor its
    group is in the record, as several of the 24 groups hold one industry almost alone.
    """
    rows = list(_table(data / "companies" / "financedatabase_companies.csv.gz"))
    sectors = [row["sector"] or None for row in rows]
    sizes = ("Nano Cap", "Micro Cap", "Small Cap", "Mid Cap", "Large Cap", "Mega Cap")
    return World(
        "industries",
        [normalise_company(_listed(row)) for row in rows],
        _lists([[row["industry"]] if row["industry"] else [] for row in rows]),
        lambda position, _: sectors[position],
        [
            sizes.index(row["market_cap"]) + 0.01 * row["symbols"].count(";") if row["market_cap"] else -1
            for row in rows
        ],
    )


def _tagged(row: Mapping[str, str]) -> CompanyInput:
    return CompanyInput(
        name=row["company_name"],
        homepage_url=row["website"],
        linkedin_url=row["linkedin_url"],
        description=f"{row['short_description']}\n{row['long_description']}",
        year_founded=row["year_founded"],
        employee_count=_number(row["team_size"]) or None,
        location=LocationInput(city=row["location"] or None, country_iso2=row["country"] or None),
    )


def _listed(row: Mapping[str, str]) -> CompanyInput:
    return CompanyInput(
        name=row["name"],
        domain=row["domain"],
        industry=row["sector"] or None,
        location=LocationInput(
            country=row["country"] or None,
            state=row["state"] or None,
            city=row["city"] or None,
            zip_code=row["zipcode"] or None,
        ),
        stock_symbols=row["symbols"] or None,
    )


def _lists(labels: Iterable[Sequence[str]]) -> dict[str, frozenset[int]]:
    members: dict[str, set[int]] = defaultdict(set)
    for position, own in enumerate(labels):
        for label in own:
            members[label].add(position)
    return {label: frozenset(found) for label, found in sorted(members.items()) if len(found) >= MEMBERS}


def _number(cell: str) -> float:
    return float(cell) if cell else 0


def _table(path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(_FIELD_LIMIT)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
