"""Trials: seeds drawn from one list or from several, and the members that are to be found."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.lookalikes.worlds import World

FOUND = 50
"""Results that are looked at."""
_APART = 0.1
"""Greatest part of a list that may be in another one of the same trial."""


class Trial(NamedTuple):
    """Seeds of one list or of several, and the rest of each list."""

    lists: tuple[str, ...]
    seeds: NDArray[np.int64]
    held_out: tuple[frozenset[int], ...]
    """What is to be found of each list; a member of two of the lists counts for none."""


def is_tuned(name: str) -> bool:
    """Return whether a list belongs to the half for which weights may be changed."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def lists_of(world: World, *, tuned: bool) -> list[str]:
    """Return the names of the lists of one half."""
    return [name for name in world.lists if is_tuned(name) == tuned]


def plain_trials(world: World, names: Sequence[str], seeds: int, repeats: int) -> list[Trial]:
    """Return trials of single lists that leave at least as many members as they take."""
    return [
        trial
        for name in names
        if len(world.lists[name]) >= 2 * seeds
        for repeat in range(repeats)
        for trial in _trials(world, (name,), (seeds,), repeat)
    ]


def mixed_trials(world: World, names: Sequence[str], shares: Sequence[int], trials: int) -> list[Trial]:
    """Return trials of several lists, with as many seeds of each as `shares` tells."""
    if len(names) < len(shares):
        return []
    random = np.random.default_rng(len(shares))
    found: list[Trial] = []
    for repeat in range(100 * trials):
        if len(found) == trials:
            break
        drawn = tuple(names[at] for at in random.choice(len(names), len(shares), replace=False))
        found += _trials(world, drawn, shares, repeat)
    return found


def _trials(world: World, names: tuple[str, ...], shares: Sequence[int], repeat: int) -> list[Trial]:
    """Return one trial, or none if the lists overlap or are too small."""
    members = [world.lists[name] for name in names]
    common = {one for at, own in enumerate(members) for other in members[at + 1 :] for one in own & other}
    own = [sorted(one - common) for one in members]
    for all_of_list, rest, share in zip(members, own, shares, strict=True):
        if len(all_of_list) - len(rest) > _APART * len(all_of_list) or len(rest) < 2 * share:
            return []
    random = np.random.default_rng(_number(*names, str(repeat)))
    drawn = [random.choice(rest, share, replace=False) for rest, share in zip(own, shares, strict=True)]
    held_out = tuple(frozenset(rest) - set(seeds.tolist()) for rest, seeds in zip(own, drawn, strict=True))
    return [Trial(names, np.concatenate(drawn).astype(np.int64), held_out)]


def recall(trial: Trial, found: Sequence[int]) -> float:
    """Return the part of the held-out members that is found, at most as many as there are results."""
    held_out = frozenset[int]().union(*trial.held_out)
    return len(held_out.intersection(found)) / min(FOUND, len(held_out))


def weakest(trial: Trial, found: Sequence[int]) -> int:
    """Return the number of results of the list of which the fewest are found."""
    return min(len(rest.intersection(found)) for rest in trial.held_out)


def _number(*texts: str) -> int:
    return int.from_bytes(hashlib.sha256("\n".join(texts).encode()).digest()[:8], "big")
