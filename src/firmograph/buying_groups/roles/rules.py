"""Rules of the table of roles, read and validated; an operator's table laid over the packaged one.

The format is described at the top of `roles.toml`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from firmograph.buying_groups.roles.conditions import (
    Condition,
    department_condition,
    seniority_condition,
    title_condition,
)
from firmograph.buying_groups.roles.personas import PERSONAS, Persona

SCALE: Final = 100
"""Weights have two decimals and are kept as whole numbers, so that sums are exact."""
_MOST_PHRASES: Final = 1_000
_LISTS: Final = "lists"
_THRESHOLD: Final = "threshold"
_KINDS: Final[Mapping[str, Callable[[str], Condition]]] = {
    "seniorities": seniority_condition,
    "departments": department_condition,
    "titles": title_condition,
}

Phrases = tuple[Condition, ...]


class InvalidTable(Exception):
    """Value of a table that does not fit, with its position."""

    def __init__(self, position: tuple[str, ...], problem: str) -> None:
        super().__init__(f"{'.'.join(map(_key, position))}: {problem}" if position else problem)


def _key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


@dataclass(frozen=True, slots=True)
class WeightRule:
    """Weight that counts once if a contact meets any of the conditions."""

    name: str
    """The condition's text, or the name of the list."""
    conditions: Phrases
    weight: int


@dataclass(frozen=True, slots=True)
class RoleRules:
    """Threshold and rules of one role."""

    threshold: int
    rules: tuple[WeightRule, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """What one file says: parts of a table."""

    lists: dict[str, Phrases]
    thresholds: dict[Persona, int]
    weights: dict[tuple[Persona, Condition], int]
    list_weights: dict[tuple[Persona, str], int]


def read_rules(packaged: dict[str, Any]) -> dict[Persona, RoleRules]:
    """Return the rules of a complete table. Raises InvalidTable."""
    return _complete(_read_table(packaged, frozenset()))


def read_rules_over(packaged: dict[str, Any], override: dict[str, Any]) -> dict[Persona, RoleRules]:
    """Return the rules of a complete table with parts replaced by those of another. Raises InvalidTable."""
    base = _read_table(packaged, frozenset())
    over = _read_table(override, frozenset(base.lists))
    return _complete(
        _Table(
            base.lists | over.lists,
            base.thresholds | over.thresholds,
            base.weights | over.weights,
            base.list_weights | over.list_weights,
        )
    )


def _complete(table: _Table) -> dict[Persona, RoleRules]:
    return {role: RoleRules(table.thresholds[role], tuple(_rules_of(table, role))) for role in PERSONAS}


def _rules_of(table: _Table, role: Persona) -> Iterator[WeightRule]:
    for (owner, condition), weight in table.weights.items():
        if owner == role and weight:
            yield WeightRule(condition.text, (condition,), weight)
    for (owner, name), weight in table.list_weights.items():
        if owner == role and weight and table.lists[name]:
            yield WeightRule(name, table.lists[name], weight)


# --- one file ---


def _read_table(document: dict[str, Any], known_lists: frozenset[str]) -> _Table:
    table = _Table({}, {}, {}, {})
    for name, phrases in _table_at(document.get(_LISTS, {}), _LISTS).items():
        table.lists[name] = _read_list(phrases, (_LISTS, name))
    for key, value in document.items():
        if key in PERSONAS:
            _read_role(table, key, _table_at(value, key), known_lists | table.lists.keys())
        elif key != _LISTS:
            raise InvalidTable((key,), f"there is no such role; roles are {', '.join(PERSONAS)}")
    return table


def _table_at(value: Any, *position: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidTable(position, "a table is needed")
    return value


def _read_list(value: Any, position: tuple[str, ...]) -> Phrases:
    if not (isinstance(value, list) and all(isinstance(phrase, str) for phrase in value)):
        raise InvalidTable(position, "a list of texts is needed")
    if len(value) > _MOST_PHRASES:
        raise InvalidTable(position, f"it has more than {_MOST_PHRASES} texts")
    conditions = (_condition(title_condition, phrase, (*position, phrase)) for phrase in value)
    return tuple(dict.fromkeys(conditions))


def _condition(make: Callable[[str], Condition], text: str, position: tuple[str, ...]) -> Condition:
    try:
        return make(text)
    except ValueError as error:
        raise InvalidTable(position, str(error)) from error


def _read_role(table: _Table, role: Persona, value: dict[str, Any], lists: frozenset[str]) -> None:
    for kind, entries in value.items():
        if kind == _THRESHOLD:
            table.thresholds[role] = _read_number(entries, 1, (role, kind))
        elif kind == _LISTS:
            for name, weight in _table_at(entries, role, kind).items():
                if name not in lists:
                    raise InvalidTable((role, kind, name), "there is no such list")
                table.list_weights[role, name] = _read_number(weight, -SCALE, (role, kind, name))
        elif make := _KINDS.get(kind):
            _read_weights(table, role, kind, make, _table_at(entries, role, kind))
        else:
            known = ", ".join((_THRESHOLD, *_KINDS, _LISTS))
            raise InvalidTable((role, kind), f"a role has {known} only")


def _read_weights(
    table: _Table, role: Persona, kind: str, make: Callable[[str], Condition], entries: dict[str, Any]
) -> None:
    seen: dict[Condition, str] = {}
    for text, weight in entries.items():
        position = (role, kind, text)
        condition = _condition(make, text, position)
        if condition in seen:
            raise InvalidTable(position, f"it has the same words as {_key(seen[condition])}")
        seen[condition] = text
        table.weights[role, condition] = _read_number(weight, -SCALE, position)


def _read_number(value: Any, least: int, position: tuple[str, ...]) -> int:
    """Return a number of at most two decimals in hundredths."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1:
        raise InvalidTable(position, f"a number from {least / SCALE:g} to 1 is needed")
    scaled = round(value * SCALE)
    if abs(scaled - value * SCALE) > 1e-6:
        raise InvalidTable(position, "a number of at most two decimals is needed")
    if scaled < least:
        raise InvalidTable(position, f"a number from {least / SCALE:g} to 1 is needed")
    return scaled
