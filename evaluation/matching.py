"""Measurement of the matching of people and companies on the labelled look-ups of `evaluation/gold/`.

    python -m evaluation.matching [--split tune|test] [--json FILE] [--wrong CLASS] [--missed CLASS]

Looks up as the service does: people under their blocks at one employer, then the choice by score; companies by
the key of their name, unique over names, else over aliases. Precision = right / answered; recall = right answers /
look-ups of somebody stored. The headline leaves out look-ups under exactly the stored name, which would flatter it, and
those of the mechanical changes (`derived:`), which nobody wrote.
"""

import argparse
import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from firmograph.directory.choice import rank_candidates
from firmograph.directory.company_names import company_key, company_keys, loose_key
from firmograph.directory.names import query_blocking_keys
from firmograph.directory.spelling_keys import query_spelling_keys, stored_name_keys
from firmograph.directory.spelling_scores import MOST_UNCERTAIN
from firmograph.settings import Settings

GOLD = Path(__file__).parent / "gold"
LEFT_OUT = ("own name", "derived:")
Lookup = Callable[[dict[str, str]], int | None]


class Outcome(NamedTuple):
    kind: str
    query: dict[str, str]
    expected: int | None
    answer: int | None


class Figures(NamedTuple):
    n: int
    held: int
    """Look-ups of stored records."""
    answered: int
    right: int

    @property
    def precision(self) -> float | None:
        return self.right / self.answered if self.answered else None

    @property
    def recall(self) -> float | None:
        return self.right / self.held if self.held else None


def read_gold_rows(name: str, folder: Path = GOLD) -> Iterator[dict[str, str]]:
    with gzip.open(folder / name, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def people_lookup(rows: Iterator[dict[str, str]], threshold: float, margin: float) -> Lookup:
    """Return a look-up of a person by name at a body, through the keys of contacts in the service."""
    by_key: dict[tuple[str, str], dict[int, tuple[int, str, str]]] = defaultdict(dict)
    for row in rows:
        number = int(row["id"])
        for key in stored_name_keys(row["first"], row["last"]):
            by_key[company_key(row["body"]), key][number] = (number, row["first"], row["last"])

    def find(query: dict[str, str]) -> int | None:
        employer = company_key(query["body"])
        name = query["first"], query["last"]
        candidates: dict[int, tuple[int, str, str]] = {}
        for keys in (query_blocking_keys(*name), query_spelling_keys(*name)):
            for key in keys:
                candidates |= by_key.get((employer, key), {})
            choice = rank_candidates(name, list(candidates.values())).choose(threshold, margin)
            if choice is not None and choice.score > MOST_UNCERTAIN:
                break
        return choice.number if choice else None

    return find


def company_lookup(rows: Iterator[dict[str, str]]) -> Lookup:
    """Return a look-up of a company by name: unique over names, else aliases, else both with `ue` and `u` equal."""
    names: dict[str, set[int]] = defaultdict(set)
    aliases: dict[str, set[int]] = defaultdict(set)
    loosely: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        number = int(row["id"])
        others = list(filter(None, row["aliases"].split("|")))
        for numbers, given in ((names, [row["name"]]), (aliases, others)):
            for key in (key for name in given for key in company_keys(name)):
                numbers[key].add(number)
        for name in (row["name"], *others):
            loosely[loose_key(name)].add(number)

    def find(query: dict[str, str]) -> int | None:
        keys = company_keys(query["name"])
        found = {number for key in keys for number in names.get(key, ())}
        found = found or {number for key in keys for number in aliases.get(key, ())}
        loose = loose_key(query["name"])
        found = found or (loosely[loose] if loose else set())
        return next(iter(found)) if len(found) == 1 else None

    return find


def ask(find: Lookup, queries: Iterator[dict[str, str]], split: str) -> list[Outcome]:
    outcomes = []
    for query in queries:
        if query["split"] == split:
            expected = int(query["expected"]) if query["expected"] else None
            outcomes.append(Outcome(query["class"], query, expected, find(query)))
    return outcomes


def count(outcomes: list[Outcome]) -> Figures:
    answered = [outcome for outcome in outcomes if outcome.answer is not None]
    return Figures(
        n=len(outcomes),
        held=sum(outcome.expected is not None for outcome in outcomes),
        answered=len(answered),
        right=sum(outcome.answer == outcome.expected for outcome in answered),
    )


def by_class(outcomes: list[Outcome]) -> dict[str, Figures]:
    """Return figures of the headline first, then of every class, look-ups of stored records before the others."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.kind].append(outcome)
    order = sorted(
        groups, key=lambda kind: (kind.startswith("not "), kind.startswith("derived"), -len(groups[kind]))
    )
    headline = [outcome for outcome in outcomes if not outcome.kind.startswith(LEFT_OUT)]
    return {"headline": count(headline)} | {kind: count(groups[kind]) for kind in order}


def measure(split: str, settings: Settings) -> dict[str, list[Outcome]]:
    """Return the outcomes of the three sets of look-ups."""
    people = people_lookup(read_gold_rows("people.csv.gz"), settings.match_threshold, settings.match_margin)
    outcomes = {"people": ask(people, read_gold_rows("people_queries.csv.gz"), split)}
    for name in ("organisations", "listed"):
        outcomes[name] = ask(
            company_lookup(read_gold_rows(f"{name}.csv.gz")), read_gold_rows(f"{name}_queries.csv.gz"), split
        )
    return outcomes


def as_table(title: str, figures: dict[str, Figures]) -> Table:
    table = Table("class", title=title)
    for column in ("look-ups", "stored", "answered", "right", "wrong", "precision", "recall"):
        table.add_column(column, justify="right")
    for kind, group in figures.items():
        numbers = (group.n, group.held, group.answered, group.right, group.answered - group.right)
        rates = ("" if rate is None else f"{rate:.4f}" for rate in (group.precision, group.recall))
        table.add_row(kind, *(f"{number:,}" for number in numbers), *rates)
    return table


def as_json(figures: dict[str, Figures]) -> dict[str, dict[str, float | int | None]]:
    return {
        kind: {**group._asdict(), "precision": group.precision, "recall": group.recall}
        for kind, group in figures.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure matching on labelled look-ups.")
    parser.add_argument("--split", choices=("tune", "test"), default="test")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--wrong", metavar="CLASS", help="list the wrong answers of a class ('' for all)")
    parser.add_argument("--missed", metavar="CLASS", help="list the misses of a class ('' for all)")
    options = parser.parse_args()
    settings, console, report = Settings(), Console(), {}
    for name, outcomes in measure(options.split, settings).items():
        figures = by_class(outcomes)
        report[name] = as_json(figures)
        console.print(as_table(f"{name}, {options.split} half", figures))
        for outcome in outcomes:
            wrong = outcome.answer is not None and outcome.answer != outcome.expected
            missed = outcome.answer is None and outcome.expected is not None
            for requested, is_listed in ((options.wrong, wrong), (options.missed, missed)):
                if requested is not None and is_listed and requested in outcome.kind:
                    console.print(dict(outcome.query), "answered", outcome.answer, soft_wrap=True)
    if options.json:
        settled = {
            "split": options.split,
            "threshold": settings.match_threshold,
            "margin": settings.match_margin,
        }
        options.json.write_text(json.dumps({**settled, **report}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
