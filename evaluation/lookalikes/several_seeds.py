"""Ways to make queries of several seeds, on lists of one kind and on lists mixed of several."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.lookalikes.methods import Combination, Method
from evaluation.lookalikes.trials import Trial, mixed_trials, plain_trials, recall, weakest
from evaluation.lookalikes.worlds import World
from firmograph.lookalikes.index.seed_queries import queries_of_seeds

_CENTRES: Final = 3
_ROUNDS: Final = 20


class Figures(NamedTuple):
    """Means over the trials of one kind."""

    trials: int
    recall: float
    weakest: float
    """Results of the list of which the fewest are found."""


def combinations() -> dict[str, Combination]:
    return {
        "one mean": one_mean,
        "centres": centres,
        "mean and centres": lambda seeds: np.concatenate((one_mean(seeds), centres(seeds))),
        "every seed by itself": lambda seeds: seeds,
        "groups drawn to the mean": queries_of_seeds,
    }


def kinds_of_trials(world: World, names: Sequence[str], repeats: int, mixed: int) -> dict[str, list[Trial]]:
    """Return trials by kind: for each list as many as `repeats`, of each mixture as many as `mixed`."""
    return {
        "10 of one": plain_trials(world, names, 10, repeats),
        "30 of one": plain_trials(world, names, 30, repeats),
        "5 + 5": mixed_trials(world, names, (5, 5), mixed),
        "7 + 3": mixed_trials(world, names, (7, 3), mixed),
        "15 + 15": mixed_trials(world, names, (15, 15), mixed),
        "4 + 4 + 4": mixed_trials(world, names, (4, 4, 4), mixed),
    }


def measure_trials(trials: Mapping[str, Sequence[Trial]], method: Method) -> dict[str, Figures]:
    return {kind: _figures(found, method) for kind, found in trials.items()}


def _figures(trials: Sequence[Trial], method: Method) -> Figures:
    results = [(trial, method(trial)) for trial in trials]
    return Figures(
        len(trials),
        float(np.mean([recall(trial, found) for trial, found in results])),
        float(np.mean([weakest(trial, found) for trial, found in results])),
    )


def one_mean(seeds: NDArray[np.float32]) -> NDArray[Any]:
    return _unit(seeds.sum(axis=0, keepdims=True))


def centres(seeds: NDArray[np.float32]) -> NDArray[Any]:
    """Return centres by k-means, one for three seeds and at most three, from seeds that are far apart."""
    alike = seeds @ seeds.T
    chosen = [int(alike.sum(axis=1).argmin())]
    while len(chosen) < min(_CENTRES, len(seeds) // _CENTRES):
        chosen.append(int(alike[:, chosen].max(axis=1).argmin()))
    found = seeds[chosen]
    for _ in range(_ROUNDS):
        nearest = (seeds @ found.T).argmax(axis=1)
        found = _unit(np.array([seeds[nearest == each].sum(axis=0) for each in np.unique(nearest)]))
    return found


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))
