"""Registration of the legacy calls."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.legacy.identified import RecordFinder
    from firmograph.legacy.signal_routes import routes
    from firmograph.legacy.signals import LegacySignals
    from firmograph.signals.event_renderer import EventRenderer
    from firmograph.signals.service import SignalsService

    return routes(
        LegacySignals(
            installation.get(SignalsService),
            installation.get(EventRenderer),
            installation.record_ids,
            RecordFinder(installation.get(RecordLookup)),
            installation.clock,
        )
    )


REGISTRATION = Registration(endpoints=_endpoints)
