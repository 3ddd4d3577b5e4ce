"""Table of roles, compiled: the fit of contacts to each role from the conditions that they meet.

See docs/reference/buying-group-roles.md.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmograph.buying_groups.roles.conditions import Condition, match_conditions
from firmograph.buying_groups.roles.personas import PERSONAS, Persona
from firmograph.buying_groups.roles.rules import SCALE, InvalidTable, RoleRules, read_rules, read_rules_over
from firmograph.kit.errors import Refused
from firmograph.kit.toml_file import read_toml_file


class RulePart(NamedTuple):
    """Weight that one rule gave a contact."""

    rule: str
    """The words, seniority or department, or the name of a list of words."""
    met: tuple[Condition, ...]
    weight: float


class RoleExplanation(NamedTuple):
    """Weights that one contact got for one role."""

    role: Persona
    fit: float
    """0 below the threshold."""
    threshold: float
    total: float
    """Sum of the weights."""
    parts: tuple[RulePart, ...]


class RoleTable:
    """Roles as a function of the conditions that a contact meets."""

    def __init__(self, rules: Mapping[Persona, RoleRules]) -> None:
        self._rules = rules
        every = [rule for role in PERSONAS for rule in rules[role].rules]
        self.conditions: Sequence[Condition] = tuple(
            dict.fromkeys(condition for rule in every for condition in rule.conditions)
        )
        column = {condition: number for number, condition in enumerate(self.conditions)}
        groups = list(dict.fromkeys(rule.conditions for rule in every))
        groups_of = [list[int]() for _ in self.conditions]
        for number, group in enumerate(groups):
            for condition in group:
                groups_of[column[condition]].append(number)
        self._groups_of = _fill_up(groups_of, len(groups))
        self._weights = np.zeros((len(groups) + 1, len(PERSONAS)), dtype=np.float64)
        for at, role in enumerate(PERSONAS):
            for rule in rules[role].rules:
                self._weights[groups.index(rule.conditions), at] += rule.weight
        self._thresholds = np.array([rules[role].threshold for role in PERSONAS], dtype=np.float64)

    def fits(self, matched: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the fit of each contact (row) to each of `PERSONAS` (column), in [0, 1].

        `matched` tells for each contact which of `conditions` it meets. A fit is the sum of the weights, 0 below the
        role's threshold. All sums are of small whole numbers, so they are exact in any order.
        """
        # much faster than nonzero of the matrix, which is nearly empty
        contacts, conditions = np.divmod(np.flatnonzero(matched), max(1, len(self.conditions)))
        return self._fits(len(matched), contacts, conditions)

    def fits_at(self, count: int, positions: Sequence[NDArray[np.integer[Any]]]) -> NDArray[np.float64]:
        """Return `fits` of a number of contacts from the positions that meet each of `conditions`."""
        sizes = [len(one) for one in positions]
        contacts = np.concatenate([np.zeros(0, dtype=np.int64), *positions])
        return self._fits(count, contacts, np.repeat(np.arange(len(positions)), sizes))

    def _fits(
        self, count: int, contacts: NDArray[np.integer[Any]], conditions: NDArray[np.integer[Any]]
    ) -> NDArray[np.float64]:
        met = np.zeros((count, len(self._weights)), dtype=np.bool_)
        for groups in self._groups_of:
            met[contacts, groups[conditions]] = True
        holders, held = np.divmod(np.flatnonzero(met), len(self._weights))
        totals = np.empty((count, len(PERSONAS)))
        for at in range(len(PERSONAS)):
            totals[:, at] = np.bincount(holders, self._weights[held, at], minlength=count)
        reached = np.where(totals >= self._thresholds, totals, 0)
        return np.minimum(reached, SCALE) / SCALE

    def match(
        self, title: str | None, seniority: str | None, departments: Collection[str]
    ) -> NDArray[np.bool_]:
        """Return which conditions a contact meets, as a row of `fits`."""
        return np.array(match_conditions(self.conditions, title, seniority, departments), dtype=np.bool_)

    def explain(self, row: NDArray[np.bool_]) -> list[RoleExplanation]:
        """Return for each of `PERSONAS` the weights of one contact, the greatest first."""
        met = {condition for condition, is_met in zip(self.conditions, row.tolist(), strict=True) if is_met}
        fits = self.fits(row[np.newaxis])[0].tolist()
        return [self._explain_role(role, fit, met) for role, fit in zip(PERSONAS, fits, strict=True)]

    def _explain_role(self, role: Persona, fit: float, met: set[Condition]) -> RoleExplanation:
        parts = [
            RulePart(rule.name, tuple(one for one in rule.conditions if one in met), rule.weight / SCALE)
            for rule in self._rules[role].rules
            if not met.isdisjoint(rule.conditions)
        ]
        parts.sort(key=lambda part: -abs(part.weight))
        total = sum(round(part.weight * SCALE) for part in parts) / SCALE
        return RoleExplanation(role, fit, self._rules[role].threshold / SCALE, total, tuple(parts))


def _fill_up(groups_of: list[list[int]], nothing: int) -> list[NDArray[np.int64]]:
    """Return for each condition its first group, its second one and so on; `nothing` where it has no more."""
    most = max(map(len, groups_of), default=0)
    rows = [groups + [nothing] * (most - len(groups)) for groups in groups_of]
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]


def load_role_table(override: str = "") -> RoleTable:
    """Load the packaged table, with the file at `override` laid over it.

    Raises Refused with file and position if the file cannot be read or has a wrong value.
    """
    if not override:
        return _packaged()
    own = read_toml_file(override, "personas file")
    try:
        return RoleTable(read_rules_over(_document(), own))
    except InvalidTable as error:
        raise Refused(f"The personas file {override} does not fit: {error}") from error


@cache
def _packaged() -> RoleTable:
    return RoleTable(read_rules(_document()))


def _document() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("roles.toml").read_text("utf-8"))
