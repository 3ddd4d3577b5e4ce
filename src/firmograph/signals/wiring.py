"""Services of signals."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, Services
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


SERVICES: Final[Services] = {EventRenderer: _renderer, SignalsService: _signals}
