"""Ranking of employees by their fit to roles, the age of their record and how they can be reached.

See docs/reference/buying-groups.md#score.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from firmograph.buying_groups.roles.personas import PERSONAS, Persona
from firmograph.buying_groups.roles.table import RoleTable
from firmograph.prospecting.engines.fields import HAS
from firmograph.prospecting.engines.query import EmployeeCriterion, Employees, Term
from firmograph.prospecting.search_snapshot import SearchSnapshot

SCORE_SCALE: Final = 10_000
"""Scores have four digits and are kept as whole numbers, so that equal ones are equal."""
RECENCY_SHARE: Final = 0.15
REACH_SHARE: Final = 0.15
ANY_REACH: Final = 0.6
"""Reach by any e-mail or phone, but not by work e-mail and phone."""
UNKNOWN_RECENCY: Final = 0.5

_MONTH: Final = 365.25 / 12
_RECENT, _OUTDATED = 6 * _MONTH, 36 * _MONTH
_EPOCH: Final = date(1970, 1, 1).toordinal()
_REACH: Final[tuple[EmployeeCriterion, ...]] = (
    Term(HAS, "work_email"),
    Term(HAS, "email"),
    Term(HAS, "phone"),
)
_CHUNK: Final = 32_768
"""Contacts whose conditions are in memory at a time."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """Contacts of one company with a requested role, by score, then in the order of search results."""

    numbers: NDArray[np.int64]
    scores: NDArray[np.int64]
    """In units of 1 / SCORE_SCALE."""
    fits: Floats
    """Fit of each contact (row) to each of `PERSONAS` (column)."""
    requested_fits: Floats
    """Fit of each contact to the strongest requested role."""
    recency: Floats
    reach: Floats
    matched: NDArray[np.bool_] | None = None
    """Conditions of the table of roles that each contact meets, if they were requested."""

    def __len__(self) -> int:
        return len(self.numbers)

    def roles(self, place: int) -> list[Persona]:
        """Return all roles of a contact, the strongest first."""
        fits = self.fits[place].tolist()
        having = [(-fit, at) for at, fit in enumerate(fits) if fit > 0]
        return [PERSONAS[at] for _, at in sorted(having)]


class Ranker:
    """Ranks the employees of companies by one table of roles."""

    def __init__(self, table: RoleTable) -> None:
        self.table = table
        self._criteria = [*(condition.criterion for condition in table.conditions), *_REACH]

    def rank(
        self,
        search: SearchSnapshot,
        companies: Sequence[int],
        personas: Collection[Persona],
        day: date,
        *,
        with_matched: bool = False,
    ) -> list[RankedGroup]:
        """Return the group of each of different companies. Without `personas`, any role counts."""
        employees = search.employees(companies, self._criteria)
        conditions = len(self.table.conditions)
        columns = [at for at, persona in enumerate(PERSONAS) if not personas or persona in personas]
        reach = _reach(employees, conditions)
        recency = _recency(employees.days, day.toordinal() - _EPOCH)
        fits = self._fits(employees)
        requested = fits[:, columns].max(axis=1)
        share = 1 - RECENCY_SHARE - REACH_SHARE + RECENCY_SHARE * recency + REACH_SHARE * reach
        scores = np.rint(requested * share * SCORE_SCALE).astype(np.int64)
        groups = []
        start = 0
        for size in employees.sizes.tolist():
            having = start + np.flatnonzero(requested[start : start + size] > 0)
            places = having[np.argsort(-scores[having], kind="stable")]
            groups.append(
                RankedGroup(
                    employees.numbers[places],
                    scores[places],
                    fits[places],
                    requested[places],
                    recency[places],
                    reach[places],
                    self._matched(employees, places) if with_matched else None,
                )
            )
            start += size
        return groups

    def _fits(self, employees: Employees) -> Floats:
        count, fits = len(employees.numbers), [np.zeros((0, len(PERSONAS)))]
        for start in range(0, count, _CHUNK):
            end = min(start + _CHUNK, count)
            positions = employees.positions_within(start, end)
            fits.append(self.table.fits_at(end - start, positions[: len(self.table.conditions)]))
        return np.concatenate(fits)

    def _matched(self, employees: Employees, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which conditions some employees (rows) meet."""
        matched = np.zeros((len(places), len(self.table.conditions)), dtype=np.bool_)
        for column in range(matched.shape[1]):
            matched[:, column] = np.isin(places, employees.positions[column])
        return matched


def _recency(days: NDArray[np.int64], today: int) -> Floats:
    """Return 1 for records of the last 6 months, falling to 0 at 36 months."""
    recency = np.clip((_OUTDATED - (today - days)) / (_OUTDATED - _RECENT), 0, 1)
    return np.where(days == 0, UNKNOWN_RECENCY, recency)


def _reach(employees: Employees, first: int) -> Floats:
    """Return 1 for a work e-mail and a phone, less for one of any; `first` is the position of these criteria."""
    work_email, email, phone = (_mask(employees, first + at) for at in range(len(_REACH)))
    return np.where(work_email & phone, 1.0, np.where(email | phone, ANY_REACH, 0.0))


def _mask(employees: Employees, criterion: int) -> NDArray[np.bool_]:
    mask = np.zeros(len(employees.numbers), dtype=np.bool_)
    mask[employees.positions[criterion]] = True
    return mask
