"""Effects of planned undos and removals on records and their uses, counted without a change."""

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from pyroaring import BitMap

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.ingest.imports.undo_batches import missing_employers
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.company_survival import CompanySurvival, are_mentions
from firmograph.ingest.merging.source_history import Rows
from firmograph.ingest.merging.store import count_employees, read_rows
from firmograph.privacy.declarations import PersonalData, UseCounter
from firmograph.security.record_ids import Entity

_PART: Final = 1_000
"""Records that are read at a time."""


@dataclass
class EffectCounts:
    """Effects on records."""

    removed: Counter[Entity] = field(default_factory=Counter)
    """Records that nothing would state or name any more."""
    changed: int = 0
    """Records that would remain with other rows."""
    signals: int = 0
    """Signals that nobody else states, without those of removed records."""
    uses: Counter[str] = field(default_factory=Counter)
    """Uses of the removed records by accounts, by what they are: paid records, rows of tables, subscriptions."""
    accounts: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The accounts of each use."""


class RowPlan(Protocol):
    """Rows that an undo or a removal would take from records."""

    records: Mapping[Entity, BitMap]
    """Records that may lose rows."""
    named: BitMap
    """Companies that go if only stubs of them remain, which nothing names."""

    @abstractmethod
    def remaining(self, session: Session, entity: Entity, stored: Mapping[int, Rows]) -> dict[int, Rows]:
        """Return the rows that records with these rows would keep, by record."""


class EffectCounter:
    """Counter of the effects of row plans, in a read transaction."""

    def __init__(self, digests: Digests, declarations: Iterable[PersonalData]) -> None:
        self._digests = digests
        self._linker = Linker(digests)
        self._uses: dict[str, UseCounter] = {
            name: count for each in declarations for name, count in each.counters.items()
        }

    def count(self, session: Session, plan: RowPlan, effects: EffectCounts) -> None:
        """Add the effects of a plan."""
        links = Counter(count_employees(session))
        self._count_contacts(session, plan, effects, links)
        self._count_companies(session, plan, effects, links)

    def _count_contacts(
        self, session: Session, plan: RowPlan, effects: EffectCounts, links: Counter[int]
    ) -> None:
        """Add the contacts, and leave in `links` how many rows of contacts would name each company."""
        for stored, remaining in _parts(session, plan, Entity.CONTACT):
            emptied = [number for number in stored if not remaining[number]]
            rewritten = {
                number: remaining[number]
                for number, rows in stored.items()
                if remaining[number] and remaining[number] != rows
            }
            effects.changed += len(rewritten)
            self._add_removed(session, effects, Entity.CONTACT, emptied)
            links.subtract(_employers(stored))
            links.update(_employers(remaining))
            links.update(self._linked_again(session, rewritten))

    def _count_companies(
        self, session: Session, plan: RowPlan, effects: EffectCounts, links: Counter[int]
    ) -> None:
        """Add the companies: one without rows of sources stays as a stub while another record names it."""
        merged, reduced, emptied = BitMap(), BitMap(), BitMap()
        for stored, remaining in _parts(session, plan, Entity.COMPANY):
            for number, rows in stored.items():
                if not remaining[number]:
                    emptied.add(number)
                elif remaining[number] != rows:
                    (reduced if are_mentions(remaining[number]) else merged).add(number)
        touched = merged | reduced | emptied
        stubs = BitMap(
            number
            for rows in _stored_parts(session, Entity.COMPANY, plan.named - touched)
            for number in rows
            if are_mentions(rows[number])
        )
        candidates = emptied | (reduced & plan.named) | stubs
        unnamed = BitMap(number for number in candidates if links[number] <= 0)
        left = (
            (number, remaining[number])
            for _, remaining in _parts(session, plan, Entity.COMPANY)
            for number in remaining
            if number in merged
        )
        removed = unnamed - CompanySurvival(session, self._digests, unnamed).named_by(touched, left)
        effects.changed += len(touched - removed)
        for part in _split(removed):
            self._add_removed(session, effects, Entity.COMPANY, part)

    def _linked_again(self, session: Session, remaining: Mapping[int, Rows]) -> list[int]:
        """Return the companies to which rows would be linked whose employers were deleted."""
        refs = missing_employers(session, self._digests, remaining)
        found = self._linker.find(session, [ref for ref in refs.values() if ref])
        return [number for number in found if number is not None]

    def _add_removed(
        self, session: Session, effects: EffectCounts, entity: Entity, numbers: Sequence[int]
    ) -> None:
        """Add records that would go, with their uses."""
        effects.removed[entity] += len(numbers)
        for name, count in self._uses.items():
            uses = count(session, entity, numbers)
            effects.uses[name] += uses.total
            effects.accounts[name] |= uses.accounts


def _parts(
    session: Session, plan: RowPlan, entity: Entity
) -> Iterator[tuple[Mapping[int, Rows], Mapping[int, Rows]]]:
    """Yield the stored and the remaining rows of a plan's records, those of some records at a time."""
    for stored in _stored_parts(session, entity, plan.records[entity]):
        yield stored, plan.remaining(session, entity, stored)


def _stored_parts(session: Session, entity: Entity, numbers: BitMap) -> Iterator[dict[int, Rows]]:
    """Yield the rows of those of the records that exist."""
    for part in _split(numbers):
        yield {number: rows for number, rows in read_rows(session, entity, part).items() if rows}


def _split(numbers: BitMap) -> Iterator[Sequence[int]]:
    every = numbers.to_array()
    for start in range(0, len(every), _PART):
        yield every[start : start + _PART]


def _employers(records: Mapping[int, Rows]) -> list[int]:
    """Return the employer of each row that is linked to one."""
    return [
        row.company_id for rows in records.values() for row in rows.values() if row.company_id is not None
    ]
