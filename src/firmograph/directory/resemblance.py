"""Similarity of any two names, for an operator and for measurement; no look-up is decided by it."""

from typing import Final

from rapidfuzz.distance import OSA

from firmograph.directory.matching import score_names
from firmograph.directory.names import name_words, share_script, without_brackets, without_generation
from firmograph.directory.spelling_scores import sound_similarity

Name = tuple[str, str]
MOST_UNDECIDED: Final = 0.89
"""Limit of the similarity of names that no rule joins, below the threshold of look-ups."""
_WORD_MISSING: Final = 0.9


def resemblance(one: Name, other: Name) -> float:
    """Return the similarity, from 0 to 1, of two (first, last) names.

    Where a rule of `matching.py` joins them, it is that score. Otherwise each word of the shorter name is compared with
    the most similar word of the other one, whatever their order and script.
    """
    score = score_names(one, other)
    if score <= MOST_UNDECIDED:
        score = max(score, score_names(other, one))
    return score if score > MOST_UNDECIDED else MOST_UNDECIDED * _compare_words(_words(one), _words(other))


def _words(name: Name) -> list[str]:
    return without_generation([word for part in name for word in name_words(without_brackets(part)) if part])


def _compare_words(one: list[str], other: list[str]) -> float:
    fewer, more = sorted((one, other), key=len)
    if not fewer:
        return 0.0
    left, similarity = list(more), 1.0
    for word in sorted(fewer, key=len, reverse=True):
        likeness, at = max((_similarity(word, each), at) for at, each in enumerate(left))
        similarity *= likeness
        del left[at]
    similarity = similarity ** (2 / len(fewer)) * _WORD_MISSING ** len(left)
    if len(one) == len(other):
        return float(similarity)
    return float(max(similarity, _similarity("".join(one), "".join(other)) ** 2))


def _similarity(one: str, other: str) -> float:
    if one == other:
        return 1.0
    sound = sound_similarity(one, other)
    if not share_script(one, other):
        return sound
    return (sound + OSA.normalized_similarity(one, other)) / 2
