"""The port of search engines: what prospecting needs of an index of the records, in this process or elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.query import Found, Query
from firmograph.security.record_ids import Entity


@dataclass(slots=True)
class Changes:
    """What became of records: read at one state of the database, applied together.

    Applying the same changes twice, or an older reading before a newer one, ends in the newer state.
    """

    sequence: int
    """The place in the change sequence that is reached once these are applied."""
    companies: Sequence[Entry] = ()
    contacts: Sequence[Entry] = ()
    removed_companies: Sequence[int] = ()
    removed_contacts: Sequence[int] = ()


class Suggestion(NamedTuple):
    value: str
    """An entry of the field, as held."""
    volume: int
    """How many listed records hold it; of company names, how many contacts the company has."""
    number: int | None = None
    """Of company names: the number of the company record."""


class SearchEngine(Protocol):
    """An index that follows the change sequence. A search, or a suggestion, sees one state: never half of a change.

    Engines are projections: they can be thrown away and filled again from the records.
    """

    @property
    def applied(self) -> int:
        """The place in the change sequence up to which every change can be found."""

    def apply(self, changes: Changes) -> None:
        """Take up changes; short enough at a time for searches to go on in between."""

    def remove(self, contacts: Sequence[int]) -> None:
        """Forget these contacts at once, ahead of the sequence: a suppressed person is in no later answer."""

    def search(self, query: Query) -> Found: ...

    def counts(self, entity: Entity, field: str) -> dict[str, int]:
        """Every value of a field of few values that a listed record holds, and how many do.

        Listed are the records that a default search of their kind finds: not partial companies.
        """

    def suggest(self, entity: Entity, field: str, text: str, most: int) -> list[Suggestion]:
        """Entries of listed records whose words begin with the words of a text: those that begin with the whole text
        first, each group by volume; then entries that differ by one edit (texts of 4 letters and more), or two (8 and
        more)."""

    def centre(self, postcode: str) -> tuple[float, float] | None:
        """Latitude and longitude of a postcode (`fields.ZIP`): the median of the positions of contacts and companies
        that have it, None when none has one."""

    def checkpoint(self) -> None:
        """Keep the state for the next start, when there is something to gain."""
