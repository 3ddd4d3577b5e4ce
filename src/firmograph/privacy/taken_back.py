"""Interface of what keeps removed sources and imports that were taken back out of restored copies."""

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
    """Removals of sources and undos of imports, supplied by the package of imports."""

    @abstractmethod
    def find_left(self, replaced: Session, copy: Session) -> LeftToTakeBack:
        """Return what was taken back in a database and still stands in its copy."""

    @abstractmethod
    def take_back(self, copy: Database, left: LeftToTakeBack) -> None:
        """Take it back in a copy that nobody else uses."""
