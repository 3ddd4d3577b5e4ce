"""Port of search engines, in this process or elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.query import Query, SearchResult
from firmograph.security.record_ids import Entity


@dataclass(slots=True)
class Changes:
    """Changes to records, read from one state of the database and applied together.

    Applying the same changes twice, or an older reading before a newer one, ends in the newer state.
    """

    sequence: int
    """Position in the change sequence that is reached once these are applied."""
    companies: Sequence[Entry] = ()
    contacts: Sequence[Entry] = ()
    removed_companies: Sequence[int] = ()
    removed_contacts: Sequence[int] = ()


class Suggestion(NamedTuple):
    value: str
    """A stored value of the field."""
    weight: int
    """Number of listed records with the value; for a company name, number of contacts of the company."""
    number: int | None = None
    """Number of the company record, for company names only."""


class SearchEngine(Protocol):
    """Search index that follows the change sequence.

    A search or a suggestion sees one state, never half of a batch of changes. An engine is a projection: it can be
    discarded and rebuilt from the records.
    """

    @property
    def applied(self) -> int:
        """Position in the change sequence up to which all changes are searchable."""

    def apply(self, changes: Changes) -> None:
        """Apply a batch of changes, small enough for searches to run in between."""

    def remove_contacts(self, contacts: Sequence[int]) -> None:
        """Remove contacts at once, ahead of the sequence, so that a suppressed person is in no later response."""

    def search(self, query: Query) -> SearchResult: ...

    def facet_counts(self, entity: Entity, field: str) -> dict[str, int]:
        """Count the listed records by value, for a field with few distinct values.

        Listed records are those that a default search of their kind finds; partial companies are not listed.
        """

    def suggest(self, entity: Entity, field: str, text: str, limit: int) -> list[Suggestion]:
        """Return values of listed records that complete a text.

        Values that begin with the whole text come first, then values whose words begin with its words, then values
        within one edit (for words of at least 4 letters), then within two (for at least 8). Each group is ordered
        by weight.
        """

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        """Return latitude and longitude of a postcode (`fields.ZIP`), or None if no record has a position for it.

        It is the median of the positions of the contacts and companies with that postcode.
        """
