"""Criteria: search conditions as a small tree that any search engine can translate.

See docs/reference/prospecting.md#exclude.

A criterion applies to one record, a contact or a company. Leaves name a field of `fields.py` and a value in its
indexed form (`analysis.py`); nothing here depends on the JSON of a request. A record that lacks an attribute
matches no leaf about it, so it is never excluded by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from firmograph.security.record_ids import Entity
from firmograph.signals.activity.record_activity import RequestedSignal


@dataclass(frozen=True, slots=True)
class Term:
    """Exact value of the field; in a text field, the key of one text (`analysis.text_keys`)."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Words:
    """Words that one text of the field contains, in any order; at least one word."""

    field: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """Prefix of a value of the field."""

    field: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Between:
    """Range of a figure of the field, both bounds included; None is open.

    An exact figure decides. Otherwise a band matches if it overlaps by more than an edge: `low < band.high and high
    > band.low`.
    """

    field: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """Great-circle distance from a position, in degrees and miles."""

    latitude: float
    longitude: float
    miles: float


@dataclass(frozen=True, slots=True)
class RecordNumbers:
    """Record numbers, found elsewhere by a unique key (e-mail, domain, id, ...)."""

    numbers: frozenset[int]


@dataclass(frozen=True, slots=True)
class HasSignal:
    """Activities of which the record has at least one (`fields.SIGNAL`)."""

    requested: tuple[RequestedSignal, ...]


@dataclass(frozen=True, slots=True)
class All:
    """Conjunction; an empty one matches every record."""

    criteria: tuple["Criterion", ...]


@dataclass(frozen=True, slots=True)
class Any:
    """Disjunction; an empty one matches no record."""

    criteria: tuple["Criterion", ...]


@dataclass(frozen=True, slots=True)
class Without:
    """Difference: the first criterion and not the second."""

    criterion: "Criterion"
    excluded: "Criterion"


@dataclass(frozen=True, slots=True)
class EmployedBy:
    """Contacts whose company meets a criterion; contacts without a company never match."""

    company: "Criterion"


@dataclass(frozen=True, slots=True)
class FormerlyEmployedBy:
    """Contacts with a former employer, as a company record, that meets a criterion."""

    company: "Criterion"


@dataclass(frozen=True, slots=True)
class Employs:
    """Companies with one single contact that meets the whole criterion."""

    contact: "Criterion"


Criterion = (
    Term
    | Words
    | Prefix
    | Between
    | Near
    | RecordNumbers
    | HasSignal
    | All
    | Any
    | Without
    | EmployedBy
    | FormerlyEmployedBy
    | Employs
)

NO_RECORD = Any(())
"""Matches no record."""


def any_of(criteria: Sequence[Criterion]) -> Criterion:
    """Return the disjunction, or the criterion itself if there is only one."""
    return criteria[0] if len(criteria) == 1 else Any(tuple(criteria))


def all_of(criteria: Sequence[Criterion]) -> Criterion:
    """Return the conjunction, or the criterion itself if there is only one."""
    return criteria[0] if len(criteria) == 1 else All(tuple(criteria))


@dataclass(frozen=True, slots=True)
class Query:
    """One page of an ordered search for one kind of record."""

    entity: Entity
    where: Criterion
    excluded: tuple[Criterion, ...] = ()
    """Criteria that exclude the records meeting any of them."""
    max_per_company: int | None = None
    """Maximum number of contacts per company, first ones in order; contacts without a company are not capped."""
    offset: int = 0
    size: int = 25


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search on one state of the records."""

    total: int
    """Exact total of matches, after the cap."""
    numbers: list[int] = field(default_factory=list)
    """Records of the page in order: completeness, newest `updateDate` (day, absent last), number."""


EmployeeCriterion = Term | Words
"""Criterion about the employees of companies."""


@dataclass(frozen=True, slots=True)
class Employees:
    """Contacts of some companies on one state of the records, with the criteria that each meets."""

    sizes: npt.NDArray[np.int64]
    """Number of contacts of each company, in the order of the companies."""
    numbers: npt.NDArray[np.int64]
    """Records company after company, those of each in the order of `SearchResult.numbers`."""
    days: npt.NDArray[np.int64]
    """`updateDate` of each contact in days since 1970-01-01, 0 when absent."""
    positions: Sequence[npt.NDArray[np.int64]]
    """For each criterion the positions in `numbers` of the contacts that meet it, ascending."""

    def positions_within(self, start: int, end: int) -> list[npt.NDArray[np.int64]]:
        """Return for each criterion the positions of a range, counted from its start."""
        if start == 0 and end >= len(self.numbers):
            return list(self.positions)
        bounds = [np.searchsorted(positions, (start, end)) for positions in self.positions]
        return [
            positions[low:high] - start for positions, (low, high) in zip(self.positions, bounds, strict=True)
        ]
