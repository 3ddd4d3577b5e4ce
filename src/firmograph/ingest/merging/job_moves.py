"""Which rows of a batch of contacts may tell of a new job, and the signals of them, in the batch's transaction.

See docs/reference/signals.md#job-moves.

A fact that is not newer than the held one changes nothing: a row is newer than the one it replaces, and
than that of another source when its day is later.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import CompanyParts
from firmograph.directory.identity import Digests
from firmograph.directory.records import Contact, JobTitle
from firmograph.ingest.merging.existing_contacts import HeldContact
from firmograph.ingest.merging.source_history import Row, Rows
from firmograph.signals.job_moves import Job, Step, companies_of, detect, kind
from firmograph.signals.job_store import employers, past_moves
from firmograph.signals.store import put


class _Titled(msgspec.Struct, rename="camel"):
    job_title: JobTitle | None = None


_titled = msgspec.json.Decoder(_Titled).decode

_At = tuple[int, str]
"""Source number and source id."""


class Before(NamedTuple):
    """What a record held before a row came to it."""

    company_id: int | None
    preview: bytes
    row: Row | None
    """The one in whose place the row comes."""


class JobMoves:
    """Gathers the steps of one commit, in the order of its rows."""

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
        self._steps: list[Step] = []

    def before(self, held: HeldContact, at: _At) -> Before:
        """To be asked before a row is put among those of its record."""
        assert held.fragments is not None
        return Before(held.company_id, held.fragments.preview, held.rows.get(at))

    def note(self, before: Before, held: HeldContact, at: _At) -> None:
        """Note what became of a record that the row `at` has changed."""
        record, title = held.merged(), _titled(before.preview).job_title
        assert isinstance(record, Contact)
        was, now = _job(before.company_id, title), _job(held.company_id, record.job_title)
        if was[:2] == now[:2] or was.company is None or not self._is_newer(before, held, at, was, now):
            return
        own = before.row and (_job(before.row.company_id, _title_of(before.row)) if before.row.row else was)
        shown = record.job_title or JobTitle()
        step = Step(
            held.number,
            was,
            own,
            now,
            shown.departments,
            shown.seniority or "",
            held.rows[at].day,
            self._import_day,
        )
        if kind(step):
            self._steps.append(step)

    def put(self, session: Session, not_written: Mapping[int, CompanyParts]) -> int:
        """Write the signals of all steps; how many were not held before.

        `not_written` are the companies that this transaction has made and writes later.
        """
        if not self._steps:
            return 0
        companies = {company for step in self._steps for company in companies_of(step)}
        known = employers(session, companies, not_written)
        past = past_moves(session, {step.number for step in self._steps})
        found = detect(self._steps, known, past, self._days_between)
        return put(session, self._digests, found, self._detected_at, quiet=self._quiet)

    def _is_newer(self, before: Before, held: HeldContact, at: _At, was: Job, now: Job) -> bool:
        """Whether the row gives the fact that changed, and whoever gave it before is no newer."""
        tells: Callable[[Row], bool]
        if was.company != now.company:
            tells = _tells_employer
        else:

            def tells(row: Row) -> bool:
                return row.company_id in (None, now.company) and _title_of(row) is not None

        rows = held.rows
        if self._giver(rows, tells) != at:
            return False
        former = rows | {at: before.row} if before.row else {one: rows[one] for one in rows if one != at}
        giver = self._giver(former, tells)
        return giver in (None, at) or rows[at].day > rows[giver].day

    def _giver(self, rows: Rows, tells: Callable[[Row], bool]) -> _At | None:
        """The newest row that tells a fact, in the order of `merge`."""
        if len(rows) == 1:
            return next(iter(rows))
        newest = sorted(rows, key=lambda at: (rows[at].day, self._source_names[at[0]], at[1]), reverse=True)
        return next((at for at in newest if tells(rows[at])), None)


def _tells_employer(row: Row) -> bool:
    return row.company_id is not None


def _job(company_id: int | None, title: JobTitle | None) -> Job:
    return Job(company_id, title.title, title.start_date or "") if title else Job(company_id)


def _title_of(row: Row) -> JobTitle | None:
    return _titled(row.row).job_title if row.row else None
