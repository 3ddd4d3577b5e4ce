"""Whether one job title ranks above another at the same company (decisions F, Job signals).

A promotion is a rise in seniority, as titles show it by today's rules (`directory.titles`), or a title that ranks
higher at the same seniority: by a ladder of its trade, by words like senior or deputy, by a level number. How words
count stands in `title_ranks.toml`. What does not clearly rank higher is no promotion: another spelling, another order
of words, another language, a sideways step, a more exact name of the same post.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA

from firmograph.directory.titles import derive_seniority, own_words
from firmograph.directory.vocabulary import SENIORITIES

_Words = tuple[str, ...]

_TABLE: dict[str, Any] = tomllib.loads(files(__package__).joinpath("title_ranks.toml").read_text("utf-8"))
_RANK = {label: rank for rank, label in SENIORITIES.items()}
_OUT_OF_WORK, _SPECIALIST, _SENIOR, _MANAGER = 1, 3, 4, 5
_MOST_LEVEL = 9
_LEVEL = re.compile(r"([a-z]*?)([1-9])", re.ASCII)
_LEAST_LETTERS = 5
"""Of a word that may be a slip of the pen: shorter ones are other words."""


@cache
def _split(text: str) -> _Words:
    return tuple(text.split())


_SAME = {_split(key): _split(value) for key, value in _TABLE["same"].items()}
_IGNORED = frozenset(map(_split, _TABLE["ignored"]["words"]))
_GRADES: dict[str, float] = _TABLE["grades"]
_POSTS: dict[_Words, float] = {_split(key): value for key, value in _TABLE["posts"].items()}
_REACH: dict[str, int] = _TABLE["reach"]
_THINGS = tuple(map(_split, _TABLE["things"]["words"]))
_PLACES = frozenset(_TABLE["places"]["words"])
_LONGEST = max(map(len, (*_SAME, *_IGNORED, *_POSTS)))


class _Rung(NamedTuple):
    ladder: int
    height: int
    phrase: str


_ONLY = [tuple(map(_split, ladder.get("only", ()))) for ladder in _TABLE["ladders"]]
"""Of each ladder the phrases one of which a title on it must have, if any are named."""
_RUNGS = [
    _Rung(number, height, phrase)
    for number, ladder in enumerate(_TABLE["ladders"])
    for height, phrases in enumerate(ladder["rungs"])
    for phrase in phrases
]
_ENDINGS = [rung for rung in _RUNGS if rung.phrase.startswith("*")]
_BY_WORD: dict[str, list[_Rung]] = defaultdict(list)
for _rung in _RUNGS:
    if _rung not in _ENDINGS:
        _BY_WORD[_split(_rung.phrase.removeprefix("="))[0]].append(_rung)
_LANGUAGES: dict[str, tuple[str, ...]] = {name: tuple(some) for name, some in _TABLE["languages"].items()}


def rises(old: str, new: str) -> bool:
    """Whether `new` ranks above `old`; never when one of them is empty."""
    before, after = _compared(old), _compared(new)
    if not before or not after or _bag(before) == _bag(after):
        return False
    before = _respelled(before, after)
    if _bag(before) == _bag(after) or _translated(old, new):
        return False
    lower, higher = _heights(before), _heights(after)
    decides = next((ladder for ladder in lower if lower[ladder] != higher.get(ladder, lower[ladder])), None)
    if decides is not None:
        return higher[decides] > lower[decides]
    return _outranks(before, after)


@lru_cache(maxsize=65_536)
def _heights(words: _Words) -> dict[int, int]:
    """The ladders that a title stands on, in the order of the table, and how high: the longest phrase counts."""
    words = tuple(word for word in words if word != ",")
    near = [rung for word in dict.fromkeys(words) for rung in _BY_WORD.get(word, ())] + _ENDINGS
    on = [rung for rung in near if _stands(words, rung.phrase)]
    on.sort(key=lambda rung: (rung.ladder, len(rung.phrase), rung.height))
    return {
        rung.ladder: rung.height
        for rung in on
        if not _ONLY[rung.ladder] or any(_has(words, phrase) for phrase in _ONLY[rung.ladder])
    }


@lru_cache(maxsize=65_536)
def compared(title: str) -> str:
    """The title in the form in which it is compared: two spellings of one title mostly have the same one."""
    return " ".join(sorted(_bag(_compared(title))))


@lru_cache(maxsize=65_536)
def _compared(title: str) -> _Words:
    """The words that are compared, a "," between the parts of the title."""
    words = [part for word in own_words(title) for part in _parted(word)]
    meant = list(_without(list(_replaced(words, _SAME))))
    return tuple(word for last, word in zip([",", *meant], meant, strict=False) if word != "," or last != ",")


def _bag(words: _Words) -> frozenset[str]:
    return frozenset(words) - {","}


def _parted(word: str) -> Iterator[str]:
    """`sde2` is `sde 2`, and `l4` is `l 4`."""
    found = _LEVEL.fullmatch(word)
    if found and found[1]:
        yield from found.groups()
    else:
        yield word


def _replaced(words: list[str], table: dict[_Words, _Words]) -> Iterator[str]:
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            phrase = tuple(words[place : place + length])
            if phrase in table:
                yield from table[phrase]
                place += length
                break
        else:
            yield words[place]
            place += 1


def _without(words: list[str]) -> Iterator[str]:
    return _replaced(words, dict.fromkeys(_IGNORED, ()))


def _respelled(words: _Words, other: _Words) -> _Words:
    """With the other title's spelling of each word that is a slip of the pen away from one of its own."""
    own, others = set(words), set(other)

    def meant(word: str) -> str:
        if word in others or len(word) < _LEAST_LETTERS:
            return word
        near = (one for one in others - own if len(one) >= _LEAST_LETTERS and OSA.distance(word, one) == 1)
        return min(near, default=word)

    return tuple(map(meant, words))


