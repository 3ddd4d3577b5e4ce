"""Measurement of look-ups of companies by another register's spelling, with two baselines in the same run.

    python -m evaluation.companies.measure [--split tune|test] [--json FILE] [--wrong N] [--missed N]

A look-up goes as in the service: by equal keys, else by likeness. The baselines compare folded names: TF-IDF of
trigrams by cosine, and Jaro-Winkler among the 50 names nearest by it; the threshold and margin of each are the ones
with the best recall at a precision of 0.98 on the tuning half, else with the best precision. The headline takes
spellings and names that nobody holds, except those whose key another company has.
"""

import argparse
import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import scipy.sparse
from rapidfuzz.distance import JaroWinkler
from rich.console import Console
from rich.table import Table

from evaluation.matching import Figures, company_lookup
from firmograph.directory.likeness.choice import find_alike
from firmograph.directory.likeness.name_index import NameIndex, trigrams
from firmograph.directory.likeness.spellings import name_form
from firmograph.directory.names import fold
from firmograph.settings import Settings

HERE = Path(__file__).parent
AIM: Final = 0.98
_CANDIDATES: Final = 50
_BATCH: Final = 256
Row = dict[str, str]


class Answer(NamedTuple):
    """Best company of a look-up; it counts at a threshold and a margin over the next one."""

    number: str
    score: float
    margin: float


Answers = Sequence[Answer | None]


def read(name: str) -> list[Row]:
    with gzip.open(HERE / name, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answers_of_service(held: Sequence[Row], queries: Sequence[Row], settings: Settings) -> dict[str, Answers]:
    """Return the answers by keys alone, and by keys and likeness."""
    by_key = company_lookup({"id": row["id"], "name": row["name"], "aliases": ""} for row in held)
    index = NameIndex()
    for row in held:
        index.put(int(row["id"]), [name_form(row["name"])], row["country"])
    threshold, margin = settings.company_match_threshold, settings.company_match_margin
    keys: list[Answer | None] = []
    both: list[Answer | None] = []
    for query in queries:
        number = by_key(query)
        keys.append(_certain(number))
        if number is None:
            number = find_alike(index, query["name"], threshold, margin).answer
        both.append(_certain(number))
    return {"equal keys": keys, "keys, else likeness": both}


def _certain(number: int | None) -> Answer | None:
    return None if number is None else Answer(str(number), 1.0, 1.0)


def answers_of_baselines(held: Sequence[Row], queries: Sequence[Row]) -> dict[str, Answers]:
    """Return the best company by each baseline, with its score and margin."""
    names = [fold(row["name"]) for row in held]
    asked = [fold(row["name"]) for row in queries]
    places: dict[str, int] = {}
    vectors = _counts(names, places, grow=True)
    rarity = np.log(len(names) / np.maximum(1, np.asarray(vectors.sum(axis=0)).ravel())) + 1
    weighted = _unit(vectors @ scipy.sparse.diags(rarity))
    searched = _unit(_counts(asked, places) @ scipy.sparse.diags(rarity)) @ weighted.T
    cosine: list[Answer | None] = []
    winkler: list[Answer | None] = []
    for at, name in enumerate(asked):
        row = searched[at]
        order = np.lexsort((row.indices, -row.data))[:_CANDIDATES]
        found = [int(row.indices[each]) for each in order]
        cosine.append(_best([(float(row.data[each]), held[row.indices[each]]["id"]) for each in order]))
        winkler.append(
            _best([(JaroWinkler.similarity(name, names[each]), held[each]["id"]) for each in found])
        )
    return {"TF-IDF of trigrams": cosine, "Jaro-Winkler": winkler}


def _counts(names: Iterable[str], places: dict[str, int], *, grow: bool = False) -> "scipy.sparse.csr_matrix":
    columns: list[int] = []
    ends = [0]
    for name in names:
        known = (gram for gram in sorted(trigrams(name)) if grow or gram in places)
        columns += [places.setdefault(gram, len(places)) for gram in known]
        ends.append(len(columns))
    return scipy.sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(ends) - 1, len(places)))


def _unit(vectors: "scipy.sparse.csr_matrix") -> "scipy.sparse.csr_matrix":
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    return (scipy.sparse.diags(1 / np.maximum(lengths, 1e-9)) @ vectors).tocsr()


def _best(scored: list[tuple[float, str]]) -> Answer | None:
    ranked = sorted(scored, key=lambda each: (-each[0], int(each[1])))
    if not ranked:
        return None
    return Answer(ranked[0][1], ranked[0][0], ranked[0][0] - (ranked[1][0] if len(ranked) > 1 else 0.0))


def figures(queries: Sequence[Row], answers: Answers, threshold: float = 0.0, margin: float = 0.0) -> Figures:
    given = [
        (query["expected"], answer.number)
        for query, answer in zip(queries, answers, strict=True)
        if answer is not None and answer.score >= threshold and answer.margin >= margin
    ]
    held = sum(bool(query["expected"]) for query in queries)
    return Figures(len(queries), held, len(given), sum(expected == number for expected, number in given))


