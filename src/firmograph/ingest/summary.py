"""What an import did, row by row and in all (docs/reference/import.md#summary)."""

from typing import Any

import msgspec

from firmograph.ingest.records.unread_values import ColumnCounts


class RowResult(msgspec.Struct, frozen=True):
    """What became of one row."""

    line: int
    created: bool = False
    updated: bool = False
    unchanged: bool = False
    suppressed: bool = False
    conflict: bool = False
    """A weaker key of the row belongs to another record, and stayed there."""
    employer: bool = False
    """What the row of a contact says of the employer made or changed a record of a company."""


class Summary(msgspec.Struct, rename="camel"):
    read: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    suppressed: int = 0
    conflicts: int = 0
    employers: int = 0
    """How many rows of contacts made or changed their employer's record."""
    rejects_file: str | None = None
    values: ColumnCounts = msgspec.field(default_factory=ColumnCounts)

    @property
    def accepted(self) -> int:
        """Rows that went in, or were there already."""
        return self.created + self.updated + self.unchanged

    def shown(self) -> dict[str, Any]:
        """What `--json` prints."""
        counts: dict[str, Any] = msgspec.to_builtins(self)
        del counts["values"], counts["employers"]
        return counts | {"unread": msgspec.to_builtins(self.values.unread)}

    def count(self, outcome: RowResult) -> None:
        self.created += outcome.created
        self.updated += outcome.updated
        self.unchanged += outcome.unchanged
        self.suppressed += outcome.suppressed
        self.conflicts += outcome.conflict
        self.employers += outcome.employer


class FeedSummary(Summary):
    """Of an import of dated facts about companies."""

    signals: int = 0
    """How many were detected that were not held before."""
    unnamed: int = 0
    """Articles and posts that name no company that is held."""

    @property
    def accepted(self) -> int:
        return super().accepted + self.unnamed
