"""Which version of a source's row is its last one, and what the others leave behind (decisions A).

The newest day wins, whatever the order of arrival; on one day the version that came last does. A version that
came before is known by its digest and changes nothing when it comes again. An older version still tells of the
job that it shows: jobs only gather, so their order is of no account either.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from firmograph.directory.records import PastJob
from firmograph.ingest.merge import job_key

_KEPT_VERSIONS = 100
"""How many former versions of one row are remembered; a feed that changes daily is covered for three months."""
_KEPT_JOBS = 50
"""How many former employers the versions of one row are remembered for: more than anybody had."""
_MOST_ROWS = 100
"""How many rows a record is merged from, so that a key that a whole file shares costs each of its rows alike."""


class SeenJob(msgspec.Struct, array_like=True):
    """The job that a former version showed."""

    day: str
    job: PastJob
    """With its employer's record number."""


class History(msgspec.Struct, omit_defaults=True):
    versions: list[str] = []
    """Digests of former versions, oldest first, as hex."""
    jobs: list[SeenJob] = []
    """The last job at each employer."""

    def remember(self, version: bytes, day: str, job: PastJob | None) -> None:
        if version.hex() not in self.versions:
            self.versions = [*self.versions, version.hex()][-_KEPT_VERSIONS:]
        if job is not None:
            seen = SeenJob(day, job)
            jobs = {one.job.company.id: one for one in self.jobs}
            held = jobs.get(job.company.id, seen)
            # the newest day's job, and on one day the same one whatever came first
            jobs[job.company.id] = max(held, seen, key=lambda one: (one.day, msgspec.json.encode(one.job)))
            self.jobs = sorted(jobs.values(), key=lambda one: (one.day, job_key(one.job)))[-_KEPT_JOBS:]

    def past_jobs(self) -> list[PastJob]:
        """Newest first."""
        return [seen.job for seen in reversed(self.jobs)]


class Row(NamedTuple):
    """A source's last row of one record, as it is stored."""

    version: bytes
    day: str
    company_id: int | None
    row: bytes | None
    history: bytes | None


def history_of(row: Row) -> History:
    return msgspec.json.decode(row.history, type=History) if row.history else History()


def is_known(row: Row, version: bytes) -> bool:
    """Whether this version came before, so that it changes nothing now."""
    return row.version == version or version.hex() in history_of(row).versions


def latest(old: Row, row: Row, job_of: Callable[[Row], PastJob | None]) -> Row:
    """The row that a source's place holds once `row` has come to it; the other one stays behind in its history."""
    history = history_of(old)
    kept, gone = (old, row) if row.day < old.day else (row, old)
    history.remember(gone.version, gone.day, job_of(gone))
    return kept._replace(history=msgspec.json.encode(history))


Rows = dict[tuple[int, str], Row]
"""A record's rows by source number and source id."""


def drop_oldest(rows: Rows) -> set[tuple[int, str]]:
    """Leave out the oldest row, and tell which, where there are more than a record is merged from.

    What only names a company stays, so that the same naming finds it again.
    """
    if len(rows) <= _MOST_ROWS:
        return set()
    oldest = min((at for at in rows if rows[at].version), key=lambda at: (rows[at].day, at))
    del rows[oldest]
    return {oldest}


class _HasRows(Protocol):
    rows: Rows


H = TypeVar("H", bound=_HasRows)


def by_name(at: tuple[int, str], version: bytes, named: Sequence[H], like: Sequence[H]) -> H | None:
    """The record of a row that only its name tells, among those of that name and those that it may join.

    A row that came before goes where it went, although that record may have better keys by now; and a source's
    only row without an id stays one record beside namesakes with ids. Else the only one that it may join.
    """
    for held in named:
        if at in held.rows and is_known(held.rows[at], version):
            return held
    own = [held for held in like if at in held.rows]
    return own[0] if own else like[0] if len(like) == 1 else None
