"""Search of open meetings by their own questions: BM25 over the words of transcripts."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from evaluation.conversations.gold import Meeting
from firmograph.conversations.words import spoken_words

_K1: Final = 1.2
_B: Final = 0.75


class Ranking(NamedTuple):
    """Ranks of the meetings whose questions were asked."""

    ranks: tuple[int, ...]

    def recall(self, at: int) -> float:
        return sum(rank <= at for rank in self.ranks) / len(self.ranks)

    @property
    def reciprocal(self) -> float:
        return sum(1 / rank for rank in self.ranks) / len(self.ranks)


def rank(meetings: Sequence[Meeting], asked: Sequence[Meeting]) -> dict[str, Ranking]:
    """Return the ranks of the meetings asked for among all, by kind and over all; of ties the worst counts."""
    counts = [
        Counter(word for segment in one.transcript.segments for word in spoken_words(segment.text))
        for one in meetings
    ]
    postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, of_meeting in enumerate(counts):
        for word, count in of_meeting.items():
            postings[word].append((number, count))
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(lengths)
    norms = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
    numbers = {one.key: number for number, one in enumerate(meetings)}
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for meeting in asked:
        for question in meeting.questions:
            scores = [0.0] * len(meetings)
            for word in set(spoken_words(question)):
                having = postings[word]
                weight = math.log(1 + (len(meetings) - len(having) + 0.5) / (len(having) + 0.5))
                for number, count in having:
                    scores[number] += weight * count * (_K1 + 1) / (count + norms[number])
            place = sum(score >= scores[numbers[meeting.key]] for score in scores)
            ranks[meeting.kind].append(place)
            ranks["all"].append(place)
    return {kind: Ranking(tuple(found)) for kind, found in sorted(ranks.items())}
