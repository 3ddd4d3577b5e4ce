"""Train the model of departments of job titles and write `directory/titles/data/model.npz`.

    python scripts/build_title_model.py DATA

`DATA` is the folder of the reference lists. Titles of O*NET and ESCO have the department of their occupation's code
(`CODES`); occupations of the Faker library, which are in other languages, that of the rules where a phrase decides; the
tuning half of `evaluation/titles/` its labels. A tenth of O*NET and ESCO is held back for the printed figures.
"""

import csv
import gzip
import hashlib
import io
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from evaluation.titles.measure import read_rows
from firmograph.directory.titles.model import BUCKETS, LEAST_PROBABILITY, TitleModel, bucket_numbers
from firmograph.directory.titles.rules import TitleRules
from firmograph.directory.titles.tables import load_tables
from firmograph.directory.titles.words import own_title_words
from firmograph.directory.vocabulary import DEPARTMENTS

TARGET = Path("src/firmograph/directory/titles/data/model.npz")
REGULARISATION = 0.3
LABEL_WEIGHT, RULE_WEIGHT = 5.0, 0.5
"""Weights of a labelled title and of one labelled by the rules; a title of a list counts 1."""
MOST_OF_OCCUPATION = 20
LOCALES = ("de_AT", "fr_FR", "fr_CH", "es", "pt_BR", "pt_PT", "pl_PL", "da_DK")

CODES = {
    # O*NET-SOC
    "11-1": "General Management", "11-2": "Marketing", "11-2022": "Sales", "11-3": "Operations", "11-3021": "Information Technology",
    "11-3031": "Finance", "11-312": "Human Resources", "11-311": "Human Resources", "11-313": "Human Resources", "11-9": "Operations", "11-9041": "Engineering & Technical",
    "11-9111": "Health Care & Medical", "11-903": "Other", "11-9121": "Research & Analytics", "13-1": "Operations", "13-103": "Finance", "13-1041": "Legal",
    "13-107": "Human Resources", "13-1111": "Consulting", "13-114": "Human Resources", "13-115": "Human Resources", "13-116": "Marketing", "13-1161": "Research & Analytics", "13-2": "Finance",
    "15-1": "Information Technology", "15-125": "Engineering & Technical", "15-1255": "Product", "15-2": "Research & Analytics", "17-": "Engineering & Technical",
    "19-": "Research & Analytics", "19-3": "Research & Analytics", "19-303": "Health Care & Medical", "21-1": "Health Care & Medical", "21-2": "Other", "23-": "Legal", "25-": "Other",
    "27-1": "Marketing", "27-102": "Product", "27-2": "Other", "27-3": "Marketing", "27-4": "Marketing", "29-": "Health Care & Medical", "31-": "Health Care & Medical",
    "33-": "Operations", "35-": "Operations", "37-": "Operations", "39-": "Other", "41-": "Sales", "43-": "Operations", "43-3": "Finance", "43-4": "Customer Service",
    "45-": "Operations", "47-": "Operations", "47-2111": "Engineering & Technical", "49-": "Engineering & Technical", "51-": "Operations", "53-": "Operations", "55-": "Other",
    # ISCO, as ESCO has it
    "C01": "Other", "C02": "Other", "C03": "Other", "C11": "General Management", "C121": "Operations", "C1211": "Finance", "C1212": "Human Resources", "C122": "Marketing", "C1221": "Sales", "C1223": "Research & Analytics",
    "C13": "Operations", "C133": "Information Technology", "C1342": "Health Care & Medical", "C1345": "Other", "C1346": "Finance", "C14": "Operations", "C142": "Sales",
    "C211": "Research & Analytics", "C212": "Research & Analytics", "C213": "Research & Analytics", "C214": "Engineering & Technical", "C215": "Engineering & Technical", "C216": "Engineering & Technical", "C2166": "Product",
    "C22": "Health Care & Medical", "C23": "Other", "C241": "Finance", "C242": "Consulting", "C2423": "Human Resources", "C2424": "Human Resources", "C243": "Marketing", "C2433": "Sales", "C2434": "Sales",
    "C25": "Information Technology", "C2512": "Engineering & Technical", "C2513": "Engineering & Technical", "C2514": "Engineering & Technical", "C261": "Legal", "C262": "Other", "C263": "Research & Analytics", "C2634": "Health Care & Medical", "C2635": "Health Care & Medical", "C264": "Marketing", "C265": "Other",
    "C31": "Engineering & Technical", "C32": "Health Care & Medical", "C331": "Finance", "C332": "Sales", "C333": "Operations", "C3333": "Human Resources", "C334": "Operations", "C335": "Operations", "C341": "Legal", "C3412": "Health Care & Medical", "C342": "Other", "C343": "Operations", "C35": "Information Technology",
    "C41": "Operations", "C42": "Customer Service", "C431": "Finance", "C432": "Operations", "C44": "Operations", "C51": "Operations", "C52": "Sales", "C53": "Health Care & Medical", "C54": "Operations",
    "C6": "Operations", "C7": "Operations", "C723": "Engineering & Technical", "C74": "Engineering & Technical", "C8": "Operations", "C9": "Operations",
}  # fmt: skip
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
    return csr_matrix((values, np.concatenate([np.array(row, int) for row in numbers]), ends), (len(titles), BUCKETS))


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
        value = -(weights * logarithms[np.arange(len(answers)), answers]).sum() + REGULARISATION / 2 * (matrix**2).sum()
        return value, np.concatenate([(x.T @ error + REGULARISATION * matrix).ravel(), error.sum(axis=0)])

    found = minimize(loss, np.zeros(size + len(DEPARTMENTS)), jac=True, method="L-BFGS-B", options={"maxiter": 80}).x
    return found[:size].reshape(BUCKETS, -1), found[size:]


def quantise(weights: NDArray[np.float64]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scales = np.abs(weights).max(axis=0) / 127
    return np.round(weights / scales).astype(np.int8), scales.astype(np.float32)


def print_figures(model: TitleModel, held_back: Sequence[Example], rules: TitleRules) -> None:
    undecided = [one for one in held_back if not rules.departments(one[0])]
    for name, titles in (("all", held_back), ("no phrase", undecided)):
        found = [model.probabilities(own_title_words(title)) for title, _, _ in titles]
        right = np.array([DEPARTMENTS[int(p.argmax())] == department for p, (_, department, _) in zip(found, titles, strict=True)])
        sure = np.array([p.max() >= LEAST_PROBABILITY for p in found])
        print(f"{name}: {len(titles)} titles, {right.mean():.3f} right; answers {sure.mean():.3f}, of these {right[sure].mean():.3f} right")


def main() -> None:
    folder = Path(sys.argv[1])
    rules = TitleRules(load_tables())
    listed = list(list_titles(folder))
    examples = [one for one in listed if not is_held_back(one[0])] + list(rule_titles(rules)) + list(labelled_titles())
    matrix, bias = fit(examples)
    weights, scales = quantise(matrix)
    np.savez_compressed(TARGET, weights=weights, scales=scales, bias=bias.astype(np.float32))
    print(f"{len(examples)} examples, {TARGET.stat().st_size:,} bytes")
    print_figures(TitleModel(weights, scales, bias.astype(np.float32)), [one for one in listed if is_held_back(one[0])], rules)


if __name__ == "__main__":
    main()
