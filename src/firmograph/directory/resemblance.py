"""Similarity of any two names, for an operator and for measurement; no look-up is decided by it."""

from firmograph.directory.matching import score_names
from firmograph.directory.names import fold, name_words
from firmograph.directory.spelling_scores import sound_similarity

Name = tuple[str, str]


def resemblance(one: Name, other: Name) -> float:
    """Return the similarity, from 0 to 1, of two (first, last) names."""
    score = max(score_names(one, other), score_names(other, one))
    return score if score >= 0.86 else 0.0
