"""Train the model of departments of job titles and write `directory/titles/data/model.npz`.

    python scripts/build_title_model.py DATA

`DATA` is the folder of the reference lists. Titles of O*NET and ESCO have the department of their occupation's code
(`occupation_departments.toml`); occupations of the Faker library, which are in other languages, that of the rules where
a phrase decides; the tuning half of `evaluation/titles/` its labels. A tenth of O*NET and ESCO is held back for the
printed figures.
"""

import csv
import gzip
import hashlib
import io
import random
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from string import ascii_lowercase

import numpy as np
from evaluation.titles.measure import read_rows
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from firmograph.directory.titles.model import BUCKETS, LEAST_PROBABILITY, TitleModel, bucket_numbers
from firmograph.directory.titles.rules import TitleRules
from firmograph.directory.titles.tables import load_tables
from firmograph.directory.titles.words import own_title_words
from firmograph.directory.vocabulary import DEPARTMENTS

TARGET = Path("src/firmograph/directory/titles/data/model.npz")
REGULARISATION = 0.3
LABEL_WEIGHT, RULE_WEIGHT = 5.0, 0.5
"""Weights of a labelled title and of one labelled by the rules; a title of a list counts 1."""
BIAS_SHARE = 0.5
"""Share of the bias that is kept: with all of it, a word of no language is taken for the most frequent department."""
MOST_OF_OCCUPATION = 20
NONSENSE = 500
"""Random words on which the model is to keep silent."""
LOCALES = ("de_AT", "fr_FR", "fr_CH", "es", "pt_BR", "pt_PT", "pl_PL", "da_DK")

CODES = {
    code: department
    for department, codes in tomllib.loads(
        (Path(__file__).parent / "occupation_departments.toml").read_text("utf-8")
    ).items()
    for code in codes
}
"""Departments by the beginning of an occupation's code; the longest counts."""

Example = tuple[str, str, float]
"""Title, department, weight."""


def department_of(code: str) -> str | None:
    return next((CODES[code[:end]] for end in range(len(code), 1, -1) if code[:end] in CODES), None)


def list_titles(folder: Path) -> Iterator[Example]:
    """Yield the titles of O*NET and ESCO, at most so many of an occupation."""
    counts: dict[str, int] = {}

    def example(code: str, title: str) -> Iterator[Example]:
        department = department_of(code)
        if department and counts.get(code, 0) < MOST_OF_OCCUPATION:
            counts[code] = counts.get(code, 0) + 1
            yield title, department, 1.0

    for name in ("onet_reported_titles.tsv.gz", "onet_alternate_titles.tsv.gz"):
        for row in csv.reader(_text(folder / name), delimiter="\t"):
            yield from example(row[0], row[1])
    for row in csv.DictReader(_text(folder / "esco_occupations_en.csv.gz")):
        for title in (row["preferredLabel"], *row["altLabels"].split("|")):
            yield from example("C" + row["iscoGroup"], title)


def _text(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(gzip.open(path), "utf-8", newline="")


def rule_titles(rules: TitleRules) -> Iterator[Example]:
    for locale in LOCALES:
        for title in import_module(f"faker.providers.job.{locale}").Provider.jobs:
            found = rules.departments(title)
            if found:
                yield title, found[0], RULE_WEIGHT


def labelled_titles() -> Iterator[Example]:
    for row in read_rows():
        if row["split"] == "tune":
            for department in row["department"].split("; ")[:1]:
                yield row["title"], department, LABEL_WEIGHT


def is_held_back(title: str) -> bool:
    return hashlib.sha256(title.casefold().encode()).digest()[0] % 10 == 0


def features(titles: Sequence[str]) -> csr_matrix:
    numbers = [bucket_numbers(own_title_words(title)) for title in titles]
    lengths = np.array([len(row) for row in numbers])
    values = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths)
    ends = np.concatenate([[0], lengths.cumsum()])
    return csr_matrix(
        (values, np.concatenate([np.array(row, int) for row in numbers]), ends), (len(titles), BUCKETS)
    )


def fit(examples: Sequence[Example]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights by bucket and department, and the bias, of a multinomial logistic regression."""
    x = features([title for title, _, _ in examples])
    answers = np.array([DEPARTMENTS.index(department) for _, department, _ in examples])
    weights = np.array([weight for _, _, weight in examples])
    wanted = np.zeros((len(examples), len(DEPARTMENTS)))
    wanted[np.arange(len(examples)), answers] = 1
    size = BUCKETS * len(DEPARTMENTS)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        matrix, bias = flat[:size].reshape(BUCKETS, -1), flat[size:]
        scores = x @ matrix + bias
        scores -= scores.max(axis=1, keepdims=True)
        logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        error = weights[:, None] * (np.exp(logarithms) - wanted)
        value = (
            -(weights * logarithms[np.arange(len(answers)), answers]).sum()
            + REGULARISATION / 2 * (matrix**2).sum()
        )
        return value, np.concatenate([(x.T @ error + REGULARISATION * matrix).ravel(), error.sum(axis=0)])

    found = minimize(
        loss, np.zeros(size + len(DEPARTMENTS)), jac=True, method="L-BFGS-B", options={"maxiter": 80}
    ).x
    return found[:size].reshape(BUCKETS, -1), found[size:] * BIAS_SHARE


def quantise(weights: NDArray[np.float64]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scales = np.abs(weights).max(axis=0) / 127
    return np.round(weights / scales).astype(np.int8), scales.astype(np.float32)


def print_figures(model: TitleModel, held_back: Sequence[Example], rules: TitleRules) -> None:
    undecided = [one for one in held_back if not rules.departments(one[0])]
    for name, titles in (("all", held_back), ("no phrase", undecided)):
        found = [model.probabilities(own_title_words(title)) for title, _, _ in titles]
        right = np.array(
            [
                DEPARTMENTS[int(p.argmax())] == department
                for p, (_, department, _) in zip(found, titles, strict=True)
            ]
        )
        sure = np.array([p.max() >= LEAST_PROBABILITY for p in found])
        print(f"{name}: {len(titles)} titles, {right.mean():.3f} right")
        print(f"    answers {sure.mean():.3f}, of these {right[sure].mean():.3f} right")
    draw = random.Random(1)
    words = ["".join(draw.choices(ascii_lowercase, k=draw.randint(4, 12))) for _ in range(NONSENSE)]
    print(f"random words: answers {sum(model.department(word) is not None for word in words) / NONSENSE:.3f}")


def main() -> None:
    folder = Path(sys.argv[1])
    rules = TitleRules(load_tables())
    listed = list(list_titles(folder))
    examples = (
        [one for one in listed if not is_held_back(one[0])]
        + list(rule_titles(rules))
        + list(labelled_titles())
    )
    matrix, bias = fit(examples)
    weights, scales = quantise(matrix)
    np.savez_compressed(TARGET, weights=weights, scales=scales, bias=bias.astype(np.float32))
    print(f"{len(examples)} examples, {TARGET.stat().st_size:,} bytes")
    print_figures(
        TitleModel(weights, scales, bias.astype(np.float32)),
        [one for one in listed if is_held_back(one[0])],
        rules,
    )


if __name__ == "__main__":
    main()
