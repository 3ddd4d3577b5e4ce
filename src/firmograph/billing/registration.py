"""Registration of billing: plans, paid units and charged calls."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration, packaged_prices

if TYPE_CHECKING:
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.billing.idempotency import Idempotency
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.billing.plans import Plans
    from firmograph.database.connection import Session
    from firmograph.jobs.scheduler import PeriodicJob
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.billing.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _plans(installation: Installation) -> "Plans":
    from firmograph.billing.plans import read_plans

    return read_plans(packaged_prices(installation.registrations), installation.settings.plans_file)


def _paid_units(installation: Installation) -> "PaidUnits":
    from firmograph.billing.paid_units import PaidUnits

    return PaidUnits(installation.clock, installation.settings.repeat_reveal_days)


def _idempotency(installation: Installation) -> "Idempotency":
    from firmograph.billing.idempotency import Idempotency

    return Idempotency(installation.clock, installation.settings.idempotency_hours)


def _charged_calls(installation: Installation) -> "ChargedCalls":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.billing.idempotency import Idempotency
    from firmograph.billing.paid_units import PaidUnits

    return ChargedCalls(installation.database, installation.get(Idempotency), installation.get(PaidUnits))


def _periodic_jobs(installation: Installation) -> "Sequence[PeriodicJob]":
    from firmograph.billing.idempotency import delete_expired_keys
    from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob

    def forget(session: "Session", now: float) -> int:
        return delete_expired_keys(session, now, PART_ROWS)

    # callers already treat an expired key as missing; this frees its row
    return [PeriodicJob("forget-idempotency-keys", 600.0, forget)]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services={
        "Plans": _plans,
        "PaidUnits": _paid_units,
        "ChargedCalls": _charged_calls,
        "Idempotency": _idempotency,
    },
    periodic_jobs=_periodic_jobs,
)
