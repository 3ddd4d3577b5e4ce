"""Index kinds: what a feature supplies so that its index follows the change sequence."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from firmograph.database.connection import Session
from firmograph.indexing.all_records import AllRecords
from firmograph.indexing.change_batches import ChangeBatch
from firmograph.indexing.checkpoint_file import CheckpointReader, CheckpointWriter


class Index(Protocol):
    """Index that follows the change sequence, in this process or elsewhere.

    It is a projection: it can be discarded and built from the records. Only the follower's thread changes it.
    """

    @property
    def applied(self) -> int:
        """Position in the change sequence up to which all changes are in the index."""
        ...

    def missing_companies(self, numbers: Collection[int]) -> Collection[int]:
        """Return which employers of changed contacts it has to be given along with them."""
        ...

    def apply(self, changes: Any) -> None:
        """Apply what `ChangeFormat.prepare` returned for a batch; afterwards `applied` is the batch's position."""
        ...


class ChangeFormat(Protocol):
    """Form in which an index takes its changes. Sent to other processes, so it holds no state."""

    name: ClassVar[str]
    """Name of the index, in the names of files and figures."""
    changes: ClassVar[Any]
    """Type of prepared changes, which msgspec can encode."""

    def prepare(self, batch: ChangeBatch) -> Any:
        """Return what the index needs of a batch, in this process or in one that reads ahead of it."""
        ...


I = TypeVar("I", bound=Index)  # noqa: E741 - an index


class IndexKind(ABC, Generic[I]):
    """How an index in this process is built, saved and loaded; a `ChangeFormat` as well.

    Location, locks and identity of checkpoints, other processes and the change-over are the same for all kinds.
    """

    name: ClassVar[str]
    changes: ClassVar[Any]
    format: ClassVar[str]
    """Changes with the content of checkpoints. A checkpoint of another format is discarded."""

    @abstractmethod
    def prepare(self, batch: ChangeBatch) -> Any: ...

    @abstractmethod
    def build(self, records: AllRecords) -> I:
        """Build the index from all records, at the position `records.sequence`.

        It may contain later changes already; they are applied again.
        """

    @abstractmethod
    def save(self, index: I, file: CheckpointWriter) -> None:
        """Add the content of the index to a checkpoint. The index does not change until it is written."""

    @abstractmethod
    def load(self, file: CheckpointReader) -> I:
        """Return the index of a checkpoint, at the position `file.applied`."""

    def dead_share(self, index: I) -> float:
        """Return the share of the index, 0 to 1, that a rebuild would save."""
        return 0.0

    def is_outdated(self, index: I, session: Session) -> bool:
        """Return whether the database has what the index should be built with instead, such as a newer model.

        The index answers and follows the changes until its replacement does. A statement of microseconds at most.
        """
        return False

    def warm_up(self) -> None:
        """Load ahead of time what the first changes need, if that takes long."""
