"""Measurement of look-ups of people under another spelling, and of the score of pairs of names.

    python -m evaluation.spellings.measure [--split tune|test] [--json FILE] [--wrong] [--missed]

Compared with two ordinary similarities of the full names, both computed here: Jaro-Winkler, and character trigrams
weighted by rarity. They answer with the most similar person of the body, from the threshold on with which the tune
half has the most right answers at the precision aimed at (`AIM`).
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import JaroWinkler
from rich.console import Console
from rich.table import Table

from evaluation.matching import Figures, Outcome, as_json, as_table, ask, count, people_lookup, read_gold_rows
from firmograph.directory.names import fold
from firmograph.directory.resemblance import resemblance
from firmograph.settings import Settings

HERE = Path(__file__).parent
AIM = 0.998
MARGIN = 0.02
"""Lead of the baselines' answer over the next person."""
WORST = 4
"""Classes listed for each kind of error."""
SETS = ("typing", "scripts")
Row = dict[str, str]
Name = tuple[str, str]
Similarity = Callable[[Name, Name], float]


class Ranked(NamedTuple):
    query: Row
    number: int
    score: float
    lead: float


def read_rows(name: str) -> list[Row]:
    return list(read_gold_rows(name, HERE))


def name_of(row: Row, prefix: str = "") -> Name:
    return row[f"{prefix}first"], row[f"{prefix}last"]


# --- baselines ---


def jaro_winkler(one: Name, other: Name) -> float:
    return JaroWinkler.similarity(fold(" ".join(one)), fold(" ".join(other)))


class Trigrams:
    """Cosine of character trigrams weighted by their rarity among the held names."""

    def __init__(self, names: Sequence[Name]) -> None:
        held = Counter(gram for name in names for gram in set(_trigrams(name)))
        self._weights = {gram: log(len(names) / number) + 1 for gram, number in held.items()}
        self._unseen = log(len(names)) + 1
        self._vectors: dict[Name, dict[str, float]] = {}

    def __call__(self, one: Name, other: Name) -> float:
        a, b = self._vector(one), self._vector(other)
        return sum(weight * b.get(gram, 0.0) for gram, weight in a.items())

    def _vector(self, name: Name) -> dict[str, float]:
        if name not in self._vectors:
            counts = Counter(_trigrams(name))
            weights = {gram: n * self._weights.get(gram, self._unseen) for gram, n in counts.items()}
            size = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
            self._vectors[name] = {gram: weight / size for gram, weight in weights.items()}
        return self._vectors[name]


def _trigrams(name: Name) -> Iterator[str]:
    text = f" {fold(' '.join(name))} "
    return (text[at : at + 3] for at in range(max(len(text) - 2, 1)))


def rank(similarity: Similarity, held: Sequence[Row], queries: Sequence[Row]) -> list[Ranked]:
    """Return the most similar person of the body for each query."""
    by_body: dict[str, list[Row]] = defaultdict(list)
    for row in held:
        by_body[row["body"]].append(row)
    found = []
    for query in queries:
        name = name_of(query)
        scores = sorted(
            ((similarity(name, name_of(row)), int(row["id"])) for row in by_body[query["body"]]), reverse=True
        )
        if scores:
            best, number = scores[0]
            found.append(Ranked(query, number, best, best - scores[1][0] if len(scores) > 1 else 1.0))
    return found


def choose_threshold(ranked: Sequence[Ranked]) -> float:
    """Return the lowest score down to which the tune half's answers are right at the rate aimed at."""
    answers = sorted(
        (each for each in ranked if each.lead >= MARGIN and each.query["split"] == "tune"),
        key=lambda each: -each.score,
    )
    right, threshold = 0, 2.0
    for position, each in enumerate(answers, 1):
        right += str(each.number) == each.query["expected"]
        if right / position >= AIM:
            threshold = each.score
    return threshold


def outcomes_of(ranked: Sequence[Ranked], queries: Sequence[Row], split: str) -> list[Outcome]:
    threshold = choose_threshold(ranked)
    answers = {
        id(each.query): each.number for each in ranked if each.score >= threshold and each.lead >= MARGIN
    }
    return ask(lambda query: answers.get(id(query)), iter(queries), split)


# --- pairs ---


class PairFigures(NamedTuple):
    f1: float
    threshold: float
    microseconds: float


def measure_pairs(similarity: Similarity, pairs: Sequence[Row]) -> PairFigures:
    """Return the best F1 over all thresholds, the threshold, and the processor time for a pair."""
    named = [(name_of(row), name_of(row, "other_"), row["same"] == "1") for row in pairs]
    start = time.process_time()
    scores = [similarity(one, other) for one, other, _ in named]
    took = time.process_time() - start
    ranked = sorted(zip(scores, (same for _, _, same in named), strict=True), reverse=True)
    same, right = sum(is_same for _, is_same in ranked), 0
    best, threshold = 0.0, 1.0
    for position, (score, is_same) in enumerate(ranked, 1):
        right += is_same
        if position < len(ranked) and ranked[position][0] == score:
            continue
        f1 = 2 * right / (position + same)
        if f1 > best:
            best, threshold = f1, score
    return PairFigures(best, threshold, took / len(named) * 1e6)


