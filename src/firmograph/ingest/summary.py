"""Results of an import per row and in total (docs/reference/import.md#summary)."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.unread_values import ColumnCounts


class RowResult(msgspec.Struct, frozen=True):
    """The result of one imported row."""

    line: int
    created: bool = False
    updated: bool = False
    unchanged: bool = False
    suppressed: bool = False
    conflict: bool = False
    """Whether a weaker key of the row belongs to another record, which keeps it."""
    employer: bool = False
    """Whether a contact's row created or changed its employer's record."""


class Summary(msgspec.Struct, rename="camel"):
    can_be_undone: ClassVar[bool] = True

    read: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    suppressed: int = 0
    conflicts: int = 0
    employers: int = 0
    """Number of contacts' rows that created or changed their employer's record."""
    lost: int = 0
    """Rejected rows with which data is lost."""
    rejects_file: str | None = None
    import_id: int | None = None
    """Number by which the import can be taken back."""
    values: ColumnCounts = msgspec.field(default_factory=ColumnCounts)

    @property
    def accepted(self) -> int:
        """Return the number of rows that are stored now, changed or not."""
        return self.created + self.updated + self.unchanged

    def json_fields(self) -> dict[str, Any]:
        """Return the output of `--json`."""
        counts: dict[str, Any] = msgspec.to_builtins(self)
        del counts["values"], counts["employers"], counts["lost"], counts["importId"]
        values = self.values
        shown = {
            "unread": values.unread,
            "repaired": values.repaired,
            "skipped": values.skipped,
            "unknown": values.unknown,
        }
        return counts | {name: msgspec.to_builtins(each) for name, each in shown.items()}

    def count_lost(self, rejects: Iterable[Reject]) -> None:
        self.lost += sum(reject.is_lost for reject in rejects)

    def count(self, result: RowResult) -> None:
        self.created += result.created
        self.updated += result.updated
        self.unchanged += result.unchanged
        self.suppressed += result.suppressed
        self.conflicts += result.conflict
        self.employers += result.employer


class FeedSummary(Summary):
    """Summary of a feed's import."""

    can_be_undone: ClassVar[bool] = False

    signals: int = 0
    """Number of new signals."""
    unnamed: int = 0
    """Number of articles and posts that name no stored company."""

    @property
    def accepted(self) -> int:
        return super().accepted + self.unnamed
