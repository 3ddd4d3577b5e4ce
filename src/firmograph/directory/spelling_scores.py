"""Similarity of names spelt otherwise: with a typing error, or in another script.

In one script a name may have one error: any in the last name with an equal first name or a nickname, any in a first
name that is no known one with an equal last name. Two scripts never agree letter by letter, so both names may
differ a little there.
"""

from functools import lru_cache
from importlib.resources import files
from typing import Final

from rapidfuzz.distance import OSA

from firmograph.directory.given_names import LONG, NICKNAME, OTHER_FIRST_NAME, is_initial
from firmograph.directory.name_scores import NameScore
from firmograph.directory.names import share_script
from firmograph.directory.nicknames import is_given_name
from firmograph.directory.romanisation import consonants_of, spelling_of, writes_no_vowels

LAST_TYPO: Final = NameScore(0.91, "letters exchanged or left out in the last name")
LAST_EDIT: Final = NameScore(0.905, "another letter in the last name")
FIRST_EDIT: Final = NameScore(0.92, "another letter in a first name that is no known one")
NICKNAME_AND_ERROR: Final = NameScore(0.9, "nickname, and an error in the last name")
"""Bob Behming for Robert Behning: a nickname is no doubt of its own."""
OTHER_LANGUAGE: Final = NameScore(0.95, "spelling of another language")
OTHER_SCRIPT: Final = NameScore(0.98, "other script")
OTHER_SCRIPT_CONSONANTS: Final = NameScore(0.965, "other script, equal consonants")
OTHER_SCRIPT_NEARLY: Final = NameScore(0.95, "other script, nearly equal")
OTHER_LAST_NAME: Final = NameScore(0.0, "other last name")
TWO_DOUBTS: Final = NameScore(0.0, "an error in the last name, and another first name")
MOST_UNCERTAIN: Final = LAST_TYPO
"""Score up to which an answer is compared with people under other spellings too."""
SHORTEST_FIRST: Final = 4
_NEARLY: Final = 0.72
_VOWELS: Final = frozenset("aeiouy")
_ERRORS: Final = frozenset((LAST_TYPO, LAST_EDIT))


def combine(first: NameScore, last: NameScore) -> NameScore:
    """Return the score of a name from those of its parts; an error in the last name needs an equal first one."""
    if last in _ERRORS and first != 1.0:
        return NICKNAME_AND_ERROR if first is NICKNAME else TWO_DOUBTS
    return first * last


@lru_cache(maxsize=65_536)
def score_first_spelling(one: str, other: str) -> NameScore:
    """Return the similarity of two folded words of first names that no other rule joins."""
    if not share_script(one, other):
        return _script_score(one, other) or OTHER_FIRST_NAME
    if _is_known(one) and _is_known(other):
        # Louis and Luis, Jan and Ian, Zara and Sara sound alike in some language, and are two people
        return OTHER_LANGUAGE if _slavic(one) == _slavic(other) else OTHER_FIRST_NAME
    if spelling_of(one) == spelling_of(other):
        return OTHER_LANGUAGE
    if min(len(one), len(other)) < SHORTEST_FIRST:
        return OTHER_FIRST_NAME
    return FIRST_EDIT if is_one_edit(one, other) and not _differ_by_vowel(one, other) else OTHER_FIRST_NAME


def _slavic(name: str) -> str:
    """Return a name with one letter for the two ways to write Cyrillic `в` and `й`."""
    return name[0].replace("w", "v") + name[1:].replace("w", "v").replace("y", "i").replace("j", "i")


def _is_known(name: str) -> bool:
    return name in _given_names() or is_given_name(name)


@lru_cache(maxsize=1)
def _given_names() -> frozenset[str]:
    return frozenset(
        files("firmograph.directory").joinpath("data/given_names.txt").read_text("utf-8").split()
    )


def _differ_by_vowel(one: str, other: str) -> bool:
    """Return whether two first names differ by a vowel at the end, or by one vowel for another: Paulo and Paula."""
    stems = [name[:-1] if name[-1] in _VOWELS else name for name in (one, other)]
    replaced = [letters for letters in zip(one, other, strict=False) if letters[0] != letters[1]]
    return stems[0] == stems[1] or (
        len(one) == len(other) and len(replaced) == 1 and _VOWELS.issuperset(replaced[0])
    )


@lru_cache(maxsize=65_536)
def score_last_spelling(one: tuple[str, ...], other: tuple[str, ...]) -> NameScore:
    """Return the similarity of the folded words of two last names that no other rule joins."""
    a, b = "".join(one), "".join(other)
    if not a or not b:
        return OTHER_LAST_NAME
    if not share_script(a, b):
        return _script_score(a, b) or OTHER_LAST_NAME
    if max(len(a), len(b)) < LONG:
        return OTHER_LAST_NAME  # Lee and Li, Wu and Vu
    if spelling_of(a) == spelling_of(b):
        return OTHER_LANGUAGE
    return LAST_EDIT if is_one_edit(a, b) else OTHER_LAST_NAME


def is_one_edit(one: str, other: str) -> bool:
    """Return whether two names differ by one letter added, left out or replaced, or by two letters exchanged."""
    return OSA.distance(one, other, score_cutoff=1) <= 1


def _script_score(one: str, other: str) -> NameScore | None:
    if is_initial(one) or is_initial(other):
        return None
    if spelling_of(one) == spelling_of(other):
        return OTHER_SCRIPT
    a, b = consonants_of(one), consonants_of(other)
    if a == b and (len(a) > 2 or writes_no_vowels(one) or writes_no_vowels(other)):
        return OTHER_SCRIPT_CONSONANTS
    return OTHER_SCRIPT_NEARLY if sound_similarity(one, other) >= _NEARLY else None


def sound_similarity(one: str, other: str) -> float:
    """Return the similarity, from 0 to 1, of two folded words by spelling and by consonants."""
    spelt = OSA.normalized_similarity(spelling_of(one), spelling_of(other))
    return (spelt + OSA.normalized_similarity(consonants_of(one), consonants_of(other))) / 2
