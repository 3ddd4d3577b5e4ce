"""Types of imports, shared by their store and services."""

from enum import IntEnum
from typing import Final, Literal, NamedTuple, Self, cast

import msgspec

from firmograph.ingest.merging.source_history import Row, RowSlot
from firmograph.security.record_ids import Entity

ImportState = Literal["running", "done", "interrupted", "undoing", "undone"]

RECORD_KINDS: Final = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}
"""Kinds of imports that can be taken back; the other ones are of facts."""


class RecordRole(IntEnum):
    """How an import came to a record."""

    MET = 1
    """A row was of this record, whether it changed it or not."""
    CREATED = 2
    NAMED = 3
    """A row named this company as employer, owner or competitor."""
    OPTED_OUT = 4
    """A row said that this contact objects to be contacted."""


class StoredImport(NamedTuple):
    """An import, in the order of its columns."""

    id: int
    kind: str
    """`contacts`, `companies`, or a kind of facts."""
    source: str
    file: str
    """Names of its files without folders, joined by commas; `-` for standard input."""
    sha256: str
    mapping: str | None
    """JSON."""
    actor: str
    started_at: float
    ended_at: float | None
    state: str
    """As stored; `state_at` also tells a running import from one that has died."""
    alive_until: float
    counts: str
    """JSON."""
    undo: str | None
    """JSON of `UndoProgress`."""
    kept: int
    """1 until the rows that it replaced are removed."""

    def state_at(self, now: float) -> ImportState:
        """Return the state; a running import that gave no sign of life for its lease was interrupted."""
        is_dead = self.state == "running" and self.alive_until <= now
        return "interrupted" if is_dead else cast(ImportState, self.state)

    @property
    def last_at(self) -> float:
        """Time after its last commit."""
        return self.alive_until if self.ended_at is None else self.ended_at

    def can_be_undone(self, now: float) -> bool:
        """Return whether an undo may take it back, if no later import met its records."""
        return self.kind in RECORD_KINDS and bool(self.kept) and self.state_at(now) != "running"


class AddedCounts(msgspec.Struct, rename="camel"):
    """Counts that add up over commits."""

    def add(self, other: Self) -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class FormerRow(NamedTuple):
    """Row of a slot before an import changed it."""

    entity: Entity
    record: int
    slot: RowSlot
    row: Row | None
    """With its body; None if there was no row."""
    import_id: int = 0
    place: int = 0
    """Order of those of one slot."""