def as_pairs_table(split: str, figures: dict[str, dict[str, PairFigures]]) -> Table:
    table = Table("pairs", title=f"Pairs of names, {split} half: best F1 over all thresholds")
    for method in next(iter(figures.values())):
        for column in (method, "from", "µs"):
            table.add_column(column, justify="right")
    for group, methods in figures.items():
        cells = (
            (f"{each.f1:.3f}", f"{each.threshold:.2f}", f"{each.microseconds:.0f}")
            for each in methods.values()
        )
        table.add_row(group, *(cell for row in cells for cell in row))
    return table


def by_group(outcomes: Sequence[Outcome]) -> dict[str, Figures]:
    """Return figures of all look-ups, of each set and of each class, the largest first."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        for group in ("all", outcome.query["set"], f"{outcome.query['set']}: {outcome.kind}"):
            groups[group].append(outcome)
    order = sorted(groups, key=lambda group: (group != "all", group not in SETS, "not held" in group))
    return {group: count(groups[group]) for group in order if len(groups[group]) >= 10}


def as_errors_table(outcomes: Sequence[Outcome], stored: dict[int, Name]) -> Table:
    """Return the classes with the most wrong answers, then with the most misses, each with two look-ups."""
    wrong, missed = defaultdict(list), defaultdict(list)
    for each in outcomes:
        if each.answer is not None and each.answer != each.expected:
            wrong[each.kind].append(each)
        elif each.answer is None and each.expected is not None:
            missed[each.kind].append(each)
    table = Table("class", "error", "look-ups", "examples", title="Worst classes")
    for error, classes in (("wrong", wrong), ("missed", missed)):
        for kind in sorted(classes, key=lambda kind: -len(classes[kind]))[:WORST]:
            examples = (
                f"{' '.join(name_of(each.query))} ({' '.join(stored[each.answer or each.expected or 0])})"
                for each in classes[kind][:2]
            )
            table.add_row(kind, error, str(len(classes[kind])), "; ".join(examples))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure look-ups of people under another spelling.")
    parser.add_argument("--split", choices=("tune", "test"), default="test")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--wrong", action="store_true", help="list the wrong answers")
    parser.add_argument("--missed", action="store_true", help="list the misses")
    options = parser.parse_args()
    settings, console = Settings(), Console()
    held, queries = read_rows("people.csv.gz"), read_rows("people_queries.csv.gz")
    trigrams = Trigrams([name_of(row) for row in held])
    find = people_lookup(iter(held), settings.match_threshold, settings.match_margin)
    methods = {
        "the service": ask(find, iter(queries), options.split),
        "Jaro-Winkler": outcomes_of(rank(jaro_winkler, held, queries), queries, options.split),
        "trigrams by rarity": outcomes_of(rank(trigrams, held, queries), queries, options.split),
    }
    figures = {method: by_group(outcomes) for method, outcomes in methods.items()}
    console.print(
        as_table(
            f"People under another spelling, {options.split} half",
            {
                f"{group}, {method}": groups[group]
                for group in ("all", *SETS)
                for method, groups in figures.items()
            },
        )
    )
    console.print(as_table(f"Classes, the service, {options.split} half", figures["the service"]))
    pairs = [row for row in read_rows("pairs.csv.gz") if row["split"] == options.split]
    measures: dict[str, Similarity] = {
        "score": resemblance,
        "Jaro-Winkler": jaro_winkler,
        "trigrams": trigrams,
    }
    by_set = {"all": pairs} | {name: [row for row in pairs if row["class"] == name] for name in SETS}
    scores = {
        group: {name: measure_pairs(measure, rows) for name, measure in measures.items()}
        for group, rows in by_set.items()
    }
    console.print(as_pairs_table(options.split, scores))
    stored = {int(row["id"]): name_of(row) for row in held}
    console.print(as_errors_table(methods["the service"], stored))
    for outcome in methods["the service"]:
        is_wrong = outcome.answer is not None and outcome.answer != outcome.expected
        is_missed = outcome.answer is None and outcome.expected is not None
        if (is_wrong and options.wrong) or (is_missed and options.missed):
            meant, answered = (stored.get(number or 0) for number in (outcome.expected, outcome.answer))
            console.print(outcome.kind, name_of(outcome.query), "meant", meant, "answered", answered)
    if options.json:
        report = {
            "split": options.split,
            "look-ups": {method: as_json(groups) for method, groups in figures.items()},
            "pairs": {
                group: {name: each._asdict() for name, each in row.items()} for group, row in scores.items()
            },
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
