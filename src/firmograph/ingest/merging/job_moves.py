"""Signals of job moves in a batch of contacts, written in the batch's transaction.

See docs/reference/signals.md#job-moves.

A row shows a move only if it is newer than the row that gave the fact before: than the one it replaces, or than that
of another source by its day.
"""

from collections.abc import Callable, Mapping
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
    classify_change,
    detect_moves,
    involved_companies,
)
from firmograph.signals.job_moves.store import employer_identities, stored_moves
from firmograph.signals.store import store_signals


class PriorState(NamedTuple):
    """A contact before a row was added."""

    company_id: int | None
    preview: bytes
    row: Row | None
    """The row that the new one replaces."""


class JobMoves:
    """The job moves of one commit, in the order of its rows."""

    def __init__(
        self,
        digests: Digests,
        source_names: Mapping[int, str],
        import_day: str,
        days_between: int,
        at: float,
        *,
        quiet: bool = False,
    ) -> None:
        self._digests = digests
        self._source_names = source_names
        self._import_day = import_day
        self._days_between = days_between
        self._detected_at = at
        self._quiet = quiet
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
        if was[:2] == now[:2] or was.company is None or not self._is_newer(before, contact, slot, was, now):
            return
        own = before.row and (_job(before.row.company_id, _row_title(before.row)) if before.row.row else was)
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
            self._steps.append(step)

    def write_signals(self, session: Session, not_written: Mapping[int, CompanyParts]) -> int:
        """Write the signals of all steps and return how many are new.

        `not_written` are companies that this transaction created and writes later.
        """
        if not self._steps:
            return 0
        companies = {company for step in self._steps for company in involved_companies(step)}
        known = employer_identities(session, companies, not_written)
        past = stored_moves(session, {step.number for step in self._steps})
        found = detect_moves(self._steps, known, past, self._days_between)
        return store_signals(session, self._digests, found, self._detected_at, quiet=self._quiet)

    def _is_newer(
        self, before: PriorState, contact: ContactState, slot: RowSlot, was: Employment, now: Employment
    ) -> bool:
        """Return whether the row gives the changed fact, and the row that gave it before is not newer."""
        gives_fact: Callable[[Row], bool]
        if was.company != now.company:
            gives_fact = _has_employer
        else:

            def gives_fact(row: Row) -> bool:
                return row.company_id in (None, now.company) and _row_title(row) is not None

        rows = contact.rows
        if self._newest_giver(rows, gives_fact) != slot:
            return False
        former = rows | {slot: before.row} if before.row else {one: rows[one] for one in rows if one != slot}
        giver = self._newest_giver(former, gives_fact)
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


def _job(company_id: int | None, title: JobTitle | None) -> Employment:
    return Employment(company_id, title.title, title.start_date or "") if title else Employment(company_id)


def _row_title(row: Row) -> JobTitle | None:
    return view_contact(row.row).job_title if row.row else None
