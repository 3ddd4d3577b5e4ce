"""Port of search engines, in this process or elsewhere. It only asks; an index side of its own follows the changes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.removed_records import NONE_REMOVED, RemovedRecords
from firmograph.prospecting.engines.query import EmployeeCriterion, Employees, Query, SearchResult
from firmograph.security.record_ids import Entity


class Suggestion(NamedTuple):
    value: str
    """A stored value of the field."""
    weight: int
    """Number of listed records with the value; for a company name, number of contacts of the company."""
    number: int | None = None
    """Number of the company record, for company names only."""


class SearchEngine(Protocol):
    """Search over the records up to a position in the change sequence.

    Each call sees one state, never half of a batch of changes. `removed` are records that were deleted from the
    database after `applied`: they are in no result, total, count or suggestion.

    An engine elsewhere limits the time of each call and raises SearchUnavailable (503 with `Retry-After`) when the
    time is over or the engine cannot be reached. Nobody may ask it while holding the database's writer.
    """

    @property
    def applied(self) -> int:
        """Position up to which all changes are searchable, as last known: never too high, and never waited for."""
        ...

    def search(self, query: Query, removed: RemovedRecords = NONE_REMOVED) -> SearchResult:
        """Return the total and one page."""
        ...

    def search_many(
        self, queries: Sequence[Query], removed: RemovedRecords = NONE_REMOVED
    ) -> list[SearchResult]:
        """Return the results of several searches, asked together; each may see a later state than the one before."""
        ...

    def matches(self, query: Query, removed: RemovedRecords = NONE_REMOVED) -> Iterator[list[int]]:
        """Yield the records of all pages in order, in chunks, as of the first chunk; `offset` and `size` are ignored.

        Records that were deleted while they are read may still be among them.
        """
        ...

    def employees(
        self,
        companies: Sequence[int],
        criteria: Sequence[EmployeeCriterion],
        removed: RemovedRecords = NONE_REMOVED,
    ) -> Employees:
        """Return all contacts whose present employer is one of the companies, and the criteria that each meets.

        `companies` are different record numbers; one without contacts, known or not, has none in the result.
        """
        ...

    def facet_counts(
        self, entity: Entity, field: str, removed: RemovedRecords = NONE_REMOVED
    ) -> dict[str, int]:
        """Count the listed records by value, for a field with few distinct values.

        Listed records are those that a default search of their kind finds; partial companies are not listed.
        """
        ...

    def suggest(
        self, entity: Entity, field: str, text: str, limit: int, removed: RemovedRecords = NONE_REMOVED
    ) -> list[Suggestion]:
        """Return values of listed records that complete a text.

        Values that begin with the whole text come first, then values whose words begin with its words, then values
        within one edit (for words of at least 4 letters), then within two (for at least 8). Each group is ordered
        by weight.
        """
        ...

    def postcode_centre(
        self, postcode: str, removed: RemovedRecords = NONE_REMOVED
    ) -> tuple[float, float] | None:
        """Return latitude and longitude of a postcode (`fields.ZIP`), or None if no record has a position for it.

        It is the median of the positions of the contacts and companies with that postcode.
        """
        ...


SearchIndex = ActiveIndex[SearchEngine]
"""The engine in service. Requests ask it through a `SearchSnapshot` only."""
