"""Interface of what holds values next to records, for searches and lists of e-mail addresses and numbers."""

from abc import abstractmethod
from collections.abc import Collection
from typing import Protocol, runtime_checkable

from firmograph.database.connection import Database, Session


@runtime_checkable
class HeldValues(Protocol):
    """Values next to records, supplied by the package of the data waterfall."""

    @abstractmethod
    def review(self, database: Database) -> int:
        """Mark numbers as the registry has them, and delete what a deletion list names; return how many values change.

        Idempotent, in one transaction a page. Raises Busy and Unavailable.
        """

    @abstractmethod
    def find_holders(self, session: Session, numbers: Collection[str]) -> list[tuple[str, int]]:
        """Return those of these E.164 numbers that are held next to records, with the contacts that they are of."""
