"""Figures of a quality report: counts by field, country and source, without any value of a record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, TypeVar

import msgspec

from firmograph.ingest.quality.fields import FIELDS, agree, country_of
from firmograph.security.record_ids import Entity

G = TypeVar("G")

AGES: Final = (30, 90, 365, 730)
"""Bounds of the ages of rows in days; older ones count last."""


class GroupFigures(msgspec.Struct, rename="camel"):
    """Fill rates of one group of records."""

    records: int = 0
    fields: dict[str, int] = {}
    """Records with a value, by field."""

    def rate(self, field: str) -> float | None:
        """Return the share of records with a value, in percent; None without records."""
        return 100 * self.fields.get(field, 0) / self.records if self.records else None


class SourceFigures(GroupFigures):
    """Figures of one source: of the records that have rows of it, what these rows hold."""

    ages: list[int] = msgspec.field(default_factory=lambda: [0] * (len(AGES) + 1))
    """Number of records by the age of its newest row, in the bands of `AGES`."""


class ConflictFigures(msgspec.Struct):
    compared: int = 0
    """Records of which several sources state the field."""
    differing: int = 0
    """Those of them of which the sources state different values."""


class KindFigures(msgspec.Struct, rename="camel"):
    """Figures of all contacts or companies."""

    all: GroupFigures = msgspec.field(default_factory=GroupFigures)
    stubs: int = 0
    """Companies that are only named by other records, which count nowhere else."""
    countries: dict[str, GroupFigures] = {}
    """By code; "" for records without a country."""
    sources: dict[str, SourceFigures] = {}
    conflicts: dict[str, ConflictFigures] = {}


class UnreadColumn(msgspec.Struct, rename="camel"):
    """Values of a column that the last import of a source could not read."""

    source: str
    kind: str
    import_id: int
    column: str
    values: int


class QualityFigures(msgspec.Struct, rename="camel"):
    at: str
    """Time of the report."""
    contacts: KindFigures
    companies: KindFigures
    unread: list[UnreadColumn] = []

    def kinds(self) -> Iterator[tuple[Entity, KindFigures]]:
        yield Entity.CONTACT, self.contacts
        yield Entity.COMPANY, self.companies


class SourceContent(msgspec.Struct):
    """Newest content of a source in a record."""

    day: str
    values: Sequence[Any]
    """By the position of the field."""


class FigureCounter:
    """Counter of the figures of one kind, record by record."""

    def __init__(self, entity: Entity, today: date) -> None:
        self._fields = FIELDS[entity]
        self._names = [field.name for field in self._fields]
        self._today = today
        self.figures = KindFigures()

    def values(self, record: Any) -> list[Any]:
        """Return the value of each field of a record or a row."""
        return [field.value(record) for field in self._fields]

    def add(self, record: Any, values: Sequence[Any], sources: Mapping[str, SourceContent]) -> None:
        """Count a record with what each source holds of it."""
        figures = self.figures
        filled = [name for name, value in zip(self._names, values, strict=True) if value]
        _count(figures.all, filled)
        _count(_group(figures.countries, country_of(record), GroupFigures), filled)
        for name, row in sources.items():
            group = _group(figures.sources, name, SourceFigures)
            _count(group, [field for field, value in zip(self._names, row.values, strict=True) if value])
            group.ages[self._age(row.day)] += 1
        if len(sources) > 1:
            self._compare(list(sources.values()))

    def _age(self, day: str) -> int:
        days = (self._today - date.fromisoformat(day)).days
        return sum(days > bound for bound in AGES)

    def _compare(self, rows: Sequence[SourceContent]) -> None:
        for position, field in enumerate(self._fields):
            if field.compared is None:
                continue
            compared = [field.compared(value) for row in rows if (value := row.values[position])]
            if len(compared) < 2:
                continue
            conflict = _group(self.figures.conflicts, field.name, ConflictFigures)
            conflict.compared += 1
            conflict.differing += not agree(compared)


def _count(group: GroupFigures, filled: Sequence[str]) -> None:
    group.records += 1
    for name in filled:
        group.fields[name] = group.fields.get(name, 0) + 1


def _group(groups: dict[str, G], name: str, make: Callable[[], G]) -> G:
    found = groups.get(name)
    if found is None:
        found = groups[name] = make()
    return found
