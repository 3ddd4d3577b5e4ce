"""Linear model of a title's department over character n-grams, for titles that no phrase decides.

Trained by `scripts/build_title_model.py`. The n-grams of each word are hashed; a department's score is the mean of its
weights over the square root of their number, and the scores give probabilities.
"""

from functools import lru_cache
from importlib.resources import as_file, files
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from firmograph.directory.titles.words import Words, own_title_words
from firmograph.directory.vocabulary import DEPARTMENTS

BUCKETS = 1 << 15
SHORTEST, LONGEST = 3, 5
"""Bytes of n-grams, with a mark at either end of a word."""
LEAST_PROBABILITY = 0.5
"""Probability from which the model answers."""


def bucket_numbers(words: Words) -> list[int]:
    """Return the hashed n-grams of the words, each once."""
    return list(set().union(*map(_buckets_of_word, words)))


@lru_cache(maxsize=16_384)
def _buckets_of_word(word: str) -> frozenset[int]:
    if word == ",":
        return frozenset()
    marked = f"<{word}>".encode()
    grams = {marked} | {
        marked[start : start + length]
        for length in range(SHORTEST, LONGEST + 1)
        for start in range(len(marked) - length + 1)
    }
    return frozenset(crc32(gram) % BUCKETS for gram in grams)


class TitleModel:
    def __init__(
        self, weights: NDArray[np.int8], scales: NDArray[np.float32], bias: NDArray[np.float32]
    ) -> None:
        """Take the weights by bucket and department, in steps of each department's scale."""
        self._weights = weights
        self._scales = scales
        self._bias = bias

    def probabilities(self, words: Words) -> NDArray[np.float32]:
        """Return the probability of each department."""
        numbers = bucket_numbers(words)
        sums = self._weights[numbers].sum(axis=0, dtype=np.int32)
        scores = sums * self._scales / np.float32(max(len(numbers), 1) ** 0.5) + self._bias
        exponentials = np.exp(scores - scores.max())
        return np.asarray(exponentials / exponentials.sum(), np.float32)

    def department(self, title: str) -> str | None:
        """Return the most probable department; None if it is not probable enough."""
        found = self.probabilities(own_title_words(title))
        best = int(found.argmax())
        return DEPARTMENTS[best] if found[best] >= LEAST_PROBABILITY else None


@lru_cache(maxsize=1)
def load_model() -> TitleModel:
    with (
        as_file(files("firmograph.directory.titles") / "data" / "model.npz") as path,
        np.load(path) as arrays,
    ):
        return TitleModel(arrays["weights"], arrays["scales"], arrays["bias"])
