"""Services that charge calls."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.idempotency import Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.installation import Installation, Services


def _paid_units(installation: Installation) -> PaidUnits:
    return PaidUnits(installation.clock, installation.settings.repeat_reveal_days)


def _idempotency(installation: Installation) -> Idempotency:
    return Idempotency(installation.clock, installation.settings.idempotency_hours)


def _charged_calls(installation: Installation) -> ChargedCalls:
    return ChargedCalls(installation.database, installation.get(Idempotency), installation.get(PaidUnits))


SERVICES: Final[Services] = {PaidUnits: _paid_units, ChargedCalls: _charged_calls, Idempotency: _idempotency}
