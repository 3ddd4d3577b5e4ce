"""Factory of search engines: what an engine supplies to be chosen by `FIRMOGRAPH_SEARCH_ENGINE`."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from firmograph.database.connection import Database
from firmograph.indexing.all_records import ReportProgress
from firmograph.indexing.follower import FollowingIndex
from firmograph.kit.clock import Clock
from firmograph.prospecting.engines.port import SearchEngine, SearchIndex
from firmograph.settings import Settings


class ServedSearch(NamedTuple):
    """Search of a server process."""

    active: SearchIndex
    """The engine in service."""
    following: Sequence[FollowingIndex]
    """What the process keeps up to date for it."""


class IndexSummary(NamedTuple):
    """An index after it was brought up to date."""

    location: str
    bytes: int
    contacts: int
    companies: int
    applied: int
    """Last applied number of the change sequence."""
    rebuilt: bool
    """Built from the records, not from an earlier state of the index."""


class EngineFactory(Protocol):
    """Makes one engine for each use. Raises Refused, with advice, if its index cannot be stored."""

    def serve(self, database: Database, clock: Clock, settings: Settings) -> ServedSearch:
        """Return the engine of a server process, and what keeps it up to date."""
        ...

    def open(self, database: Database, settings: Settings, report: ReportProgress) -> SearchEngine:
        """Return an engine with all changes as of now, for a command."""
        ...

    def update(
        self, database: Database, settings: Settings, report: ReportProgress, *, rebuild: bool
    ) -> IndexSummary:
        """Bring the stored index up to date, or rebuild it."""
        ...
