"""Services of signals."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, Services
from firmograph.signals.calls import SignalsCalls
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.service import SignalsService


def _renderer(installation: Installation) -> EventRenderer:
    return EventRenderer(installation.record_ids)


def _signals(installation: Installation) -> SignalsService:
    return SignalsService(
        installation.database,
        installation.get(EventRenderer),
        installation.get(ChargedCalls),
        installation.get(RecordLookup).restricted_numbers,
        installation.settings.repeat_reveal_days,
    )


def _calls(installation: Installation) -> SignalsCalls:
    return SignalsCalls(
        installation.get(SignalsService),
        installation.get(EventRenderer),
        installation.get(RecordLookup).queries.numbers,
        installation.clock,
    )


SERVICES: Final[Services] = {EventRenderer: _renderer, SignalsService: _signals, SignalsCalls: _calls}
