"""The filters of a request in its JSON (docs/reference/prospecting.md#request)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

_MODIFIERS = frozenset(
    (
        "existingDataPointsCondition",
        "keywordsSearchFields",
        "technologiesCondition",
        "intentTopicsCondition",
        "intentTopicsOperator",
        "intentMinScore",
        "intentMaxScore",
    )
)
_IN_PARTS = ("education", "funding")
_SCORES = ("intentMinScore", "intentMaxScore")


def is_absent(value: Any) -> bool:
    """Return whether a value counts as absent, as empty objects and lists do everywhere."""
    if isinstance(value, dict):
        return all(map(is_absent, value.values()))
    return isinstance(value, list) and all(map(is_absent, value))


def given(criteria: Json) -> Iterator[tuple[str, Any]]:
    """Yield the filters of one include or exclude with their values; an object of several filters in its parts."""
    for name, value in criteria.items():
        if name in _IN_PARTS:
            yield from ((f"{name}.{part}", one) for part, one in value.items() if not is_absent(one))
        elif name not in _MODIFIERS and not is_absent(value):
            yield name, value
    if criteria.keys() & set(_SCORES) and not criteria.get("intentTopics"):
        yield "intentScore", {name: criteria[name] for name in _SCORES if name in criteria}


EXCLUDES = "excludes"


class Clause(NamedTuple):
    """An include or an exclude: its filters, and all of its JSON, with `EXCLUDES` in an exclude."""

    filters: list[tuple[str, Any]]
    criteria: Json


class Side(NamedTuple):
    include: Clause
    exclude: Clause


def side_of(request: Json, name: str, more: Json | None = None) -> Side:
    """Return the contacts or companies of a request; `more` is at the top level and acts as part of the include."""
    filters = request.get("filters", {}).get(name, {})
    include, exclude = {**filters.get("include", {}), **(more or {})}, filters.get("exclude", {})
    return Side(
        Clause(list(given(include)), include), Clause(list(given(exclude)), exclude | {EXCLUDES: True})
    )


def top_level_filters(request: Json) -> Json:
    return {name: request[name] for name in ("searchText", "signals") if name in request}
