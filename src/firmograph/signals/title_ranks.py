"""Whether one job title ranks above another at the same company (docs/reference/signals.md#job-moves).

A promotion is a rise in seniority, as titles show it by today's rules (`directory.titles`), or a title that ranks
higher at the same seniority: by a ladder of its trade, by words like senior or deputy, by a level number. How words
count stands in `title_ranks.toml`. What does not clearly rank higher is no promotion: another spelling, another order
of words, another language, a sideways step, a more exact name of the same post.
"""

from collections import defaultdict
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from firmograph.directory.titles import derive_seniority
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.signals.title_forms import (
    ENDS,
    TABLE,
    Words,
    bag,
    compared_words,
    has,
    respelled,
    split,
    stands,
    translated,
)

_RANK = {label: rank for rank, label in SENIORITIES.items()}
_OUT_OF_WORK, _SPECIALIST, _SENIOR, _MANAGER = 1, 3, 4, 5
_MOST_LEVEL = 9

_GRADES: dict[str, float] = TABLE["grades"]
_POSTS: dict[Words, float] = {split(key): value for key, value in TABLE["posts"].items()}
_REACH: dict[str, int] = TABLE["reach"]
_THINGS = tuple(map(split, TABLE["things"]["words"]))
_PLACES = frozenset(TABLE["places"]["words"])


class _Rung(NamedTuple):
    ladder: int
    height: int
    phrase: str


_ONLY = [tuple(map(split, ladder.get("only", ()))) for ladder in TABLE["ladders"]]
"""Of each ladder the phrases one of which a title on it must have, if any are named."""
_COMPLETE = {number for number, ladder in enumerate(TABLE["ladders"]) if ladder.get("complete")}
_RUNGS = [
    _Rung(number, height, phrase)
    for number, ladder in enumerate(TABLE["ladders"])
    for height, phrases in enumerate(ladder["rungs"])
    for phrase in phrases
]
_ENDINGS = [rung for rung in _RUNGS if rung.phrase.startswith("*")]
_BY_WORD: dict[str, list[_Rung]] = defaultdict(list)
for _rung in _RUNGS:
    if _rung not in _ENDINGS:
        _BY_WORD[split(_rung.phrase.removeprefix("="))[0]].append(_rung)


def rises(old: str, new: str) -> bool:
    """Whether `new` ranks above `old`; never when one of them is empty."""
    before, after = compared_words(old), compared_words(new)
    if not before or not after or bag(before) == bag(after):
        return False
    before = respelled(before, after)
    if bag(before) == bag(after) or translated(old, new):
        return False
    lower, higher = _heights(before), _heights(after)
    for ladder in sorted(lower.keys() & higher.keys()):
        if ladder in _COMPLETE or lower[ladder] != higher[ladder]:
            return higher[ladder] > lower[ladder]
    return _outranks(before, after)


@lru_cache(maxsize=65_536)
def _heights(words: Words) -> dict[int, int]:
    """The ladders that a title stands on, and how high: the longest phrase counts."""
    words = tuple(word for word in words if word == "," or word not in ENDS)
    near = [rung for word in dict.fromkeys(words) for rung in _BY_WORD.get(word, ())] + _ENDINGS
    on = [rung for rung in near if stands(words, rung.phrase)]
    on.sort(key=lambda rung: (rung.ladder, len(rung.phrase), rung.height))
    return {
        rung.ladder: rung.height
        for rung in on
        if not _ONLY[rung.ladder] or any(has(words, phrase) for phrase in _ONLY[rung.ladder])
    }


# --- seniority, and grade at the same seniority ---


class _Place(NamedTuple):
    """Where a title stands, off the ladders of trades."""

    rank: int
    grade: float
    reach: int | None
    level: int
    rest: frozenset[str]
    """What the title is about: its words without those that grade it."""


@lru_cache(maxsize=65_536)
def _place(words: Words) -> _Place:
    level, words = _level(words)
    rank = _RANK[derive_seniority(" ".join(words)) or "Non-Manager"]
    # what grades something stands before it: at the end of a part it is a post of its own
    grading = [word for word, then in pairwise((*words, ",")) if word in _GRADES and then not in ENDS]
    posts = [phrase for phrase in _POSTS if _holds(words, phrase, rank)]
    grade = sum(_GRADES[word] for word in grading) + max((_POSTS[phrase] for phrase in posts), default=0)
    if (
        rank == _MANAGER
        and "group" not in words
        and any(has(words, (*thing, "manager")) for thing in _THINGS)
    ):
        rank = _SENIOR if "senior" in words else _SPECIALIST
    reach = max((_REACH[word] for word in words if word in _REACH), default=None)
    known = {*grading, *(word for phrase in posts for word in phrase), *_REACH}
    return _Place(rank, grade, reach, level, bag(words) - known)


def _holds(words: Words, phrase: Words, rank: int) -> bool:
    """Whether a title is of this post: at the end of a part, or of one that leads people, anywhere."""
    if rank > _SENIOR and phrase[0] not in _GRADES:
        return has(words, phrase)
    ends = (
        place + len(phrase) for place in range(len(words)) if words[place : place + len(phrase)] == phrase
    )
    return any(end == len(words) or words[end] in ENDS for end in ends)


def _level(words: Words) -> tuple[int, Words]:
    """The level number of a title, 0 where it has none, and its other words."""
    for place, word in enumerate(words):
        if place and word.isdecimal() and int(word) <= _MOST_LEVEL and words[place - 1] not in _PLACES:
            return int(word), words[:place] + words[place + 1 :]
    return 0, words


def _outranks(old: Words, new: Words) -> bool:
    before, after = _place(old), _place(new)
    if _OUT_OF_WORK in (before.rank, after.rank):
        return False
    if before.rank != after.rank:
        return before.rank < after.rank and not _other_track(before, after)
    if before.grade != after.grade:
        # a junior of one trade is not below everyone of another
        akin = before.rank > _SENIOR or not before.rest.isdisjoint(after.rest)
        return akin and before.grade < after.grade
    if before.level != after.level and before.rest == after.rest:
        return max(before.level, 1) < after.level
    return before.reach is not None and after.reach is not None and before.reach < after.reach


def _other_track(before: _Place, after: _Place) -> bool:
    """From the top of those who lead nobody to the lowest who do: a change of track at the same height."""
    return (
        before.rank == _SENIOR
        and before.grade >= _GRADES["staff"]
        and after.rank == _MANAGER
        and after.grade <= 0
    )
