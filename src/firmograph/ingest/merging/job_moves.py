"""Signals of job moves in a batch of contacts, written in the batch's transaction.

See docs/reference/signals.md#job-moves.

A row shows a move only if it is newer than the row that gave the fact before: than the one it replaces, or than that
of another source by its day. A row that states a stored move again, by the same jobs, makes its source one more that
states it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.directory.company_json import CompanyParts
from firmograph.directory.identity import Digests
from firmograph.directory.records import Contact, JobTitle
from firmograph.directory.stored_views import view_contact
from firmograph.ingest.merging.contact_state import ContactState
from firmograph.ingest.merging.source_history import Row, Rows, RowSlot
from firmograph.signals.job_moves.detector import (
    Employment,
    JobChange,
    StoredMove,
    classify_change,
    detect_moves,
    involved_companies,
)
from firmograph.signals.job_moves.store import employer_identities, stored_moves
from firmograph.signals.statements import Origin, Repetition, repeat_statements
from firmograph.signals.store import store_signals


class PriorState(NamedTuple):
    """A contact before a row was added."""

    company_id: int | None
    preview: bytes
    row: Row | None
    """The row that the new one replaces."""


class _RepeatedMove(NamedTuple):
    """A move as a source states it: the jobs by company and title."""

    number: int
    previous: tuple[int | None, str]
    current: tuple[int | None, str]


class JobMoves:
    """The job moves of one commit, in the order of its rows."""

    def __init__(
        self,
        digests: Digests,
        source_names: Mapping[int, str],
        import_day: str,
        days_between: int,
        at: float,
        origin: Origin,
        *,
        quiet: bool = False,
    ) -> None:
        self._digests = digests
        self._source_names = source_names
        self._import_day = import_day
        self._days_between = days_between
        self._detected_at = at
        self._quiet = quiet
        self._origin = origin
        self._repetitions: list[_RepeatedMove] = []
        self._steps: list[JobChange] = []

    def prior_state(self, contact: ContactState, slot: RowSlot) -> PriorState:
        """Capture the state of a contact; call it before a row is added."""
        assert contact.parts is not None
        return PriorState(contact.company_id, contact.parts.preview, contact.rows.get(slot))

    def add_step(self, before: PriorState, contact: ContactState, slot: RowSlot) -> None:
        """Note the job change of a contact whose row in `slot` changed it, if there is one."""
        record, title = contact.canonical(), view_contact(before.preview).job_title
        assert isinstance(record, Contact)
        was, now = _job(before.company_id, title), _job(contact.company_id, record.job_title)
        if was[:2] == now[:2]:
            self.add_repetition(before, contact, slot)
            return
        if was.company is None or not self._is_newer(before, contact, slot, was, now):
            return
        own = _own_job(before)
        current = record.job_title or JobTitle()
        step = JobChange(
            contact.number,
            was,
            own,
            now,
            current.departments,
            current.seniority or "",
            contact.rows[slot].day,
            self._import_day,
        )
        if classify_change(step):
            needs = self._needs(before, contact, slot, was, now)
            self._steps.append(step._replace(needs=needs))

    def add_repetition(self, before: PriorState, contact: ContactState, slot: RowSlot) -> None:
        """Note a move by the row's source alone to the job that the contact has already."""
        row = contact.rows.get(slot)
        if before.row is None or row is None or row.company_id is None:
            return
        own, new = _own_job(before), _job(row.company_id, _row_title(row))
        if own and own.company is not None and own[:2] != new[:2]:
            self._repetitions.append(_RepeatedMove(contact.number, own[:2], new[:2]))

    def write_signals(self, session: Session, not_written: Mapping[int, CompanyParts]) -> int:
        """Write the signals of all steps and return how many are new.

        `not_written` are companies that this transaction created and writes later.
        """
        if not self._steps and not self._repetitions:
            return 0
        numbers = {step.number for step in self._steps} | {each.number for each in self._repetitions}
        past = stored_moves(session, numbers)
        if self._repetitions:
            self._repeat_signals(session, past)
        if not self._steps:
            return 0
        companies = {company for step in self._steps for company in involved_companies(step)}
        known = employer_identities(session, companies, not_written)
        found = detect_moves(self._steps, known, past, self._days_between)
        return store_signals(
            session, self._digests, found, self._detected_at, quiet=self._quiet, origin=self._origin
        )

    def _repeat_signals(self, session: Session, past: Sequence[StoredMove]) -> None:
        """Note that the source states stored moves too."""
        repeated = set(self._repetitions)
        moves = [each.id for each in past if (each.number, each.previous[:2], each.current[:2]) in repeated]
        repeat_statements(session, self._origin, {id: Repetition((), is_same=True) for id in moves})

    def _needs(
        self, before: PriorState, contact: ContactState, slot: RowSlot, was: Employment, now: Employment
    ) -> tuple[int, ...]:
        """Return the sources of the two jobs; the row's own source alone if its rows give both."""
        jobs = [(contact.rows, now)]
        own = _own_job(before)
        if own is None or own[:2] != was[:2]:
            jobs.append((_former_rows(before, contact, slot), was))
        givers = {
            giver[0]
            for rows, job in jobs
            for gives in (_has_employer, _title_giver(job.company))
            if (giver := self._newest_giver(rows, gives))
        }
        return tuple(sorted(givers))

    def _is_newer(
        self, before: PriorState, contact: ContactState, slot: RowSlot, was: Employment, now: Employment
    ) -> bool:
        """Return whether the row gives the changed fact, and the row that gave it before is not newer."""
        gives_fact = _has_employer if was.company != now.company else _title_giver(now.company)
        rows = contact.rows
        if self._newest_giver(rows, gives_fact) != slot:
            return False
        giver = self._newest_giver(_former_rows(before, contact, slot), gives_fact)
        return giver in (None, slot) or rows[slot].day > rows[giver].day

    def _newest_giver(self, rows: Rows, gives_fact: Callable[[Row], bool]) -> RowSlot | None:
        """Return the slot of the newest row that gives a fact, in the order of `merge`."""
        if len(rows) == 1:
            return next(iter(rows))
        newest = sorted(
            rows, key=lambda slot: (rows[slot].day, self._source_names[slot[0]], slot[1]), reverse=True
        )
        return next((slot for slot in newest if gives_fact(rows[slot])), None)


def _has_employer(row: Row) -> bool:
    return row.company_id is not None


def _title_giver(company_id: int | None) -> Callable[[Row], bool]:
    """Return whether a row gives the title at an employer."""
    return lambda row: row.company_id in (None, company_id) and _row_title(row) is not None


def _former_rows(before: PriorState, contact: ContactState, slot: RowSlot) -> Rows:
    """Return the rows of a contact before the one in `slot` was added."""
    rows = contact.rows
    return rows | {slot: before.row} if before.row else {one: rows[one] for one in rows if one != slot}


def _own_job(before: PriorState) -> Employment | None:
    """Return the job of the row that the new one replaces, which without a body equals the record."""
    row = before.row
    if row is None:
        return None
    if row.row:
        return _job(row.company_id, _row_title(row))
    return _job(before.company_id, view_contact(before.preview).job_title)


def _job(company_id: int | None, title: JobTitle | None) -> Employment:
    return Employment(company_id, title.title, title.start_date or "") if title else Employment(company_id)


def _row_title(row: Row) -> JobTitle | None:
    return view_contact(row.row).job_title if row.row else None
