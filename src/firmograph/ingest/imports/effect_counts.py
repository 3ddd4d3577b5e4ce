"""Counts of the effects of planned undos and removals on records and their uses."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from firmograph.database.connection import Session
from firmograph.privacy.declarations import PersonalData, UseCounter
from firmograph.security.record_ids import Entity

PART_RECORDS: Final = 1_000
"""Records that are read at a time."""


@dataclass
class EffectCounts:
    """Effects on records."""

    removed: Counter[Entity] = field(default_factory=Counter)
    """Records that no source would state any more; companies among them stay if contacts name them."""
    changed: int = 0
    """Records that would remain with other rows."""
    uses: Counter[str] = field(default_factory=Counter)
    """Uses of the removed records by accounts, by what they are: paid records, rows of tables, subscriptions."""
    accounts: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The accounts of each use."""


class UseCounters:
    """Counters of the uses of records, of all packages."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        self._counters: dict[str, UseCounter] = {
            name: count for each in declarations for name, count in each.counters.items()
        }

    def add_removed(
        self, session: Session, effects: EffectCounts, entity: Entity, numbers: Sequence[int]
    ) -> None:
        """Add records that would go, with their uses."""
        effects.removed[entity] += len(numbers)
        for name, count in self._counters.items():
            uses = count(session, entity, numbers)
            effects.uses[name] += uses.total
            effects.accounts[name] |= uses.accounts
