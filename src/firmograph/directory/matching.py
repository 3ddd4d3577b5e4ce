"""Similarity of people's names, and the choice among an employer's people.

A score is the product of the similarities of first and last names; the constants below define each. A wrong person is
worse than a miss, so each difference that could join two people (an initial, a typing error, half of a double name)
costs enough that two of them fall below the threshold.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from firmograph.directory.given_names import (
    LONG,
    NICKNAME,
    OTHER_FIRST_NAME,
    SHORT_FORM,
    is_initial,
    is_slip,
    score_given_names,
)
from firmograph.directory.name_scores import EQUAL, NameScore
from firmograph.directory.names import (
    BRACKETED,
    GENERATIONS,
    PARTICLES,
    fold,
    name_words,
    share_script,
    without_brackets,
    without_generation,
)
from firmograph.directory.romanisation import romanise
from firmograph.directory.spelling_scores import (
    LAST_TYPO,
    OTHER_LAST_NAME,
    combine,
    score_first_spelling,
    score_last_spelling,
)

MIDDLE_MISSING: Final = NameScore(0.985, "a middle name on one side")
"""One side has a middle name and the other has none."""
GENERATION_MISSING: Final = NameScore(0.975, "Jr or the like on one side")
"""One side has Jr, the other nothing; `choose_candidate` prefers the exact one."""
PARTICLES_DROPPED: Final = NameScore(0.98, "particles or order of the last name")
SPELT_OUT: Final = NameScore(0.98, "umlaut spelt out")
"""Mueller for Müller."""
SWAPPED: Final = NameScore(0.95, "swapped first and last name")
HALF_OF_DOUBLE: Final = NameScore(0.94, "part of a double last name")
MIDDLE_AS_FIRST: Final = NameScore(0.93, "first name as middle name")
"""Wonda for D. Wonda."""
MIDDLE_AS_NICKNAME: Final = NameScore(0.915, "nickname of the middle name")
"""Zack for William Zachary."""
PATRONYMICS: Final = tuple(
    "ovich evich ovych evych ovic evic owitsch ewitsch ovna evna ivna owna ewna oglu ogly qizi kyzy".split()
)
"""Endings of a father's name behind the first one, in Latin letters."""
PATRONYMIC_LENGTH: Final = 6
MARRIED: Final = NameScore(0.93, "additional last name")
"""Sylvia Wayfer Baker for Sylvia Wayfer."""
WORDS_SPLIT: Final = NameScore(0.9801, "the same words, split elsewhere")
MIDDLE_DIFFERS: Final = NameScore(0.8, "other middle name")
GENERATION_DIFFERS: Final = NameScore(0.5, "another generation")


class _Name(NamedTuple):
    first: tuple[str, ...]
    nick: tuple[str, ...]
    """Nicknames from quotes or brackets."""
    last: tuple[str, ...]
    glued: str
    """The last name without spaces."""
    generation: int


@lru_cache(maxsize=32_768)
def _parse(first: str, last: str) -> _Name:
    nick: tuple[str, ...] = ()
    if '"' in first or "(" in first or "“" in first:
        found = BRACKETED.search(first)
        nick = tuple(fold(found.group()).split()) if found else ()
        first = without_brackets(first)
    first_words = name_words(first)
    last_words = name_words(last)
    generation = 0
    for words in (last_words, first_words):
        if len(words) > 1 and words[-1] in GENERATIONS:
            generation = GENERATIONS[words[-1]]
            words[:] = without_generation(words)
    return _Name(tuple(first_words), nick, tuple(last_words), "".join(last_words), generation)


def score_names(query: tuple[str, str], stored: tuple[str, str]) -> NameScore:
    """Return the confidence, from 0 to 1, that two (first, last) names are one person's; 1 for equal folded names.

    The query may be vaguer than the stored name (an initial, an additional last name, swapped order), not the reverse.
    """
    if query == stored:
        return EQUAL
    queried, known = _parse(*query), _parse(*stored)
    score = _ordered(queried, known)
    if score < SWAPPED and queried.first and known.last:
        swapped = not queried.glued or is_initial(queried.glued)  # no last name, or an initial
        if swapped or "".join(queried.first) == known.glued or queried.first[0] in known.last:
            score = max(score, _ordered(_parse(query[1], query[0]), known) * (EQUAL if swapped else SWAPPED))
    return score


def _ordered(queried: _Name, known: _Name) -> NameScore:
    if not queried.glued:
        return EQUAL if not known.glued and queried.first == known.first else OTHER_LAST_NAME
    last = _last_score(queried, known) or score_last_spelling(queried.last, known.last)
    if not last:
        return _joined_score(queried, known) or _married_score(queried, known)
    first = _first_score(queried, known) or _first_spelling_score(queried.first, known.first)
    if not first:
        return first
    if last < 1.0 and queried.first + queried.last == known.first + known.last:
        return WORDS_SPLIT
    score = combine(first, last)
    if queried.generation != known.generation:
        score *= GENERATION_DIFFERS if queried.generation and known.generation else GENERATION_MISSING
    return score


def _joined_score(queried: _Name, known: _Name) -> NameScore:
    """Return the score of the same letters, divided into words and names elsewhere."""
    if not queried.first or not known.first or not known.glued or is_initial(known.first[0]):
        return OTHER_LAST_NAME
    joined = "".join(queried.first) + queried.glued == "".join(known.first) + known.glued
    return WORDS_SPLIT if joined else OTHER_LAST_NAME


