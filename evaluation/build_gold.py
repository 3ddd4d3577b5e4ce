"""The builder of the labelled look-ups of `evaluation/gold/` from a folder of open data.

    python -m evaluation.build_gold DATA_DIR

Every person and organisation falls into the `tune` or the `test` half by a hash of its id, before any matching
rule was applied to it. A sixth of the officials and of the organisations is left out by another hash: they are
looked up and must not be found. The directory is the rest of both halves, so that a look-up meets all
namesakes. Sources and licences: `evaluation/gold/NOTICE`.
"""

import csv
import gzip
import hashlib
import io
import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evaluation.classes import alias_class, plain

GOLD = Path(__file__).parent / "gold"
SEED = "firmograph-matching-1"
PEOPLE = ("id", "body", "first", "last")
PEOPLE_QUERIES = ("split", "class", "body", "first", "last", "expected")
COMPANIES = ("id", "name", "aliases")
COMPANY_QUERIES = ("split", "class", "name", "expected")
Row = tuple[Any, ...]
SUFFIX = re.compile(r"^(jr|sr|ii|iii|iv|v|md|m\.d|ph\.?d|esq)\.?$", re.IGNORECASE)


def share(purpose: str, identity: str) -> float:
    """Return a number from 0 to 1 that depends on the seed, the purpose and the id only."""
    digest = hashlib.sha256(f"{SEED}\0{purpose}\0{identity}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def half(identity: str) -> str:
    return "tune" if share("half", identity) < 0.5 else "test"


def left_out(identity: str) -> bool:
    return share("held out", identity) < 1 / 6


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def read_table(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def write_table(name: str, header: tuple[str, ...], rows: Iterable[Row]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    # no name and no time inside, so that the same data gives the same bytes
    (GOLD / name).write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def as_typed(alias: str, last_name: str) -> tuple[str, str] | None:
    """Return first and last name as a client would send this alias, or None if it lacks a first name or a name."""
    if any(character.isdigit() for character in alias) or " of " in alias:
        return None  # `GALVIN, 14TH`, `BELL of Yarmouth`: last name and district
    last, comma, first = (part.strip() for part in alias.partition(","))
    if comma and not SUFFIX.match(first):
        return (first, last) if first and last else None
    words = alias.replace(",", " ").split()
    tail = 1 if words and SUFFIX.match(words[-1]) else 0
    size = len(last_name.split())
    if plain(" ".join(words[len(words) - tail - size : len(words) - tail])) != plain(last_name):
        size = 1
    cut = len(words) - tail - size
    return (" ".join(words[:cut]), " ".join(words[cut:])) if cut > 0 else None


def body_of(official: dict[str, Any]) -> str:
    if official["body"] == "municipalities":
        return str(official["roles"][0]["jurisdiction"]).rsplit("/", 2)[1]
    return f"{official['state']} {'executive' if official['body'] == 'executive' else 'legislature'}"


def official_queries(officials: list[dict[str, Any]], numbers: dict[str, int]) -> Iterator[Row]:
    for person in officials:
        identity, body = person["id"], body_of(person)
        own = (person["given_name"], person["family_name"])
        expected = numbers.get(identity, "")
        prefix = "" if expected else "not held: "
        yield half(identity), prefix + "own name", body, *own, expected
        typed = (as_typed(alias, own[1]) for alias in person.get("other_names", ()))
        for name in dict.fromkeys(name for name in typed if name and name != own):
            yield half(identity), prefix + alias_class(name, own), body, *name, expected


def retired_queries(
    data: Path, stored: dict[str, list[tuple[str, str]]], akin: set[frozenset[str]]
) -> Iterator[Row]:
    """Yield former members who share a last name with a sitting one.

    Those whose first names share a word, or are forms of one name (`akin`), are left out: the registry often
    files one person twice, and nobody could distinguish them from a namesake.
    """
    for person in read_lines(data / "people/us_state_officials_retired.jsonl.gz"):
        body = f"{person['state']} legislature"
        first, last = person.get("given_name"), person.get("family_name")
        if not first or not last:
            continue
        same_last = [known for known in stored[body] if plain(known[1]) == plain(last)]
        words = {plain(word) for word in first.split()}
        others = {plain(word) for known in same_last for word in known[0].split()}
        alike = words & others or any(frozenset((a, b)) in akin for a in words for b in others)
        if same_last and not alike:
            yield half(person["id"]), "not held: retired, same last name", body, first, last, ""


def stranger_queries(
    officials: list[dict[str, Any]], numbers: dict[str, int], akin: set[frozenset[str]]
) -> Iterator[Row]:
    """Yield for every second stored official somebody of the same body, last name and first letter, and a sibling.

    Their first names are drawn from the other officials, except pairs that are forms of one name (`akin`).
    """
    by_letter: dict[str, list[str]] = defaultdict(list)
    first_words = {person["given_name"].split()[0] for person in officials}
    names = sorted(word for word in first_words if "." not in word and len(word) > 2)
    for name in names:
        by_letter[plain(name)[:1]].append(name)
    for person in officials:
        identity = person["id"]
        if identity not in numbers or share("stranger", identity) < 0.5:
            continue
        own = plain(person["given_name"].split()[0])
        for kind, pool in (("same initial", by_letter[own[:1]]), ("sibling", names)):
            other = pool[int(share(kind, identity) * len(pool))] if pool else ""
            if other and plain(other) != own and frozenset((plain(other), own)) not in akin:
                yield half(identity), f"not held: {kind}", body_of(person), other, person["family_name"], ""


def namesake_rows(officials: list[dict[str, Any]], start: int) -> tuple[list[Row], list[Row]]:
    """Return bodies of two people with one name: neither may be answered."""
    stored: list[Row] = []
    queries: list[Row] = []
    for person in officials:
        if share("namesake", person["id"]) < 0.03:
            body, own = f"namesakes {len(queries)}", (person["given_name"], person["family_name"])
            stored += [(start + len(stored), body, *own), (start + len(stored) + 1, body, *own)]
            queries.append((half(person["id"]), "not distinguished: namesakes", body, *own, ""))
    return stored, queries


CHAMBERS = {
    "senate": ("US Senate", "U.S. Senate", "The US Senate", "U. S. SENATE"),
    "house": (
        "US House of Representatives",
        "The U.S. House of Representatives",
        "us house of representatives",
    ),
}
"""The stored employer, then spellings in look-ups."""


def changed(name: tuple[str, str], how: str, chance: float) -> tuple[str, str]:
    """Return the name in another order or in capitals without accents, or with one letter of the last name changed."""
    first, last = name
    if how == "swapped":
        return last, first
    if how == "capitals":
        bare = (unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode() for part in name)
        return next(bare).upper(), next(bare).upper()
    at = 1 + int(chance * (len(last) - 2))
    if how == "letters exchanged":
        return first, last[:at] + last[at + 1] + last[at] + last[at + 2 :]
    if how == "letter left out":
        return first, last[:at] + last[at + 1 :]
    return first, last[:at] + chr(ord("a") + int(chance * 1000) % 26) + last[at + 1 :]


def changed_queries(officials: list[dict[str, Any]], numbers: dict[str, int]) -> Iterator[Row]:
    """Yield a tenth of the stored names for each mechanical change: not counted in the headline."""
    for person in officials:
        own = (person["given_name"], person["family_name"])
        for how in ("swapped", "capitals", "letters exchanged", "letter left out", "letter replaced"):
            if share(how, person["id"]) < 0.1 and len(own[1]) >= 5:
                name = changed(own, how, share(how + " where", person["id"]))
                if name != own:
                    yield half(person["id"]), "derived: " + how, body_of(person), *name, numbers[person["id"]]


def congress_rows(data: Path, start: int) -> tuple[list[Row], list[Row]]:
    """Return members of Congress at their chamber, looked up under nicknames, middle names and official names."""
    stored: list[Row] = []
    queries: list[Row] = []
    for member in read_lines(data / "people/us_congress_current.jsonl.gz"):
        name, body = member["name"], "senate" if member["terms"][-1]["type"] == "sen" else "house"
        own, number = (name["first"], name["last"]), start + len(stored)
        stored.append((number, CHAMBERS[body][0], *own))
        forms = [as_typed(name.get("official_full", ""), own[1])]
        if name.get("nickname"):
            forms.append((name["nickname"], own[1]))
        if name.get("middle"):
            forms.append((f"{own[0]} {name['middle']}", own[1]))
        for form in dict.fromkeys(form for form in forms if form and form != own):
            split, spellings = half(member["bioguide"]), CHAMBERS[body][1:]
            spelling = spellings[int(share("chamber", member["bioguide"]) * len(spellings))]
            queries.append((split, "congress: " + alias_class(form, own), spelling, *form, number))
    return stored, queries


def kin(officials: Iterable[dict[str, Any]]) -> set[frozenset[str]]:
    """Return pairs of first names of some official, and pairs of the package `nicknames`."""
    from nicknames import name_triplets

    pairs = {frozenset((plain(t.name1), plain(t.name2))) for t in name_triplets()}
    for person in officials:
        own = plain(person.get("given_name", "?").split()[0])
        for alias in person.get("other_names", ()):
            name = as_typed(alias, person.get("family_name", ""))
            if name:
                pairs.add(frozenset((plain(name[0].split()[0]), own)))
    return pairs


def build_people(data: Path) -> None:
    officials = list(read_lines(data / "people/us_state_officials_current.jsonl.gz"))
    retired = list(read_lines(data / "people/us_state_officials_retired.jsonl.gz"))
    remaining = [person for person in officials if not left_out(person["id"])]
    numbers = {person["id"]: number for number, person in enumerate(remaining, 1)}
    stored: list[Row] = [(numbers[p["id"]], body_of(p), p["given_name"], p["family_name"]) for p in remaining]
    by_body: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for _, body, first, last in stored:
        by_body[body].append((first, last))
    queries = list(official_queries(officials, numbers))
    akin = kin(officials + retired)
    queries += retired_queries(data, by_body, akin)
    queries += stranger_queries(officials, numbers, akin)
    queries += changed_queries(remaining, numbers)
    for more_stored, more_queries in (namesake_rows(remaining, 100_000), congress_rows(data, 200_000)):
        stored += more_stored
        queries += more_queries
    write_table("people.csv.gz", PEOPLE, stored)
    write_table("people_queries.csv.gz", PEOPLE_QUERIES, queries)


def build_organisations(data: Path) -> None:
    """Build every fifth research organisation; a third of the aliases and a sixth of the organisations are left out."""
    stored: list[Row] = []
    queries: list[Row] = []
    for row in read_table(data / "companies/ror_organizations.csv.gz"):
        if share("sample", row["ror"]) >= 0.2:
            continue
        split, number = half(row["ror"]), "" if left_out(row["ror"]) else len(stored) + 1
        aliases = [alias for alias in row["aliases"].split("|") if alias]
        remaining = [alias for alias in aliases if share("alias", row["ror"] + alias) >= 1 / 3]
        if number:
            stored.append((number, row["name"], "|".join(remaining)))
        queries.append((split, "own name" if number else "not held: own name", row["name"], number))
        for alias in aliases:
            kind = (
                "not held: alias"
                if not number
                else "alias, held"
                if alias in remaining
                else "alias, not held"
            )
            queries.append((split, kind, alias, number))
    write_table("organisations.csv.gz", COMPANIES, stored)
    write_table("organisations_queries.csv.gz", COMPANY_QUERIES, queries)


def build_listed(data: Path) -> None:
    """Build registrants as the SEC writes them, looked up as the exchange and an index list them (by symbol)."""
    stored: list[Row] = []
    by_symbol: dict[str, tuple[str, Any]] = {}
    numbers_by_cik: dict[str, Any] = {}
    for row in read_table(data / "companies/sec_cik_ticker_exchange.csv.gz"):
        if row["CIK"] not in numbers_by_cik:
            numbers_by_cik[row["CIK"]] = "" if left_out(row["CIK"]) else len(stored) + 1
            if numbers_by_cik[row["CIK"]]:
                stored.append((numbers_by_cik[row["CIK"]], row["Name"], ""))
        by_symbol[row["Ticker"].upper()] = (row["CIK"], numbers_by_cik[row["CIK"]])
    listings = [
        (row["Symbol"], row["Company Name"])
        for row in read_table(data / "companies/nasdaq_listed.csv.gz")
        if row["ETF"] == "N" and row["Test Issue"] == "N"
    ] + [(row["Symbol"], row["Security"]) for row in read_table(data / "companies/sp500_constituents.csv.gz")]
    queries = {}
    for symbol, name in listings:
        if symbol in by_symbol:
            cik, number = by_symbol[symbol]
            kind = "listed name" if number else "not held: listed name"
            queries[cik, name] = (half(cik), kind, name, number)
    write_table("listed.csv.gz", COMPANIES, stored)
    write_table("listed_queries.csv.gz", COMPANY_QUERIES, queries.values())


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    build_people(folder)
    build_organisations(folder)
    build_listed(folder)
