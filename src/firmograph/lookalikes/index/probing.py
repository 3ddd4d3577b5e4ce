"""Probing: how many lists are searched, and the exact order of what they hold."""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.index.vector_lists import Found, Numbers, Queries, VectorLists

_FIRST_RECORDS: Final = 8_192
"""Records of the lists that are searched first; so few are always searched all."""
_GROWTH: Final = 2
"""Each further round searches until so many times the records are done."""
_QUIET: Final = 0.02
"""Share of the best records that a quiet round changes at most."""
_QUIET_ROUNDS: Final = 2
"""Quiet rounds after each other that end the search. One may be quiet by chance.

With 1,000,000 records, the first 50 then are 0.98 of the right ones or more, also after 20,000 exclusions.
"""
_RECORDS: Final = 128
"""Best records that are considered at least, so that fewer of them are the beginning of more."""

Ties = Callable[[Numbers], npt.NDArray[np.uint64]]
"""Returns what orders records of equal scores."""


def best_records(
    lists: VectorLists,
    queries: Queries,
    order: Numbers,
    selectable: npt.NDArray[np.uint8],
    limit: int,
    ties: Ties,
) -> Found:
    """Return the `limit` selectable records of greatest positive scores, the best first; fewer if there are no more.

    A record's score is the greatest of those by each query. `order` has the lists, the most promising first; further
    ones are searched until it is likely that they hold nothing better.
    """
    count = max(limit, _RECORDS)
    best = Found(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))
    cut, quiet, done = 0.0, 0, 0
    ends = np.cumsum(lists.sizes[order])
    while done < len(order) and quiet < _QUIET_ROUNDS:
        goal = max(_FIRST_RECORDS, _GROWTH * int(ends[done - 1])) if done else _FIRST_RECORDS
        end = min(int(np.searchsorted(ends, goal)) + 1, len(order))
        scores, numbers = lists.nearest(queries, count, order[done:end], selectable)
        cut = max(cut, float(scores[numbers[:, -1] >= 0, -1].max(initial=0.0)))
        previous, best = best, _merge(best, Found(numbers.ravel(), scores.ravel()), count, ties)
        new = int(np.isin(best.numbers, previous.numbers, invert=True).sum())
        quiet = quiet + 1 if len(best.numbers) == count and new <= _QUIET * count else 0
        done = end
    if len(best.numbers) == count and cut >= best.scores[-1]:
        # others of the same score as the last one were cut off, maybe
        every = lists.above(queries, float(best.scores[-1]) - 0.5, order[:done], selectable)
        best = _merge(best, every, count, ties)
    return Found(best.numbers[:limit], best.scores[:limit])


def _merge(best: Found, found: Found, count: int, ties: Ties) -> Found:
    """Return the first of both, each once, with its greatest score."""
    positive = (found.scores > 0) & (found.numbers >= 0)
    numbers = np.concatenate((best.numbers, found.numbers[positive]))
    scores = np.concatenate((best.scores, found.scores[positive]))
    order = np.lexsort((-scores, numbers))
    numbers, scores = numbers[order], scores[order]
    first = np.ones(len(numbers), dtype=np.bool_)
    first[1:] = numbers[1:] != numbers[:-1]
    numbers, scores = numbers[first], scores[first]
    order = np.lexsort((numbers, ties(numbers), -scores))[:count]
    return Found(numbers[order], scores[order])
