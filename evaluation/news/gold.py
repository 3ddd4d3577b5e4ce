"""The gold data of this folder, joined with the texts outside of the repository."""

import csv
import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
csv.field_size_limit(1 << 24)


class Item(NamedTuple):
    key: str
    day: str
    title: str
    text: str
    events: frozenset[str]
    either: frozenset[str]
    """Events that may be reported or not."""
    companies: frozenset[str]

    @property
    def is_tuned(self) -> bool:
        """Return whether rules may have been changed for it: half of the items, by a hash of their address or title."""
        return tuned(self.key)


class Purchase(NamedTuple):
    acquirer: str
    target: str
    day: str
    headline: str

    @property
    def is_tuned(self) -> bool:
        return tuned(self.headline)


def tuned(key: str) -> bool:
    return hashlib.sha256(key.encode()).digest()[0] % 2 == 0


def wikinews(data: Path) -> list[Item]:
    """Return every article of `signals/wikinews_2019_2020.csv.gz`, with its labels."""
    articles = {row["url"]: row for row in table(data / "signals" / "wikinews_2019_2020.csv.gz")}
    return [
        Item(
            row["url"],
            articles[row["url"]]["date"][:10],
            articles[row["url"]]["title"],
            articles[row["url"]]["text"],
            parted(row["events"]),
            parted(row["either"]),
            parted(row["companies"]),
        )
        for row in table(HERE / "wikinews_labels.csv")
    ]


def synthetic() -> list[Item]:
    with (HERE / "synthetic.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [
        Item(
            row["title"] + row["text"],
            "2025-06-15",
            row["title"],
            row["text"],
            frozenset(row["events"]),
            frozenset(row["either"]),
            frozenset(row["companies"]),
        )
        for row in rows
    ]


def purchases() -> list[Purchase]:
    return [
        Purchase(row["acquirer"], row["target"], row["date"], row["headline"])
        for row in table(HERE / "mentions.csv")
    ]


def table(path: Path) -> Iterator[dict[str, str]]:
    plain = path.suffix != ".gz"
    with (
        path.open(encoding="utf-8", newline="")
        if plain
        else gzip.open(path, "rt", "utf-8", newline="") as file
    ):
        yield from csv.DictReader(file)


def parted(cell: str) -> frozenset[str]:
    return frozenset(part.strip() for part in cell.split(";") if part.strip())
