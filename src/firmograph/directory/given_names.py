"""Similarity of given names: equal, nickname, initial, spelling or different people.

Names of siblings and couples often differ by a letter or an ending (Carl and Carla, Marlin and Marvin). So only swapped
or missing inner letters count as typing errors, and a beginning counts as a short form only if the omitted rest is long
and no feminine ending.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Final

from rapidfuzz.distance import OSA

from firmograph.directory.name_scores import EQUAL, NameScore
from firmograph.directory.nicknames import initials, is_given_name, nickname_relation

LONG: Final = 5
"""Letters from which on a name with a typing error is distinguished from another one."""
FIRST_TYPO: Final = NameScore(0.93, "letters exchanged or left out in the first name")
NICKNAME: Final = NameScore(0.95, "nickname")
SAME_SOUND: Final = NameScore(0.95, "first names of one sound")
"""Sara for Sarah."""
SHORT_FORM: Final = NameScore(0.94, "beginning of the first name")
"""Jeff for Jeffrie, in addition to the known nicknames."""
INITIAL: Final = NameScore(0.93, "initial")
NICKNAME_INITIAL: Final = NameScore(0.92, "initial of another form of the first name")
"""R. for Bob."""
STORED_INITIAL: Final = NameScore(0.88, "the record has an initial alone")
"""James for a stored J.: too low for look-ups, enough to merge rows with one e-mail address."""
SAME_FORMAL_NAME: Final = NameScore(0.88, "forms of one first name")
"""Robby for Bob: too low for look-ups as well."""
OTHER_FIRST_NAME: Final = NameScore(0.0, "other first name")
_SPOKEN: Final = str.maketrans({"c": "k", "z": "s", "y": "i"})
_FEMININE: Final = ("ine", "ina", "ette", "etta", "elle", "ella", "inda", "anne")


@lru_cache(maxsize=65_536)
def score_given_names(one: str, other: str) -> NameScore:
    """Return the similarity, from 0 to 1, of a folded word of a queried name to one of a stored name.

    A queried initial finds the names that begin with it; a queried name does not find an initial.
    """
    if one == other:
        return EQUAL
    if is_initial(one):
        return _initial_score(one, other)
    if is_initial(other):
        return STORED_INITIAL if one[0] == other else OTHER_FIRST_NAME
    related = nickname_relation(one, other)
    if related == 1:
        return NICKNAME
    if one[0] != other[0] and "k" not in (one[0], other[0]):
        return OTHER_FIRST_NAME
    if spoken_form(one) == spoken_form(other):
        return SAME_SOUND
    if related and one[:2] == other[:2]:
        return SAME_FORMAL_NAME
    short, long = sorted((one, other), key=len)
    if _is_short_form(short, long):
        return SHORT_FORM
    if len(short) >= LONG and not (is_given_name(one) and is_given_name(other)) and is_slip(short, long):
        return FIRST_TYPO
    return OTHER_FIRST_NAME


@lru_cache(maxsize=16_384)
def spoken_form(name: str) -> str:
    """Return a given name by sound: equal for Sara and Sarah, Eric and Erik, Cyndi and Cindy."""
    name = name.replace("ph", "f").replace("ck", "k").translate(_SPOKEN)
    letters = [name[0]]
    letters += [b for a, b in pairwise(name) if b not in (a, "h")]
    spoken = "".join(letters)
    return spoken[:-2] + "i" if spoken.endswith(("ie", "ei")) else spoken


def _is_short_form(short: str, long: str) -> bool:
    """Return whether a name is the beginning of a long one: Cas of Cassandra, Woody of Woodman, not Paul of Paula."""
    stem = short[:-1] if len(short) >= 5 and short[-1] in "yi" else short
    stem = short[:-2] if len(short) >= 6 and short.endswith("ie") else stem
    rest = long[len(stem) :]
    return len(stem) >= 3 and long.startswith(stem) and len(rest) >= 3 and rest not in _FEMININE


def is_slip(one: str, other: str) -> bool:
    """Return whether two names differ by a typing error: two swapped letters, or a missing inner one."""
    if one[0] != other[0] or one[-1] != other[-1] or OSA.distance(one, other, score_cutoff=1) > 1:
        return False
    return len(one) != len(other) or sorted(one) == sorted(other)


def is_initial(word: str) -> bool:
    """Return whether a word is one letter of a script with capitals; 明 is a whole name."""
    return len(word) == 1 and word.upper() != word


def _initial_score(initial: str, name: str) -> NameScore:
    if initial == name[0]:
        return INITIAL
    return NICKNAME_INITIAL if initial in initials(name) else OTHER_FIRST_NAME
