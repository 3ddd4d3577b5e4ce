"""Which version of a source's row is its last one, and what the others leave behind (decisions A).

The newest day wins, whatever the order of arrival; on one day the version that came last does. A version that
came before is known by its digest and changes nothing when it comes again. An older version still tells of the
job that it shows: jobs only gather, so their order is of no account either.
"""

from typing import NamedTuple

import msgspec

from firmograph.directory.records import PastJob
from firmograph.ingest.merge import job_key

_KEPT_VERSIONS = 100
"""How many former versions of one row are remembered; a feed that changes daily is covered for three months."""


class History(msgspec.Struct, omit_defaults=True):
    versions: list[str] = []
    """Digests of former versions, oldest first, as hex."""
    jobs: list[PastJob] = []
    """The jobs that former versions showed, with their employers' record numbers."""

    def remember(self, version: bytes, job: PastJob | None) -> None:
        if version.hex() not in self.versions:
            self.versions = [*self.versions, version.hex()][-_KEPT_VERSIONS:]
        if job is not None and all(not _same_job(job, held) for held in self.jobs):
            # kept in an order of their own, so that the order of arrival does not show
            self.jobs = sorted([*self.jobs, job], key=lambda one: (one.company.id or 0, *job_key(one)))


def _same_job(one: PastJob, other: PastJob) -> bool:
    return one.company.id == other.company.id and job_key(one)[1] == job_key(other)[1]


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