def in_headline(query: Row) -> bool:
    return query["class"] == "spelling" or query["class"].startswith("not held:")


def _chosen(queries: Sequence[Row], answers: Answers) -> tuple[float, float]:
    """Return the threshold and margin of a baseline by the tuning half."""
    tuned = [
        (query, answer)
        for query, answer in zip(queries, answers, strict=True)
        if query["split"] == "tune" and in_headline(query)
    ]
    rows, given = [query for query, _ in tuned], [answer for _, answer in tuned]

    def rank(pair: tuple[float, float]) -> tuple[bool, float]:
        found = figures(rows, given, *pair)
        precision = found.precision or 0.0
        return precision >= AIM, (found.recall or 0.0) if precision >= AIM else precision

    return max(((at / 100, step / 50) for at in range(60, 101) for step in range(6)), key=rank)


def measure(settings: Settings) -> Iterator[tuple[str, Sequence[Row], Answers]]:
    """Yield each way of looking up with all look-ups and the answers that it gives."""
    held, queries = read("held.csv.gz"), read("queries.csv.gz")
    ordered: list[Row] = []
    collected: dict[str, list[Answer | None]] = defaultdict(list)
    for register in dict.fromkeys(row["register"] for row in held):
        known = [row for row in held if row["register"] == register]
        asked = [row for row in queries if row["register"] == register]
        ordered += asked
        for ways in (answers_of_service(known, asked, settings), answers_of_baselines(known, asked)):
            for way, given in ways.items():
                collected[way] += given
    for way, answers in collected.items():
        if way in ("TF-IDF of trigrams", "Jaro-Winkler"):
            threshold, margin = _chosen(ordered, answers)
            name = f"{way} ({threshold:.2f}, margin {margin:.2f})"
            counted = [
                one if one and one.score >= threshold and one.margin >= margin else None for one in answers
            ]
            yield name, ordered, counted
        else:
            yield way, ordered, answers


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure look-ups of companies by another register's spelling."
    )
    parser.add_argument("--split", choices=("tune", "test"), default="test")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--wrong", type=int, default=5, help="wrong answers to list")
    parser.add_argument("--missed", type=int, default=5, help="misses to list")
    options = parser.parse_args()
    table = Table("way", "look-ups", title=f"companies under another spelling, {options.split} half")
    for column in ("n", "held", "answered", "right", "wrong", "precision", "recall"):
        table.add_column(column, justify="right")
    report: dict[str, dict[str, dict[str, object]]] = {}
    examples: list[str] = []
    names = {row["id"]: row["name"] for row in read("held.csv.gz")}
    for way, queries, answers in measure(Settings()):
        half = [(q, a) for q, a in zip(queries, answers, strict=True) if q["split"] == options.split]
        groups: dict[str, list[tuple[Row, Answer | None]]] = {
            "all": [each for each in half if in_headline(each[0])]
        }
        for query, answer in half:
            if in_headline(query):
                groups.setdefault(query["register"], []).append((query, answer))
        for kind in ("acronym", "another name", "not held, key of another"):
            groups[kind] = [each for each in half if each[0]["class"] == kind]
        report[way] = {}
        for group, pairs in groups.items():
            found = figures([q for q, _ in pairs], [a for _, a in pairs])
            report[way][group] = {**found._asdict(), "precision": found.precision, "recall": found.recall}
            rates = ("" if rate is None else f"{rate:.4f}" for rate in (found.precision, found.recall))
            counts = (found.n, found.held, found.answered, found.right, found.answered - found.right)
            table.add_row(way if group == "all" else "", group, *(f"{each:,}" for each in counts), *rates)
        if way == "keys, else likeness":
            examples = list(_examples(groups["all"], names, options.wrong, options.missed))
    console = Console(width=max(Console().width, 112))
    console.print(table)
    for line in examples:
        console.print(line, soft_wrap=True, markup=False)
    if options.json:
        options.json.write_text(
            json.dumps({"split": options.split, **report}, indent=2) + "\n", encoding="utf-8"
        )


def _examples(
    pairs: Sequence[tuple[Row, Answer | None]], names: dict[str, str], most_wrong: int, most_missed: int
) -> Iterator[str]:
    """Yield the largest classes of errors with the first examples of each."""
    wrong: dict[str, list[str]] = defaultdict(list)
    for query, answer in pairs:
        held = names.get(query["expected"], "nobody")
        if answer is not None and answer.number != query["expected"]:
            wrong[f"wrong, {query['class']}"].append(
                f"{query['name']} | {names[answer.number]} | meant: {held}"
            )
        elif answer is None and query["expected"]:
            wrong["missed"].append(f"{query['name']} | {held}")
    for kind, lines in sorted(wrong.items(), key=lambda each: (each[0] == "missed", -len(each[1]))):
        yield f"{kind}: {len(lines)}"
        yield from (f"  {line}" for line in lines[: most_missed if kind == "missed" else most_wrong])


if __name__ == "__main__":
    main()
