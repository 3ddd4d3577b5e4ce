"""Measurement of the score of website visits on sessions of a shop, which are not in this repository.

    python -m evaluation.visits DATA [--half tune|test]

DATA is the folder of the open data. The half of a session is set by its line number; the pages of high intent were
chosen by the tune half alone.
"""

import argparse
import csv
import gzip
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.visits.score import engagement

_KINDS: Final = ("Administrative", "Informational", "ProductRelated")
"""Kinds of pages of the shop, with the seconds spent on them as `_Duration`."""
_CHOICES: Final = ((), *((kind,) for kind in _KINDS), ("Administrative", "Informational"))
"""Kinds whose pages may count as of high intent."""
INTENT: Final = ("Administrative", "Informational")
"""The best of these on the tune half."""
_RESAMPLES: Final = 1_000
_SEED: Final = 20261128


class ShopSession(NamedTuple):
    pages: Mapping[str, int]
    """By kind."""
    seconds: float
    bought: bool


def read_sessions(data: Path, *, tuned: bool) -> list[ShopSession]:
    """Return the sessions of one half."""
    with gzip.open(data / "visits" / "online_shoppers_sessions.csv.gz", "rt", encoding="utf-8") as file:
        return [
            ShopSession(
                {kind: int(row[kind]) for kind in _KINDS},
                sum(float(row[f"{kind}_Duration"]) for kind in _KINDS),
                row["Revenue"] == "TRUE",
            )
            for line, row in enumerate(csv.DictReader(file), 2)
            if is_tuned(line) is tuned
        ]


def is_tuned(line: int) -> bool:
    return blake2b(f"{line}".encode(), digest_size=1).digest()[0] < 128


def page_counts(sessions: Sequence[ShopSession]) -> NDArray[np.float64]:
    return np.array([float(sum(one.pages.values())) for one in sessions])


def engagements(sessions: Sequence[ShopSession], intent: Sequence[str] = INTENT) -> NDArray[np.float64]:
    """Return the part of the score that does not fade, of each session by itself."""
    return engagement(
        np.ones(len(sessions)),
        np.array([one.seconds / 60 for one in sessions]),
        np.array([float(sum(one.pages[kind] for kind in intent)) for one in sessions]),
    )


def auc(values: NDArray[np.float64], bought: NDArray[np.bool_]) -> float:
    """Return the share of pairs of a purchase and another session in which the purchase has more; ties count half."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    purchases = int(bought.sum())
    above = ranks[at][bought].sum() - purchases * (purchases + 1) / 2
    return float(above / (purchases * (len(values) - purchases)))


def difference_interval(
    ours: NDArray[np.float64], other: NDArray[np.float64], bought: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the 95 % interval of the difference of both figures over resampled sessions."""
    rng = np.random.default_rng(_SEED)
    differences = []
    for _ in range(_RESAMPLES):
        drawn = rng.integers(0, len(bought), len(bought))
        differences.append(auc(ours[drawn], bought[drawn]) - auc(other[drawn], bought[drawn]))
    low, high = np.percentile(differences, (2.5, 97.5))
    return float(low), float(high)


def table(sessions: Sequence[ShopSession], *, tuned: bool) -> Iterator[str]:
    bought = np.array([one.bought for one in sessions])
    counts = page_counts(sessions)
    yield f"{len(sessions):,} sessions, {int(bought.sum()):,} with a purchase\n"
    yield "| session's | AUC on purchase |"
    yield "| --- | ---: |"
    for intent in _CHOICES if tuned else (INTENT,):
        named = f"pages of high intent: {' and '.join(intent) or 'none'}"
        yield f"| engagement, {named} | {auc(engagements(sessions, intent), bought):.3f} |"
    yield f"| number of page views | {auc(counts, bought):.3f} |"
    low, high = difference_interval(engagements(sessions), counts, bought)
    yield f"\nDifference, 95 % interval over sessions: {low:+.3f} to {high:+.3f}."


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the score of website visits.")
    parser.add_argument("data", type=Path, help="the folder of the open data")
    parser.add_argument("--half", choices=("tune", "test"), default="test")
    options = parser.parse_args()
    tuned = options.half == "tune"
    print(f"## Score of website visits, {options.half} half\n")
    for line in table(read_sessions(options.data, tuned=tuned), tuned=tuned):
        print(line, flush=True)


if __name__ == "__main__":
    main()
