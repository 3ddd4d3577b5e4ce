"""Endpoints of signals."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, ServerWiring
from firmograph.signals.calls import SignalsCalls
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.hiring.locations import HiringLocations
from firmograph.signals.posts.topics import load_topics
from firmograph.signals.routes import routes
from firmograph.signals.service import SignalsService
from firmograph.table_rows import RowWriter


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    calls = SignalsCalls(
        installation.get(SignalsService),
        installation.get(EventRenderer),
        installation.get(RecordLookup).queries.numbers,
        installation.clock,
    )
    categories = load_topics(installation.settings.topics_file).categories
    return routes(calls, HiringLocations(installation.database), categories, installation.get(RowWriter))


SERVER: Final = ServerWiring(endpoints=_endpoints)
