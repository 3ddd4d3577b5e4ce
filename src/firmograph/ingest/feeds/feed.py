"""What a kind of dated facts is: how its rows are read, and what they change (docs/reference/import.md#files-of-facts).

`service.py` reads the files, makes the commits and counts; a feed knows what the facts mean. What it leaves behind must
be a function of the facts alone: it may be given the same facts again, in another order and in other portions, and an
import may end after any commit and begin again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.directory.records import CompanyRef
from firmograph.ingest.merging.company_linking import Finder
from firmograph.ingest.reading.readers import Reading
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.summary import Outcome
from firmograph.signals.events import Detected
from firmograph.signals.store import put
from firmograph.signals.thresholds import Thresholds


class Fact(Protocol):
    """A row that was read: a struct or tuple of the feed's own."""

    @property
    def line(self) -> int:
        """In its file, from 1."""


class DatedFact(Fact, Protocol):
    @property
    def day(self) -> str:
        """`YYYY-MM-DD`."""


D = TypeVar("D", bound=DatedFact)


class FeedDependencies(NamedTuple):
    """What feeds are made from."""

    digests: Digests
    thresholds: Thresholds
    topics_file: str = ""
    as_of: str | None = None
    """`YYYY-MM-DD`: the day as of which hiring is judged, where the operator says one."""
    snapshot: bool = False
    """Whether the files hold all postings that are open as of that day."""


class Commit(NamedTuple):
    """One transaction of the scope RECORDS, and what a feed needs in it."""

    session: Session
    source: int
    """The number of the source that the files come from."""
    source_name: str
    day: str
    """Of the import, `YYYY-MM-DD`."""
    at: float
    """Of the import, seconds since the epoch."""
    quiet: bool = False
    """Whether webhooks are not to tell of its signals (`import --no-deliver`)."""

    @property
    def latest(self) -> str:
        """The last day of which anything can be told: tomorrow, as it has begun somewhere."""
        return (date.fromisoformat(self.day) + timedelta(days=1)).isoformat()

    def reject_future(self, facts: Sequence[D]) -> tuple[list[D], list[Reject]]:
        """The facts of days up to `latest`, and the others set aside."""
        latest = self.latest
        rejects = [Reject(fact.line, "in the future") for fact in facts if fact.day > latest]
        return ([fact for fact in facts if fact.day <= latest] if rejects else list(facts)), rejects

    def store_signals(self, digests: Digests, detected: Iterable[Detected]) -> int:
        """Store signals; how many were not held yet."""
        return put(self.session, digests, detected, self.at, quiet=self.quiet)

    def find_companies(self, finder: Finder, refs: Sequence[CompanyRef]) -> list[int | None]:
        """The number of the held company that each one means; never makes a record of it."""
        return finder.find(self.session, refs)


class CommitResult(NamedTuple):
    """What a commit did, row by row: each row has an outcome or a reject."""

    outcomes: Sequence[Outcome] = ()
    rejects: Sequence[Reject] = ()
    """Of rows that could be told only beside the records: a company that is not held (no value of the row in it)."""
    signals: int = 0
    unnamed: int = 0


F = TypeVar("F")


class Feed(Protocol[F]):
    """One kind of facts, for one import."""

    # properties here, so that plain attributes of a class or of its objects will do

    @property
    def kind(self) -> str:
        """As in `firmograph import KIND`."""

    @property
    def row(self) -> type[msgspec.Struct]:
        """What a row may look like: camel-case fields, None for what is absent."""

    @property
    def needs(self) -> Sequence[str]:
        """The fields without which no row tells anything; a table without a column for one of these is refused."""

    @property
    def aliases(self) -> Mapping[str, str]:
        """Other headers of a table (lower case, letters and digits only), and the field that each means."""

    def read_fact(self, line: int, row: Any) -> F:
        """The fact of a row. Raises Unusable with the reason; without the database."""

    def apply(self, commit: Commit, facts: Sequence[F]) -> CommitResult:
        """Write facts, and the signals that they show by themselves."""

    def steps(self) -> "Iterator[FinalStep]":
        """What is to be done once all rows of all files are in, each in a commit of its own."""


@runtime_checkable
class LookAheadFeed(Protocol):
    """A feed that has to know something of all rows before the first one is written."""

    def look_ahead(self, files: Sequence[tuple[Path, Reading]], day: str) -> None:
        """Read the files once, on the day of the import; outside of any transaction."""


class FinalStep(Protocol):
    def __call__(self, commit: Commit) -> int:
        """Returns how many signals were detected."""
