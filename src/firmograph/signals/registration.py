"""Registration of signals: the calls, signal types and filter values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint
    from firmograph.privacy.declarations import PersonalData
    from firmograph.signals.event_renderer import EventRenderer
    from firmograph.signals.service import SignalsService

_PRICES: Final = {
    "showSignalsCompany": Price(credits=1, per_quantity=1),
    "showSignalsContact": Price(credits=1, per_quantity=1),
}


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.signals.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _renderer(installation: Installation) -> "EventRenderer":
    from firmograph.signals.event_renderer import EventRenderer

    return EventRenderer(installation.record_ids)


def _signals(installation: Installation) -> "SignalsService":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.signals.event_renderer import EventRenderer
    from firmograph.signals.service import SignalsService

    return SignalsService(
        installation.database,
        installation.get(EventRenderer),
        installation.get(ChargedCalls),
        installation.get(RecordLookup).restricted_numbers,
        installation.settings.repeat_reveal_days,
    )


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.signals.calls import SignalsCalls
    from firmograph.signals.event_renderer import EventRenderer
    from firmograph.signals.hiring_locations import HiringLocations
    from firmograph.signals.routes import routes
    from firmograph.signals.service import SignalsService
    from firmograph.signals.topics import load_topics
    from firmograph.table_rows import RowWriter

    calls = SignalsCalls(
        installation.get(SignalsService),
        installation.get(EventRenderer),
        installation.get(RecordLookup).queries.numbers,
        installation.clock,
    )
    categories = load_topics(installation.settings.topics_file).categories
    return routes(calls, HiringLocations(installation.database), categories, installation.get(RowWriter))


REGISTRATION = Registration(
    prices=_PRICES,
    personal_data=_personal_data,
    services={
        "EventRenderer": _renderer,
        "SignalsService": _signals,
    },
    endpoints=_endpoints,
)
