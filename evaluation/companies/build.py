"""The builder of the labelled names of companies in this folder from a folder of open data.

    python -m evaluation.companies.build DATA_DIR

Names of one company come from registers that share its id: CIK (SEC registrants), ROR and Wikidata id (research
organisations and brands) and LEI (GLEIF). One name is held; the others, if they read differently, are looked up. A
company belongs to the tuning or the test half, and to the sixth that nobody holds, by hashes of its id
(`evaluation/build_gold.py`). Sources and licences: `README.md`.
"""

import csv
import gzip
import io
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from evaluation.build_gold import half, left_out, read_table
from firmograph.directory.company_names import company_key, company_words
from firmograph.directory.names import fold

HERE = Path(__file__).parent
HELD = ("register", "id", "name", "country")
QUERIES = ("split", "class", "register", "name", "expected")


class Known(NamedTuple):
    """A company with its names in the registers; the first is the one that is held."""

    register: str
    identity: str
    country: str
    names: tuple[str, ...]
    is_asked: bool = True


def kind_of_variant(held: str, other: str) -> str:
    """Return the class of another name: `spelling`, `acronym` or `another name`.

    A spelling has at least half of the letters of the shorter name in words that begin alike in the other.
    """
    pair = sorted(
        ([word for word in company_words(name) if len(word) > 1] for name in (held, other)),
        key=lambda words: sum(map(len, words)),
    )
    shorter, longer = pair
    alike = sum(
        len(word) for word in shorter if any(len(word[:3]) == 3 and word[:3] == one[:3] for one in longer)
    )
    letters = sum(map(len, shorter))
    if letters and (alike >= letters / 2 or company_key(held) == company_key(other)):
        return "spelling"
    return "acronym" if " " not in other and len(other) <= 6 and other.isupper() else "another name"


def registrants(data: Path) -> Iterator[Known]:
    """Yield registrants of the SEC by CIK, as the SEC, two exchanges' lists and annual reports write them."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    cik_of: dict[str, str] = {}
    for row in read_table(data / "companies/sec_cik_ticker_exchange.csv.gz"):
        cik = row["CIK"].lstrip("0")
        names[cik][row["Name"]] = None
        cik_of[row["Ticker"].upper()] = cik
    for row in pq.read_table(data / "companies/sec_company_tickers.parquet").to_pylist():
        cik = row["cik"].lstrip("0")
        names[cik][row["name"]] = None
        cik_of.setdefault(row["ticker"].upper(), cik)
    for row in read_table(data / "companies/sp500_constituents.csv.gz"):
        names[row["CIK"].lstrip("0")][row["Security"]] = None
    for row in read_table(data / "companies/nasdaq_listed.csv.gz"):
        if row["ETF"] == "N" and row["Test Issue"] == "N" and row["Symbol"] in cik_of:
            names[cik_of[row["Symbol"]]][row["Company Name"]] = None
    for row in read_table(data / "companies/sec_exhibit21_parents.csv.gz"):
        names[row["cik"].lstrip("0")][row["company_name"]] = None
    for cik, given in names.items():
        if written := tuple(name for name in given if name and name.strip()):
            yield Known("registrants", f"cik:{cik}", "US", written)


def organisations(data: Path) -> Iterator[Known]:
    """Yield the organisations of ROR, with the brands of their Wikidata ids; of these only companies are asked for."""
    brands = {
        row["wikidata"]: row["name"] for row in read_table(data / "companies/brands_social_links.csv.gz")
    }
    for row in read_table(data / "companies/ror_organizations.csv.gz"):
        others = [alias for alias in row["aliases"].split("|") if alias]
        brand = brands.pop(row["wikidata"], "") if row["wikidata"] else ""
        is_company = "company" in row["types"].split("|") or bool(brand)
        names = (row["name"], *others, *([brand] if brand else []))
        yield Known("organisations", row["ror"], row["country"], names, is_company)
    for wikidata, name in brands.items():
        if name:
            yield Known("organisations", wikidata, "", (name,), is_asked=False)


def entities(data: Path) -> Iterator[Known]:
    """Yield legal entities by LEI with their other and transliterated names."""
    with gzip.open(data / "companies/gleif_lei2_sample.json.gz", "rt", encoding="utf-8") as file:
        records = json.load(file)["records"]
    for record in records:
        entity = record["Entity"]
        others = [
            one["$"]
            for group, member in (
                ("OtherEntityNames", "OtherEntityName"),
                ("TransliteratedOtherEntityNames", "TransliteratedOtherEntityName"),
            )
            for one in _listed(entity.get(group, {}).get(member, []))
        ]
        country = entity["LegalAddress"]["Country"]["$"]
        yield Known("entities", record["LEI"]["$"], country, (entity["LegalName"]["$"], *others))


def _listed(value: object) -> list[dict[str, str]]:
    return value if isinstance(value, list) else [value]  # type: ignore[list-item]


def tables(known: Iterable[Known]) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return the rows of held companies and of look-ups."""
    companies = list(known)
    held: list[tuple[object, ...]] = []
    numbers: dict[tuple[str, str], int] = {}
    for one in companies:
        if not left_out(one.identity):
            numbers[one.register, one.identity] = len(held) + 1
            held.append((one.register, len(held) + 1, one.names[0], one.country))
    held_keys = {(register, company_key(str(name))) for register, _, name, _ in held}
    queries: list[tuple[object, ...]] = []
    for one in companies:
        if not one.is_asked:
            continue
        number = numbers.get((one.register, one.identity), "")
        first = fold(one.names[0])
        others = {fold(name): name for name in reversed(one.names[1:]) if fold(name) not in ("", first)}
        for name in reversed(others.values()):
            if number:
                kind = kind_of_variant(one.names[0], name)
            else:
                taken = (one.register, company_key(name)) in held_keys
                kind = (
                    "not held, key of another"
                    if taken
                    else f"not held: {kind_of_variant(one.names[0], name)}"
                )
            queries.append((half(one.identity), kind, one.register, name, number))
        if not number and (one.register, company_key(one.names[0])) not in held_keys:
            queries.append((half(one.identity), "not held: own name", one.register, one.names[0], ""))
    return held, queries


def write_table(name: str, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    (HERE / name).write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    held_rows, query_rows = tables([*registrants(folder), *organisations(folder), *entities(folder)])
    write_table("held.csv.gz", HELD, held_rows)
    write_table("queries.csv.gz", QUERIES, query_rows)
