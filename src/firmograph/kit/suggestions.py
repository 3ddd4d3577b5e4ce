"""Case-insensitive lookup in fixed vocabularies, with suggestions for unknown values."""

from collections.abc import Iterable, Mapping

from rapidfuzz import process, utils

_MAX_LISTED = 10
_MAX_NEAREST = 3


def index_by_casefold(values: Iterable[str]) -> Mapping[str, str]:
    """Return the values by their case-folded form, for case-insensitive lookup."""
    return {value.casefold(): value for value in values}


def nearest_values(value: str, known: Iterable[str], *, least_score: float = 0) -> list[str]:
    """Return the few known values with the most similar spelling, the most similar first.

    Values with a lower score, of 100, are left out.
    """
    found = process.extract(
        value, list(known), processor=utils.default_process, limit=_MAX_NEAREST, score_cutoff=least_score
    )
    return [name for name, *_ in found]


def describe_expected_value(value: str, known: Iterable[str]) -> str:
    """Describe the valid values in place of an unknown one: all of a short vocabulary, else the nearest ones."""
    known = list(known)
    if len(known) <= _MAX_LISTED:
        return f"must be one of: {', '.join(known)}"
    return f"must be a known value; the nearest are: {', '.join(nearest_values(value, known))}"
