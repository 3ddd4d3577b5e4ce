"""Choice of the person that a name means among an employer's people."""

from collections.abc import Sequence
from typing import NamedTuple

from firmograph.directory.matching import score_names
from firmograph.directory.name_scores import NameScore

Candidate = tuple[int, str, str]
"""Id, first and last name."""


class Choice(NamedTuple):
    number: int
    score: NameScore


class Ranking(NamedTuple):
    """People by their score, the best first."""

    best: list[Choice]

    def choose(self, threshold: float, margin: float) -> Choice | None:
        """Return the person who clearly matches the query; None in case of doubt.

        The score must reach `threshold` and exceed every other id's by `margin`. A single person with exactly the
        queried name wins against all others.
        """
        if not self.best or self.best[0].score < threshold:
            return None
        score = self.best[0].score
        rival = self.best[1].score if len(self.best) > 1 else 0.0
        # products of two-digit figures are inexact beyond the two digits of the margin
        return self.best[0] if score - rival >= margin - 1e-9 or score == 1.0 > rival else None


def rank_candidates(query: tuple[str, str], candidates: Sequence[Candidate]) -> Ranking:
    """Return the ranking of candidates by the score of their names; of an id's names the best counts."""
    best: dict[int, NameScore] = {}
    for number, first, last in candidates:
        score = score_names(query, (first, last))
        if number not in best or score > best[number]:
            best[number] = score
    ranked = [Choice(number, score) for number, score in best.items()]
    if len(ranked) > 1:
        ranked.sort(key=lambda choice: -choice.score)
    return Ranking(ranked)


def choose_candidate(
    query: tuple[str, str], candidates: Sequence[Candidate], threshold: float, margin: float
) -> int | None:
    """Return the id of the candidate that clearly matches the query; None in case of doubt."""
    choice = rank_candidates(query, candidates).choose(threshold, margin)
    return choice.number if choice else None
