"""Which version of a source's row is its last one, and what the others leave behind.

See docs/reference/records.md#versions-of-a-row.

The newest day wins, whatever the order of arrival; on one day the version that came last does. A version that
came before is known by its digest and changes nothing when it comes again, but for its do-not-call marks, which it
states again. Of every version stay the job that it shows and the newest mark of each number: jobs and marks only
gather, so the order in which versions come has no say in them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from firmograph.directory.records import PastJob
from firmograph.ingest.merging.merge import Mark, job_key

_KEPT_VERSIONS = 100
"""How many former versions of one row are remembered; a feed that changes daily is covered for three months."""
_KEPT_JOBS = 50
"""How many former employers the versions of one row are remembered for: more than anybody had."""
_KEPT_LIFTS = 1000
"""Of how many numbers a row remembers that they are not do-not-call; marks themselves are never forgotten."""
_MOST_ROWS = 100
"""How many rows a record is merged from, so that a key that a whole file shares costs each of its rows alike."""


_encode = msgspec.json.Encoder().encode


class SeenJob(msgspec.Struct, array_like=True):
    """The job that a former version showed."""

    day: str
    job: PastJob
    """With its employer's record number."""


class Remains(NamedTuple):
    """What a version leaves behind when another one takes its place."""

    job: PastJob | None = None
    marks: Iterable[tuple[str, Mark]] = ()


NO_REMAINS = Remains()


class History(msgspec.Struct, omit_defaults=True):
    versions: list[str] = []
    """Digests of former versions, oldest first, as hex."""
    jobs: list[SeenJob] = []
    """The last job at each employer."""
    marks: dict[str, Mark] = {}
    """By number the newest do-not-call mark of all versions, the present one included."""
    typed: list[int] = []
    """The places of the present version's e-mails whose type it states."""

    def remember(self, version: bytes, day: str, remains: Remains) -> None:
        """Keep of a version that is replaced, or that came too late, what outlives it."""
        if version.hex() not in self.versions:
            self.versions = [*self.versions, version.hex()][-_KEPT_VERSIONS:]
        self.mark(remains.marks)
        job = remains.job
        if job is not None:
            seen = SeenJob(day, job)
            jobs = {one.job.company.id: one for one in self.jobs}
            held = jobs.get(job.company.id, seen)
            # the newest day's job, and on one day the same one whatever came first
            jobs[job.company.id] = max(held, seen, key=lambda one: (one.day, _encode(one.job)))
            self.jobs = sorted(jobs.values(), key=lambda one: (one.day, job_key(one.job)))[-_KEPT_JOBS:]

    def mark(self, marks: Iterable[tuple[str, Mark]]) -> bool:
        """Keep the newest mark of each number; whether any number is marked otherwise than before."""
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
        """Newest first."""
        return [seen.job for seen in reversed(self.jobs)]


_decode = msgspec.json.Decoder(History).decode


class Row(NamedTuple):
    """A source's last row of one record, as it is stored."""

    version: bytes
    day: str
    company_id: int | None
    row: bytes | None
    history: bytes | None


def history_of(row: Row) -> History:
    return _decode(row.history) if row.history else History()


def first_history(day: str, marks: Mapping[str, bool], typed: list[int]) -> bytes | None:
    """The history of a version that comes to an empty place."""
    if not marks and not typed:
        return None
    return _encode(History(marks={number: Mark(day, said) for number, said in marks.items()}, typed=typed))


def is_known(row: Row, versions: Collection[bytes]) -> bool:
    """Whether a version came before under any of these digests, so that its values change nothing now."""
    if row.version in versions:
        return True
    former = history_of(row).versions
    return any(version.hex() in former for version in versions)


def latest(old: Row, row: Row, remains_of: Callable[[Row], Remains]) -> Row:
    """The row that a source's place holds once `row` has come to it; the other one stays behind in its history."""
    history, come = history_of(old), history_of(row)
    kept, gone = (old, row) if row.day < old.day else (row, old)
    history.remember(gone.version, gone.day, remains_of(gone))
    history.mark(come.marks.items())
    if kept is row:
        history.typed = come.typed
    return kept._replace(history=_encode(history))


class Restated(NamedTuple):
    row: Row
    changed: bool
    """Whether a number is marked otherwise than before."""


def restated(old: Row, row: Row, versions: Collection[bytes]) -> Restated | None:
    """What becomes of a source's row when one of its versions comes again; None where that says nothing new."""
    if row.history is None:
        return None
    history, come = history_of(old), history_of(row)
    before = history.marks, history.typed
    changed = history.mark(come.marks.items())
    if old.version in versions:
        history.typed = come.typed
    if before == (history.marks, history.typed):
        return None
    return Restated(old._replace(history=_encode(history)), changed)


At = tuple[int, str]
"""Source number and source id."""
Rows = dict[At, Row]
"""A record's rows."""


class Dropped(NamedTuple):
    at: At
    heir: At | None
    """The row of the same source that keeps its marks now, if it had any."""


def drop_oldest(rows: Rows, remains_of: Callable[[Row], Remains]) -> Dropped | None:
    """Leave out the oldest row where there are more than a record is merged from.

    What only names a company stays, so that the same naming finds it again. So does the only row of a source that
    has marks: nobody else could lift them.
    """
    if len(rows) <= _MOST_ROWS:
        return None
    for at in sorted((at for at in rows if rows[at].version), key=lambda at: (rows[at].day, at)):
        marks = {**history_of(rows[at]).marks}
        heirs = [other for other in rows if other[0] == at[0] and other != at]
        for number, mark in remains_of(rows[at]).marks:
            marks[number] = max(mark, marks.get(number, mark))
        if not marks:
            del rows[at]
            return Dropped(at, None)
        if heirs:
            del rows[at]
            heir = max(heirs, key=lambda other: (rows[other].day, other))
            history = history_of(rows[heir])
            history.mark(marks.items())
            rows[heir] = rows[heir]._replace(history=_encode(history))
            return Dropped(at, heir)
    return None


class _HasRows(Protocol):
    rows: Rows


H = TypeVar("H", bound=_HasRows)


def by_name(at: At, versions: Collection[bytes], named: Sequence[H], like: Sequence[H]) -> H | None:
    """The record of a row that only its name tells, among those of that name and those that it may join.

    A row that came before goes where it went, although that record may have better keys by now; and a source's
    only row without an id stays one record beside namesakes with ids. Else the only one that it may join.
    """
    for held in named:
        if at in held.rows and is_known(held.rows[at], versions):
            return held
    own = [held for held in like if at in held.rows]
    return own[0] if own else like[0] if len(like) == 1 else None
