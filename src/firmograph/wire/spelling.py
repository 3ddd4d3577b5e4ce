"""How a value of a fixed vocabulary is looked up, and what is said of one that is none."""

from collections.abc import Iterable, Mapping

from rapidfuzz import process, utils

_MOST_LISTED = 10
_MOST_NEAREST = 3


def by_spelling(values: Iterable[str]) -> Mapping[str, str]:
    """The values by what they are looked up by: letter case does not count."""
    return {value.casefold(): value for value in values}


def nearest(value: str, known: Iterable[str]) -> list[str]:
    """The few known values that are spelled most like this one, the likeliest first."""
    found = process.extract(value, list(known), processor=utils.default_process, limit=_MOST_NEAREST)
    return [name for name, *_ in found]


def expectation(value: str, known: Iterable[str]) -> str:
    """What a value should have been: all of a short vocabulary, of a long one what comes nearest."""
    known = list(known)
    if len(known) <= _MOST_LISTED:
        return f"must be one of: {', '.join(known)}"
    return f"must be a known value; the nearest are: {', '.join(nearest(value, known))}"
