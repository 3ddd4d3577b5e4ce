"""Interface of what keeps restored copies up to date with removals, undos, and lists of numbers and hashes."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from firmograph.database.connection import Database, Session


class LeftToTakeBack(NamedTuple):
    """What was taken back in a database and still stands in its copy."""

    sources: Sequence[str] = ()
    """Sources that were removed, and not lifted since."""
    imports: Sequence[int] = ()
    """Imports that were taken back by themselves."""


@runtime_checkable
class TakenBack(Protocol):
    """Removals of sources, undos of imports and lists, supplied by the package of imports."""

    @abstractmethod
    def find_left(self, replaced: Session, copy: Session) -> LeftToTakeBack:
        """Return what was taken back in a database and still stands in its copy."""

    @abstractmethod
    def take_back(self, copy: Database, left: LeftToTakeBack) -> None:
        """Take it back in a copy that nobody else uses."""

    @abstractmethod
    def carry_lists(self, replaced: Session, copy: Database) -> int:
        """Add the do-not-call numbers and deletion lists of a database to its copy, and apply them there.

        Return how many numbers and hashes the copy lacked.
        """