def _translated(old: str, new: str) -> bool:
    """Whether the ranks of the two are written in different languages."""
    before, after = _languages(old), _languages(new)
    return bool(before and after) and before.isdisjoint(after)


@lru_cache(maxsize=65_536)
def _languages(title: str) -> frozenset[str]:
    words = own_words(title)
    found = {
        name for name, phrases in _LANGUAGES.items() if any(_stands(words, phrase) for phrase in phrases)
    }
    return frozenset(found)


def _has(words: _Words, phrase: _Words) -> bool:
    if phrase[0] not in words:
        return False
    length = len(phrase)
    return length == 1 or any(words[place : place + length] == phrase for place in range(len(words)))


def _stands(words: _Words, phrase: str) -> bool:
    """Whether words have a phrase as the table writes it: "=x" the whole title, "*x" the end of a word."""
    if phrase.startswith("="):
        return words == _split(phrase[1:])
    if phrase.startswith("*"):
        return any(word.endswith(phrase[1:]) for word in words)
    return _has(words, _split(phrase))


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
def _place(words: _Words) -> _Place:
    level, words = _level(words)
    rank = _RANK[derive_seniority(" ".join(words)) or "Non-Manager"]
    # what grades something stands before it: at the end of a part it is a post of its own
    grading = [word for word, then in pairwise((*words, ",")) if word in _GRADES and then != ","]
    posts = [phrase for phrase in _POSTS if _holds(words, phrase, rank)]
    grade = sum(_GRADES[word] for word in grading) + max((_POSTS[phrase] for phrase in posts), default=0)
    if (
        rank == _MANAGER
        and "group" not in words
        and any(_has(words, (*thing, "manager")) for thing in _THINGS)
    ):
        rank = _SENIOR if "senior" in words else _SPECIALIST
    reach = max((_REACH[word] for word in words if word in _REACH), default=None)
    known = {*grading, *(word for phrase in posts for word in phrase), *_REACH}
    return _Place(rank, grade, reach, level, _bag(words) - known)


def _holds(words: _Words, phrase: _Words, rank: int) -> bool:
    """Whether a title is of this post: at the end of a part, or of one that leads people, anywhere."""
    if rank > _SENIOR and phrase[0] not in _GRADES:
        return _has(words, phrase)
    return _has((*words, ","), (*phrase, ","))


def _level(words: _Words) -> tuple[int, _Words]:
    """The level number of a title, 0 where it has none, and its other words."""
    for place, word in enumerate(words):
        if place and word.isdigit() and int(word) <= _MOST_LEVEL and words[place - 1] not in _PLACES:
            return int(word), words[:place] + words[place + 1 :]
    return 0, words


def _outranks(old: _Words, new: _Words) -> bool:
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
