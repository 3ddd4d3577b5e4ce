"""Ranking of job titles at one company (docs/reference/signals.md#job-moves).

A promotion is a rise in seniority, as derived from titles (`directory.titles`), or a title that ranks higher at the
same seniority: by the ladder of its trade, by words such as senior or deputy, or by a level number. `title_ranks.toml`
has the weights of words. A title that does not clearly rank higher is no promotion: another spelling, word order or
language, a sideways step, a more exact name of the same post.
"""

from collections import defaultdict
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from firmograph.directory.titles.derivation import derive_seniority
from firmograph.directory.vocabulary import SENIORITIES
from firmograph.signals.job_moves.title_forms import (
    ENDS,
    TABLE,
    Words,
    align_spelling,
    are_translations,
    comparison_words,
    has_phrase,
    matches_phrase,
    phrase_words,
    word_set,
)

_RANK = {label: rank for rank, label in SENIORITIES.items()}
_OUT_OF_WORK, _SPECIALIST, _SENIOR, _MANAGER = 1, 3, 4, 5
_MOST_LEVEL = 9

_GRADES: dict[str, float] = TABLE["grades"]
_POSTS: dict[Words, float] = {phrase_words(key): value for key, value in TABLE["posts"].items()}
_REACH: dict[str, int] = TABLE["reach"]
_THINGS = tuple(map(phrase_words, TABLE["things"]["words"]))
_LOCATION_WORDS = frozenset(TABLE["places"]["words"])


class _Rung(NamedTuple):
    ladder: int
    height: int
    phrase: str


_ONLY = [tuple(map(phrase_words, ladder.get("only", ()))) for ladder in TABLE["ladders"]]
"""Phrases of each ladder of which its titles must have one; empty without such a condition."""
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
        _BY_WORD[phrase_words(_rung.phrase.removeprefix("="))[0]].append(_rung)


def ranks_higher(old: str, new: str) -> bool:
    """Return whether `new` ranks above `old`; False if one of them is empty."""
    before, after = comparison_words(old), comparison_words(new)
    if not before or not after or word_set(before) == word_set(after):
        return False
    before = align_spelling(before, after)
    if word_set(before) == word_set(after) or are_translations(old, new):
        return False
    lower, higher = _heights(before), _heights(after)
    for ladder in sorted(lower.keys() & higher.keys()):
        if ladder in _COMPLETE or lower[ladder] != higher[ladder]:
            return higher[ladder] > lower[ladder]
    return _outranks(before, after)


@lru_cache(maxsize=65_536)
def _heights(words: Words) -> dict[int, int]:
    """Return the height of a title on each of its ladders; the longest phrase counts."""
    words = tuple(word for word in words if word == "," or word not in ENDS)
    near = [rung for word in dict.fromkeys(words) for rung in _BY_WORD.get(word, ())] + _ENDINGS
    on = [rung for rung in near if matches_phrase(words, rung.phrase)]
    on.sort(key=lambda rung: (rung.ladder, len(rung.phrase), rung.height))
    return {
        rung.ladder: rung.height
        for rung in on
        if not _ONLY[rung.ladder] or any(has_phrase(words, phrase) for phrase in _ONLY[rung.ladder])
    }


# --- seniority, and grade at the same seniority ---


class _TitleRank(NamedTuple):
    """Rank of a title independent of the ladders of trades."""

    rank: int
    grade: float
    reach: int | None
    level: int
    rest: frozenset[str]
    """Words of the subject, without those that grade it."""


@lru_cache(maxsize=65_536)
def _title_rank(words: Words) -> _TitleRank:
    level, words = _level(words)
    rank = _RANK[derive_seniority(" ".join(words)) or "Non-Manager"]
    # a grading word precedes what it grades: at the end of a part it is a post of its own
    grading = [word for word, then in pairwise((*words, ",")) if word in _GRADES and then not in ENDS]
    posts = [phrase for phrase in _POSTS if _has_post(words, phrase, rank)]
    grade = sum(_GRADES[word] for word in grading) + max((_POSTS[phrase] for phrase in posts), default=0)
    if (
        rank == _MANAGER
        and "group" not in words
        and any(has_phrase(words, (*thing, "manager")) for thing in _THINGS)
    ):
        rank = _SENIOR if "senior" in words else _SPECIALIST
    reach = max((_REACH[word] for word in words if word in _REACH), default=None)
    known = {*grading, *(word for phrase in posts for word in phrase), *_REACH}
    return _TitleRank(rank, grade, reach, level, word_set(words) - known)


def _has_post(words: Words, phrase: Words, rank: int) -> bool:
    """Return whether a title has this post: at the end of a part, or anywhere for posts that lead people."""
    if rank > _SENIOR and phrase[0] not in _GRADES:
        return has_phrase(words, phrase)
    ends = (
        start + len(phrase) for start in range(len(words)) if words[start : start + len(phrase)] == phrase
    )
    return any(end == len(words) or words[end] in ENDS for end in ends)


def _level(words: Words) -> tuple[int, Words]:
    """Return the level number of a title, 0 without one, and its other words."""
    for index, word in enumerate(words):
        if (
            index
            and word.isdecimal()
            and int(word) <= _MOST_LEVEL
            and words[index - 1] not in _LOCATION_WORDS
        ):
            return int(word), words[:index] + words[index + 1 :]
    return 0, words


def _outranks(old: Words, new: Words) -> bool:
    before, after = _title_rank(old), _title_rank(new)
    if _OUT_OF_WORK in (before.rank, after.rank):
        return False
    if before.rank != after.rank:
        return before.rank < after.rank and not _changes_track(before, after)
    if before.grade != after.grade:
        # a junior of one trade does not rank below every title of another
        comparable = before.rank > _SENIOR or not before.rest.isdisjoint(after.rest)
        return comparable and before.grade < after.grade
    if before.level != after.level and before.rest == after.rest:
        return max(before.level, 1) < after.level
    return before.reach is not None and after.reach is not None and before.reach < after.reach


def _changes_track(before: _TitleRank, after: _TitleRank) -> bool:
    """Return whether a top specialist becomes a low manager: a change of track at the same height."""
    return (
        before.rank == _SENIOR
        and before.grade >= _GRADES["staff"]
        and after.rank == _MANAGER
        and after.grade <= 0
    )
