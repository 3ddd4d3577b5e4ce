"""Chapters of open meetings: boundaries compared with those that people set, and with simple methods."""

import random
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from evaluation.conversations.gold import Meeting
from firmograph.conversations.analysis.chapters import find_boundaries
from firmograph.conversations.analysis.sentences import split_transcript

_TURNS: Final = 5
_SHARE: Final = 0.02

Boundaries = Sequence[int]
Method = Callable[[Meeting, int], Boundaries]
"""Boundaries of a meeting, given how many the analyser finds there."""


class Matches(NamedTuple):
    labelled: int
    found: int
    right: int

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.labelled + self.found) if self.labelled + self.found else 0.0


def ours(meeting: Meeting) -> Boundaries:
    sentences = split_transcript(meeting.transcript, (), is_english=True)
    return find_boundaries(meeting.transcript, sentences, is_english=True)


def even(meeting: Meeting, count: int) -> Boundaries:
    turns = len(meeting.transcript.segments)
    return [round(turns * part / (count + 1)) for part in range(1, count + 1)]


def drawn(meeting: Meeting, count: int) -> Boundaries:
    turns = len(meeting.transcript.segments)
    return sorted(random.Random(meeting.key).sample(range(1, turns), min(count, turns - 1)))


def match(meetings: Sequence[Meeting], found: Sequence[Boundaries]) -> Matches:
    """Count the boundaries within 5 turns, or 2 % of the meeting, of a labelled one; each counts once."""
    labelled = right = 0
    for meeting, boundaries in zip(meetings, found, strict=True):
        wanted = meeting.boundaries or ()
        labelled += len(wanted)
        tolerance = max(_TURNS, _SHARE * len(meeting.transcript.segments))
        near = sorted(
            (abs(one - other), first, second)
            for first, one in enumerate(wanted)
            for second, other in enumerate(boundaries)
            if abs(one - other) <= tolerance
        )
        used: tuple[set[int], set[int]] = (set(), set())
        for _, first, second in near:
            if first not in used[0] and second not in used[1]:
                used[0].add(first)
                used[1].add(second)
        right += len(used[0])
    return Matches(labelled, sum(map(len, found)), right)


def pk(meetings: Sequence[Meeting], found: Sequence[Boundaries]) -> float:
    """Return the mean Pk: how often two turns half a part apart are wrongly said to be in one part or in two."""
    return sum(map(_pk, meetings, found)) / len(meetings)


def _pk(meeting: Meeting, found: Boundaries) -> float:
    turns, wanted = len(meeting.transcript.segments), meeting.boundaries or ()
    width = max(2, round(turns / (len(wanted) + 1) / 2))
    parts = [_parts(turns, one) for one in (wanted, found)]
    wrong = [
        (parts[0][at] == parts[0][at + width]) != (parts[1][at] == parts[1][at + width])
        for at in range(turns - width)
    ]
    return sum(wrong) / len(wrong) if wrong else 0.0


def _parts(turns: int, boundaries: Boundaries) -> list[int]:
    starts = set(boundaries)
    number = 0
    return [number := number + (turn in starts) for turn in range(turns)]
