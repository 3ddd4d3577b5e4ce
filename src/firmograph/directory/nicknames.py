"""Short forms of given names: the `nicknames` package, corrected by `data/nicknames.txt`."""

from functools import lru_cache
from importlib.resources import files
from itertools import permutations
from typing import NamedTuple

from nicknames import name_triplets


class _Tables(NamedTuple):
    forms: dict[str, set[str]]
    """Name to its other forms, in both directions."""
    formal: dict[str, set[str]]
    """Short form to its formal names."""


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    pairs = {(t.name1, t.name2) for t in name_triplets() if t.relationship == "has_nickname"}
    text = files("firmograph.directory").joinpath("data/nicknames.txt").read_text("utf-8")
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words and words[0] == "=":
            pairs |= set(permutations(words[1:], 2))
        elif words and words[0] == "-":
            pairs -= {(words[1], short) for short in words[2:]} | {(short, words[1]) for short in words[2:]}
        elif words:
            pairs |= {(words[0], short) for short in words[1:]}
    forms: dict[str, set[str]] = {}
    formal: dict[str, set[str]] = {}
    for name, short in pairs:
        forms.setdefault(name, set()).add(short)
        forms.setdefault(short, set()).add(name)
        formal.setdefault(short, set()).add(name)
    return _Tables(forms, formal)


def nickname_relation(one: str, other: str) -> int:
    """Return 1 if one is a form of the other (Bob, Robert), 2 if both are forms of a third (Bob, Robby), else 0."""
    forms, formal = _tables()
    if other in forms.get(one, ()):
        return 1
    theirs = formal.get(other)
    return 2 if theirs and not theirs.isdisjoint(formal.get(one, ())) else 0


def forms_of(name: str) -> set[str]:
    """Return the other forms of a name and of its formal names: Robert, Rob and Bobby of Bob."""
    forms, formal = _tables()
    related = {name, *formal.get(name, ())}
    return set().union(*(forms.get(each, ()) for each in related)) - {name}


@lru_cache(maxsize=16_384)
def initials(name: str) -> str:
    """Return the first letters of a name and of its formal names: B and R for Bob."""
    return "".join({name[0], *(formal[0] for formal in _tables().formal.get(name, ()))})


def is_given_name(name: str) -> bool:
    """Return whether the name is known; two known names that differ by a letter are no typing error."""
    return name in _tables().forms
