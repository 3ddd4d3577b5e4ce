"""Criteria: what is asked of records, as a small tree that any search engine translates.

A criterion is about one record, a contact or a company. Leaves name a field of `fields.py` and a value in the
form in which the field holds it (`analysis.py`); nothing here knows the JSON of a request. A record that lacks an
attribute matches no leaf about it, so it is never excluded by it (decisions E).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from firmograph.security.record_ids import Entity
from firmograph.signals.activity import Wanted


@dataclass(frozen=True, slots=True)
class Term:
    """The field holds this very value. For a field of entries: one entry has this key (`analysis.entry_keys`)."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Words:
    """One text of the field has all of these words, in any order. At least one word."""

    field: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """The field holds a value that begins like this."""

    field: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Between:
    """A figure of the field lies in a range, both bounds included; None is open.

    An exact figure decides; else a band matches when it overlaps by more than an edge (decisions E, Ranges):
    `low < band.high and high > band.low`.
    """

    field: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """The record's position is at most this far away, by the great circle; degrees and miles."""

    latitude: float
    longitude: float
    miles: float


@dataclass(frozen=True, slots=True)
class Numbers:
    """The record is one of these, found elsewhere by a key that names one record (e-mail, domain, id, ...)."""

    numbers: frozenset[int]


@dataclass(frozen=True, slots=True)
class Signal:
    """The record has one of these signals (`fields.SIGNAL`)."""

    wanted: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class All:
    """Every one of them; of none, every record."""

    criteria: tuple["Criterion", ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of them; of none, no record."""

    criteria: tuple["Criterion", ...]


@dataclass(frozen=True, slots=True)
class Without:
    """The first, and not the second."""

    criterion: "Criterion"
    excluded: "Criterion"


@dataclass(frozen=True, slots=True)
class Employer:
    """Of a contact: its company meets a criterion about companies. A contact without a company does not."""

    company: "Criterion"


@dataclass(frozen=True, slots=True)
class PastEmployer:
    """Of a contact: a company record that it worked for before meets a criterion about companies."""

    company: "Criterion"


@dataclass(frozen=True, slots=True)
class Employs:
    """Of a company: one single contact of it meets the whole criterion about contacts."""

    contact: "Criterion"


Criterion = (
    Term
    | Words
    | Prefix
    | Between
    | Near
    | Numbers
    | Signal
    | All
    | Any
    | Without
    | Employer
    | PastEmployer
    | Employs
)

NOBODY = Any(())
"""Matches no record."""


def any_of(criteria: Sequence[Criterion]) -> Criterion:
    """`Any`, without the wrapping around a single one."""
    return criteria[0] if len(criteria) == 1 else Any(tuple(criteria))


def all_of(criteria: Sequence[Criterion]) -> Criterion:
    """`All`, without the wrapping around a single one."""
    return criteria[0] if len(criteria) == 1 else All(tuple(criteria))


@dataclass(frozen=True, slots=True)
class Query:
    """What one search asks for: records of one kind, in the order of decisions E, a page of them."""

    entity: Entity
    where: Criterion
    excluded: tuple[Criterion, ...] = ()
    """A record that meets any of these is left out."""
    most_per_company: int | None = None
    """Of each company only the first so many, in order; contacts without one are not capped."""
    offset: int = 0
    size: int = 25


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, all at one state of the records."""

    total: int
    """Exact: how many there are in all, after the cap."""
    numbers: list[int] = field(default_factory=list)
    """The records of the page, in order: completeness, newest `updateDate` (day, absent last), number."""
