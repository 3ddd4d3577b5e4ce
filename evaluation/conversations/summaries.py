"""Summaries of open meetings by ROUGE-L against human ones, next to those of simple methods."""

import random
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from scipy.sparse import csr_matrix

from evaluation.conversations.gold import Meeting
from firmograph.conversations.analysis.rules import load_rules
from firmograph.conversations.analysis.sentences import SpokenSentence, quote, split_transcript
from firmograph.conversations.analysis.summary import summarise

WORDS: Final = 110
_SAMPLES: Final = 10_000
_DAMPING: Final = 0.85
_ROUNDS: Final = 50
_WORD: Final = re.compile(r"[a-z0-9]+")

Method = Callable[[Sequence[SpokenSentence], random.Random], str]


class Difference(NamedTuple):
    """Difference of two means over the same meetings, with its 95 % interval by bootstrap."""

    mean: float
    low: float
    high: float


def rouge_l(candidate: str, reference: str) -> float:
    """Return ROUGE-L (F1) of the words of two texts, without stemming."""
    one, other = _words(candidate), _words(reference)
    common = LCSseq.similarity(one, other)
    return 2 * common / (len(one) + len(other)) if common else 0.0


def score_methods(meetings: Sequence[Meeting]) -> dict[str, NDArray[np.float64]]:
    """Return ROUGE-L of each method for each meeting; all get the same sentences, quoted alike, and 110 words."""
    scores: dict[str, list[float]] = {name: [] for name in METHODS}
    for meeting in meetings:
        sentences = split_transcript(meeting.transcript, (), is_english=True)
        for name, method in METHODS.items():
            text = method(sentences, random.Random(meeting.key))
            scores[name].append(rouge_l(" ".join(_words(text)[:WORDS]), meeting.summary))
    return {name: np.array(values) for name, values in scores.items()}


def difference(one: NDArray[np.float64], other: NDArray[np.float64]) -> Difference:
    apart = one - other
    drawn = np.random.default_rng(20260101).integers(0, len(apart), (_SAMPLES, len(apart)))
    low, high = np.percentile(apart[drawn].mean(axis=1), (2.5, 97.5))
    return Difference(float(apart.mean()), float(low), float(high))


def _ours(sentences: Sequence[SpokenSentence], _: random.Random) -> str:
    return summarise(sentences, load_rules().summary.words) or ""


def _first(sentences: Sequence[SpokenSentence], _: random.Random) -> str:
    return _until_full(sentences, range(len(sentences)))


def _random(sentences: Sequence[SpokenSentence], seeded: random.Random) -> str:
    order = list(range(len(sentences)))
    seeded.shuffle(order)
    return _until_full(sentences, order)


def _text_rank(sentences: Sequence[SpokenSentence], _: random.Random) -> str:
    """Return the sentences that TextRank (Mihalcea and Tarau, 2004) puts first: PageRank over shared words."""
    sets = [set(_words(one.text)) for one in sentences]
    numbers = [number for number, words in enumerate(sets) if len(words) > 1]
    columns: dict[str, int] = {}
    pairs = [
        (row, columns.setdefault(word, len(columns)))
        for row, number in enumerate(numbers)
        for word in sets[number]
    ]
    rows, places = zip(*pairs, strict=True)
    having = csr_matrix((np.ones(len(pairs)), (rows, places)))
    shared = np.asarray((having @ having.T).todense())
    np.fill_diagonal(shared, 0)
    lengths = np.log([len(sets[number]) for number in numbers])
    similar = shared / (lengths[:, None] + lengths[None, :])
    totals = similar.sum(axis=1, keepdims=True)
    moves = np.divide(similar, totals, out=np.zeros_like(similar), where=totals > 0).T
    ranks = np.full(len(numbers), 1 / len(numbers))
    for _round in range(_ROUNDS):
        ranks = (1 - _DAMPING) / len(numbers) + _DAMPING * moves @ ranks
    return _until_full(sentences, [numbers[at] for at in np.argsort(-ranks, kind="stable").tolist()])


def _until_full(sentences: Sequence[SpokenSentence], order: Sequence[int]) -> str:
    """Return the sentences of an order up to the limit of words, in the order of the meeting."""
    chosen: dict[int, str] = {}
    words = 0
    for number in order:
        chosen[number] = quote(sentences[number].text)
        words += len(_words(chosen[number]))
        if words >= WORDS:
            break
    return " ".join(chosen[number] for number in sorted(chosen))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


METHODS: Final[dict[str, Method]] = {
    "ours": _ours,
    "first 110 words": _first,
    "random sentences": _random,
    "TextRank": _text_rank,
}
