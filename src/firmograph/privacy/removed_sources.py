"""Interface of what keeps removed sources out of restored copies, supplied by the package of imports."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from firmograph.database.connection import Database, Session


@runtime_checkable
class RemovedSources(Protocol):
    """Sources that were removed from a database."""

    @abstractmethod
    def find_lacking(self, replaced: Session, copy: Session) -> Sequence[str]:
        """Return the sources removed from a database, and not lifted since, that its copy does not know as removed."""

    @abstractmethod
    def remove(self, copy: Database, names: Sequence[str]) -> None:
        """Remove sources from a copy that nobody else uses; it knows them as removed then."""