def _married_score(queried: _Name, known: _Name) -> NameScore:
    """Return the score of a query with an additional last name after the stored one."""
    size = len(known.last)
    if len(queried.first) <= size or queried.first[-size:] != known.last or not known.first or not size:
        return OTHER_LAST_NAME
    first = queried.first[:-size]
    return MARRIED * _first_words_score(first, known.first) if not is_initial(first[0]) else OTHER_LAST_NAME


def _last_score(queried: _Name, known: _Name) -> NameScore:
    if queried.glued == known.glued:
        return EQUAL
    return _last_words_score(queried.last, known.last)


@lru_cache(maxsize=32_768)
def _last_words_score(one: tuple[str, ...], other: tuple[str, ...]) -> NameScore:
    a, b = "".join(one), "".join(other)
    if not a or not b:
        return OTHER_LAST_NAME
    if _plain(a) == _plain(b):
        return SPELT_OUT
    words = [word for word in one if word not in PARTICLES] or list(one)
    others = [word for word in other if word not in PARTICLES] or list(other)
    if "".join(words) == "".join(others):
        return PARTICLES_DROPPED
    if len(words) != len(others):
        fewer, more = sorted((words, others), key=len)
        return HALF_OF_DOUBLE if len(fewer[0]) > 1 and set(fewer) <= set(more) else OTHER_LAST_NAME
    if len(words) > 1 and sorted(words) == sorted(others):
        return PARTICLES_DROPPED
    return LAST_TYPO if min(len(a), len(b)) >= LONG and is_slip(a, b) else OTHER_LAST_NAME


def _plain(word: str) -> str:
    """Replace the two-letter spellings of umlauts by one letter."""
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def _first_score(queried: _Name, known: _Name) -> NameScore:
    one, other = queried.first, known.first
    if one == other:
        return EQUAL
    if not one or not other:
        return OTHER_FIRST_NAME
    score = _first_words_score(one, other)
    if queried.nick:
        score = max(score, NICKNAME * _first_words_score(queried.nick, other))
    if known.nick:
        score = max(score, NICKNAME * _first_words_score(one, known.nick))
    return score


@lru_cache(maxsize=65_536)
def _first_words_score(one: tuple[str, ...], other: tuple[str, ...]) -> NameScore:
    if len(one) == len(other) == 1:
        return score_given_names(one[0], other[0])
    if "".join(one) == "".join(other):
        return EQUAL
    score = score_given_names(one[0], other[0])
    if score:
        score *= _middle_score(one[1:], other[1:])
    return max(score, _as_middle_name(one, other), _as_middle_name(other, one))


def _as_middle_name(one: tuple[str, ...], other: tuple[str, ...]) -> NameScore:
    """Return the score of one side's first name as a middle name of the other."""
    name, score = one[0], OTHER_FIRST_NAME
    if not is_initial(name):
        for word in other[1:]:
            if word == name:
                return MIDDLE_AS_FIRST
            if not is_initial(word) and score_given_names(name, word) >= SHORT_FORM:
                score = MIDDLE_AS_NICKNAME
    return score


def _middle_score(one: tuple[str, ...], other: tuple[str, ...]) -> NameScore:
    """Return the factor for middle names: if both sides have some, at least the initials must agree."""
    if one == other:
        return EQUAL
    if not one or not other:
        return MIDDLE_MISSING
    if _agree(one, other):
        return EQUAL
    one, other = _middle_names(one), _middle_names(other)
    if not one or not other:
        return MIDDLE_MISSING
    return EQUAL if _agree(one, other) else MIDDLE_DIFFERS


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return all(score_given_names(a, b) for a, b in zip(one, other, strict=False))


def _middle_names(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that are neither patronymics nor particles: many records leave those out."""
    return tuple(word for word in words if word not in PARTICLES and not _is_patronymic(word))


def _is_patronymic(word: str) -> bool:
    return len(word) > PATRONYMIC_LENGTH and romanise(word).endswith(PATRONYMICS)


def _first_spelling_score(one: tuple[str, ...], other: tuple[str, ...]) -> NameScore:
    """Return the score of two first names of one script with an error, or of two scripts."""
    if not one or not other:
        return OTHER_FIRST_NAME
    joined = score_first_spelling("".join(one), "".join(other))
    score = score_first_spelling(one[0], other[0])
    return max(joined, score * _middle_score(one[1:], other[1:])) if score else joined


def first_names_compatible(a: str, b: str) -> bool:
    """Return whether two first names may be one person's: equal, nickname, initial, typing error, or one missing.

    For rows that already share an e-mail address (docs/reference/records.md#identity-keys).
    """
    one, other = _parse(a, "").first, _parse(b, "").first
    return not one or not other or _first_words_score(one, other) > 0.85


def names_contradict(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two (first, last) names cannot be one person's: neither last nor first names fit.

    For rows that already share a LinkedIn page: a new last name leaves the first one. A missing name, or one in
    another script, is no contradiction.
    """
    if one == other:
        return False
    (first, last), (other_first, other_last) = one, other
    return (
        not last_names_agree(last, other_last)
        and not first_names_compatible(first, other_first)
        and share_script(last, other_last)
        and share_script(first, other_first)
    )


def last_names_agree(a: str, b: str) -> bool:
    """Return whether two last names may be one: equal when folded, half of a double name, a typing error, or missing.

    For rows that already share an e-mail address.
    """
    one, other = _parse("", a), _parse("", b)
    return not one.glued or not other.glued or _last_score(one, other) > 0.85
