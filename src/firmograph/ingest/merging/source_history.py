"""Source history: the last version of a source's row, and lasting data of the earlier ones.

See docs/reference/records.md#versions-of-a-row.

The newest day wins, in any order of arrival; on one day the version that arrived last wins. An earlier version is
recognised by its digest and changes nothing when it arrives again, except for its do-not-call marks. The job of every
version and the newest mark of each number last: jobs and marks only accumulate, so their order of arrival does not
matter.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from firmograph.directory.records import PastJob
from firmograph.ingest.merging.merge import Mark, job_key

_KEPT_VERSIONS = 100
"""Former versions remembered per row: three months of a row that changes daily."""
_KEPT_JOBS = 50
"""Former employers remembered per row: more than anybody had."""
_KEPT_LIFTS = 1000
"""Lifted marks remembered per row; marks that are set are never forgotten."""
_MOST_ROWS = 100
"""Rows per record; it bounds the cost of a row whose key a whole file shares."""


_encode = msgspec.json.Encoder().encode


class VersionJob(msgspec.Struct, array_like=True):
    """The job of one version of a row."""

    day: str
    job: PastJob
    """With its employer's record number."""


class SourceHistory(msgspec.Struct, omit_defaults=True):
    """Lasting data of a row's versions, as stored with the row."""

    versions: list[str] = []
    """Digests of former versions, oldest first, as hex."""
    jobs: list[VersionJob] = []
    """The last job at each employer."""
    marks: dict[str, Mark] = {}
    """The newest do-not-call mark of each number over all versions, the present one included."""
    typed: list[int] = []
    """Indexes of the present version's e-mails whose type it states."""

    def remember(self, version: bytes, day: str, job: PastJob | None) -> None:
        """Keep the digest and job of a version that was replaced or arrived too late."""
        if version.hex() not in self.versions:
            self.versions = [*self.versions, version.hex()][-_KEPT_VERSIONS:]
        if job is not None:
            former = VersionJob(day, job)
            jobs = {one.job.company.id: one for one in self.jobs}
            known = jobs.get(job.company.id, former)
            # the newest day's job; on one day the choice must not depend on the order of arrival
            jobs[job.company.id] = max(known, former, key=lambda one: (one.day, _encode(one.job)))
            self.jobs = sorted(jobs.values(), key=lambda one: (one.day, job_key(one.job)))[-_KEPT_JOBS:]

    def add_marks(self, marks: Iterable[tuple[str, Mark]]) -> bool:
        """Keep the newest mark of each number and return whether any number's flag changed."""
        kept, changed = dict(self.marks), False
        for number, mark in marks:
            before = kept.get(number)
            if before is None or mark > before:
                kept[number] = mark
                changed |= before is None or mark.do_not_call != before.do_not_call
        if len(kept) > _KEPT_LIFTS:
            lifts = sorted((mark, number) for number, mark in kept.items() if not mark.do_not_call)
            for _, number in lifts[:-_KEPT_LIFTS]:
                del kept[number]
        self.marks = kept
        return changed

    def past_jobs(self) -> list[PastJob]:
        """Return former jobs, newest first."""
        return [former.job for former in reversed(self.jobs)]


_decode = msgspec.json.Decoder(SourceHistory).decode


class Row(NamedTuple):
    """A source's last row of one record, as stored."""

    version: bytes
    day: str
    company_id: int | None
    row: bytes | None
    history: bytes | None


def history_of(row: Row) -> SourceHistory:
    return _decode(row.history) if row.history else SourceHistory()


def past_employers(history: bytes) -> set[int]:
    """Return the employers of the former jobs of a stored history, by record number."""
    return {each.job.company.id for each in _decode(history).jobs if each.job.company.id is not None}


def initial_history(day: str, marks: Mapping[str, bool], typed: list[int]) -> bytes | None:
    """Return the encoded history of the first version in a slot."""
    if not marks and not typed:
        return None
    return _encode(
        SourceHistory(
            marks={number: Mark(day, do_not_call) for number, do_not_call in marks.items()}, typed=typed
        )
    )


def has_version(row: Row, version: bytes) -> bool:
    """Return whether a version arrived before, so that its values change nothing."""
    return row.version == version or version.hex() in history_of(row).versions


def latest_row(old: Row, row: Row, job_of: Callable[[Row], PastJob | None]) -> Row:
    """Return the newer of two versions, with the older one in its history."""
    history, added = history_of(old), history_of(row)
    newer, older = (old, row) if row.day < old.day else (row, old)
    history.remember(older.version, older.day, job_of(older))
    history.add_marks(added.marks.items())
    if newer is row:
        history.typed = added.typed
    return newer._replace(history=_encode(history))


class Restatement(NamedTuple):
    row: Row
    changed: bool
    """Whether any number's do-not-call flag changed."""


def restate_row(old: Row, row: Row) -> Restatement | None:
    """Return the row after one of its versions arrived again, None where nothing changes."""
    if row.history is None:
        return None
    history, added = history_of(old), history_of(row)
    before = history.marks, history.typed
    changed = history.add_marks(added.marks.items())
    if old.version == row.version:
        history.typed = added.typed
    if before == (history.marks, history.typed):
        return None
    return Restatement(old._replace(history=_encode(history)), changed)


RowSlot = tuple[int, str]
"""Source number and source id: a record keeps one row in each slot."""
Rows = dict[RowSlot, Row]
"""A record's rows by slot."""


class DroppedRow(NamedTuple):
    slot: RowSlot
    heir: RowSlot | None
    """The row of the same source that took over its marks, if it had any."""


def drop_oldest_row(rows: Rows) -> DroppedRow | None:
    """Remove the oldest row of a record that has too many.

    Rows of named companies stay, so that the same name finds the record again. So does the only row of a source if
    it has marks: no other row could lift them.
    """
    if len(rows) <= _MOST_ROWS:
        return None
    for slot in sorted(
        (slot for slot in rows if rows[slot].version), key=lambda slot: (rows[slot].day, slot)
    ):
        marks = history_of(rows[slot]).marks
        heirs = [other for other in rows if other[0] == slot[0] and other != slot]
        if not marks:
            del rows[slot]
            return DroppedRow(slot, None)
        if heirs:
            del rows[slot]
            heir = max(heirs, key=lambda other: (rows[other].day, other))
            history = history_of(rows[heir])
            history.add_marks(marks.items())
            rows[heir] = rows[heir]._replace(history=_encode(history))
            return DroppedRow(slot, heir)
    return None


class _HasRows(Protocol):
    rows: Rows


H = TypeVar("H", bound=_HasRows)


def choose_by_name(slot: RowSlot, version: bytes, namesakes: Sequence[H], joinable: Sequence[H]) -> H | None:
    """Return the record of a row that has no key but its name.

    A version that arrived before stays with its record, which may have better keys since. A source's only row
    without an id stays one record next to namesakes with ids. Any other row joins the only joinable record.
    """
    for record in namesakes:
        if slot in record.rows and has_version(record.rows[slot], version):
            return record
    own = [record for record in joinable if slot in record.rows]
    return own[0] if own else joinable[0] if len(joinable) == 1 else None
