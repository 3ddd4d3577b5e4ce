"""Jobs: what a call has left open, polled for free."""

from typing import Final, Literal, NamedTuple

from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database
from firmograph.directory import store as directory
from firmograph.kit.errors import NotFound
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.waterfall.asks import ask_store, value_store
from firmograph.waterfall.rendering import CallAsks, PaidValues, ResultRenderer
from firmograph.waterfall.types import DATA_POINTS, JOB_SECONDS, Job

JobStatus = Literal["processing", "complete", "expired"]
_MOST_DIGITS: Final = 64
"""Characters of an id; longer ones are none."""


class Covered(NamedTuple):
    """Contact of a job, with the data points that it looks up."""

    token: str
    data_points: list[str]


class ShownJob(NamedTuple):
    """State of a job."""

    token: str
    status: JobStatus
    covers: list[Covered]
    contacts: list[bytes]
    """Rendered contacts, as enrich shows them now."""
    credits: int
    """Charged by what the call has left open."""


class Jobs:
    """Jobs of accounts."""

    def __init__(
        self, database: Database, record_ids: RecordIds, paid_units: PaidUnits, renderer: ResultRenderer
    ) -> None:
        self._database = database
        self._record_ids = record_ids
        self._paid_units = paid_units
        self._renderer = renderer

    def show(self, request: Request, token: str) -> ShownJob:
        """Return a job. Raises NotFound for one that is unknown, of another account, or ended a day ago."""
        with self._database.read() as session:
            own = AccountSession(session, request.caller.account_id)
            job = ask_store.find_job(own, token) if len(token) <= _MOST_DIGITS else None
            if job is None:
                raise _no_job()
            return self._show(own, request, job)

    def _show(self, own: AccountSession, request: Request, job: Job) -> ShownJob:
        is_own = ask_store.select_job_asks(own, job.id)
        asks = ask_store.select_asks(own, is_own)
        call_asks = CallAsks(asks, [number for number, paid in is_own.items() if paid])
        expires_at = job.created_at + JOB_SECONDS
        ended_at = max([job.created_at, *(ask.ended_at or expires_at for ask in asks)])
        if request.at > min(ended_at, expires_at) + JOB_SECONDS:
            raise _no_job()
        contacts = sorted({ask.contact_id for ask in asks})
        records = directory.contact_profiles(own.session, contacts)
        paid = self._paid_units.paid(own, Entity.CONTACT, contacts, request.at)
        values = PaidValues(value_store.select_paid(own, contacts), paid)
        covers = []
        for number in contacts:
            names = [DATA_POINTS[ask.data_point] for ask in asks if ask.contact_id == number]
            covers.append(Covered(self._record_ids.seal(Entity.CONTACT, number), sorted(names)))
        status: JobStatus = "complete"
        if call_asks.is_open:
            status = "processing" if request.at < expires_at else "expired"
        rendered = [
            self._renderer.contact(request.caller, records[number], job.reveal, paid, values, call_asks)
            for number in contacts
            if number in records
        ]
        charged = sum(ask.captured for ask in asks if is_own[ask.id])
        return ShownJob(job.token, status, covers, rendered, charged)


def _no_job() -> NotFound:
    return NotFound("There is no such job; jobs are kept for a day after their end. Repeat the enrich")
