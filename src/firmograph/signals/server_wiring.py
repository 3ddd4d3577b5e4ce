"""Endpoints of signals."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.installation import Installation, ServerWiring
from firmograph.signals.calls import SignalsCalls
from firmograph.signals.hiring.locations import HiringLocations
from firmograph.signals.posts.topics import load_topics
from firmograph.signals.routes import routes
from firmograph.table_rows import RowWriter


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    calls = installation.get(SignalsCalls)
    categories = load_topics(installation.settings.topics_file).categories
    return routes(calls, HiringLocations(installation.database), categories, installation.get(RowWriter))


SERVER: Final = ServerWiring(endpoints=_endpoints)
