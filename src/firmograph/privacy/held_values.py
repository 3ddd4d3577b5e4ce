"""Interface of what keeps values outside of records in step with the do-not-call registry and deletion lists."""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from firmograph.database.connection import Database


@runtime_checkable
class HeldValues(Protocol):
    """Values next to records, supplied by the package of the data waterfall."""

    @abstractmethod
    def review(self, database: Database) -> int:
        """Mark numbers as the registry has them, and delete what a deletion list names; return how many values change.

        Idempotent, in one transaction a page. Raises Busy and Unavailable.
        """
