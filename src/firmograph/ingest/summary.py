"""Results of an import per row and in total (docs/reference/import.md#summary)."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

import msgspec

from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.unread_values import ColumnCounts


class Join(NamedTuple):
    """Join of the first row of a source to a record of other sources."""

    key: str
    """Name of the key that they share."""
    sources: list[str]
    """All sources of the record."""


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
    record: int = 0
    """Number of the row's record."""
    join: Join | None = None


class Summary(msgspec.Struct, rename="camel"):
    can_be_undone: ClassVar[bool] = True
    labels: ClassVar[Mapping[str, str]] = {}
    """Words for fields of `json_fields` in the printed summary; others are printed by their names."""

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
    values_file: str | None = msgspec.field(default=None, name="rejectsWithValues")
    opted_out: int = 0
    """Number of people that the files mark as opted out."""
    opted_out_suppressed: int = 0
    """Number of records removed because of these marks."""
    joined: dict[str, int] = {}
    """Number of records of other sources that took rows, by the name of the key that joined them."""
    import_id: int | None = None
    """Number by which the import can be taken back."""
    complete: bool | None = None
    """Whether it counts as complete; None if nobody said that the files are all of the source."""
    values: ColumnCounts = msgspec.field(default_factory=ColumnCounts)

    @property
    def accepted(self) -> int:
        """Return the number of rows that are stored now, changed or not."""
        return self.created + self.updated + self.unchanged

    def json_fields(self) -> dict[str, Any]:
        """Return the output of `--json`."""
        counts: dict[str, Any] = msgspec.to_builtins(self)
        del counts["values"], counts["employers"], counts["lost"], counts["importId"]
        if self.complete is None:
            del counts["complete"]
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
        if result.join:
            self.joined[result.join.key] = self.joined.get(result.join.key, 0) + 1


class FeedSummary(Summary):
    """Summary of a feed's import, which neither joins records nor marks people."""

    can_be_undone: ClassVar[bool] = False

    signals: int = 0
    """Number of new signals."""
    unnamed: int = 0
    """Number of articles and posts that name no stored company."""

    @property
    def accepted(self) -> int:
        return super().accepted + self.unnamed

    def json_fields(self) -> dict[str, Any]:
        others = ("optedOut", "optedOutSuppressed", "joined", "rejectsWithValues")
        return {name: value for name, value in super().json_fields().items() if name not in others}
