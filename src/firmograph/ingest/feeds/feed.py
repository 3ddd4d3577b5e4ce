"""The interface of feeds: reading rows and applying facts (docs/reference/import.md#files-of-facts).

`service.py` reads the files, makes the commits and counts; a feed knows the meaning of the facts. Its result must be a
function of the facts alone: it may get the same facts again, in another order and in other portions, and an import may
end after any commit and start again.
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
from firmograph.ingest.reading.readers import ReadOptions
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.summary import RowResult
from firmograph.signals.events import Detected
from firmograph.signals.statements import Origin
from firmograph.signals.store import store_signals
from firmograph.signals.thresholds import Thresholds


class Fact(Protocol):
    """A parsed row: a struct or tuple of the feed's own."""

    @property
    def line(self) -> int:
        """Line in the file, from 1."""


class DatedFact(Fact, Protocol):
    @property
    def day(self) -> str:
        """`YYYY-MM-DD`."""


D = TypeVar("D", bound=DatedFact)


class FeedDependencies(NamedTuple):
    """Dependencies and options of feeds."""

    digests: Digests
    thresholds: Thresholds
    topics_file: str = ""
    as_of: str | None = None
    """`YYYY-MM-DD`: the day of hiring evaluation, where the operator gives one."""
    snapshot: bool = False
    """Whether the files hold all open postings of that day."""


class Commit(NamedTuple):
    """One transaction of the scope RECORDS, with the import's source and time."""

    session: Session
    source: int
    """Number of the files' source."""
    source_name: str
    day: str
    """Day of the import, `YYYY-MM-DD`."""
    at: float
    """Time of the import in seconds since the epoch."""
    quiet: bool = False
    """Whether webhooks omit its signals (`import --no-deliver`)."""
    import_id: int | None = None
    """Number of the import, None if it is not listed."""

    @property
    def origin(self) -> Origin:
        return Origin(self.source, self.import_id)

    @property
    def latest(self) -> str:
        """The last day of accepted facts: tomorrow, which has begun in some time zone."""
        return (date.fromisoformat(self.day) + timedelta(days=1)).isoformat()

    def reject_future(self, facts: Sequence[D]) -> tuple[list[D], list[Reject]]:
        """Return the facts up to `latest`, and a reject for each later one."""
        latest = self.latest
        rejects = [Reject(fact.line, "in the future") for fact in facts if fact.day > latest]
        return ([fact for fact in facts if fact.day <= latest] if rejects else list(facts)), rejects

    def store_signals(self, digests: Digests, detected: Iterable[Detected]) -> int:
        """Store signals, stated by the import's source, and return how many are new."""
        return store_signals(self.session, digests, detected, self.at, quiet=self.quiet, origin=self.origin)

    def find_companies(self, finder: Finder, refs: Sequence[CompanyRef]) -> list[int | None]:
        """Return the record number of each company, None where there is no record; create none."""
        return finder.find(self.session, refs)


class CommitResult(NamedTuple):
    """The result of a commit: each row has an outcome or a reject."""

    outcomes: Sequence[RowResult] = ()
    rejects: Sequence[Reject] = ()
    """Rows rejected after comparison with the records, such as those of unknown companies; no values of rows."""
    signals: int = 0
    """Number of new signals."""
    unnamed: int = 0
    """Number of rows about no stored company."""


F = TypeVar("F")


class Feed(Protocol[F]):
    """One kind of facts, for one import."""

    # declared as properties, so that class attributes satisfy the protocol

    @property
    def kind(self) -> str:
        """Name in `firmograph import KIND`."""

    @property
    def row(self) -> type[msgspec.Struct]:
        """Fields of a row: camel-case names, None for absent values."""

    @property
    def needs(self) -> Sequence[str]:
        """Required fields; a table without a column for one of them is refused."""

    @property
    def aliases(self) -> Mapping[str, str]:
        """Fields by alternative table headers (lower case, letters and digits only)."""

    def read_fact(self, line: int, row: Any) -> F:
        """Return the fact of a row, without the database. Raise Unusable with the reason."""

    def apply(self, commit: Commit, facts: Sequence[F]) -> CommitResult:
        """Write facts, and the signals that each shows on its own."""

    def steps(self) -> "Iterator[FinalStep]":
        """Yield the steps after all rows of all files, each for a commit of its own."""


@runtime_checkable
class LookAheadFeed(Protocol):
    """A feed that reads all rows before the first one is written."""

    def look_ahead(self, files: Sequence[tuple[Path, ReadOptions]], day: str) -> None:
        """Read the files once, outside of any transaction; `day` is the day of the import."""


class FinalStep(Protocol):
    def __call__(self, commit: Commit) -> int:
        """Run the step and return how many signals it detected."""
