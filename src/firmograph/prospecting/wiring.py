"""Services of prospecting that commands also use."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.enrichment.service import Enrichment
from firmograph.installation import Installation, Services
from firmograph.prospecting.current_search import CurrentSearch
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.prospecting.engines.registry import engine_factory
from firmograph.prospecting.service import Prospecting
from firmograph.security.record_ids import Entity


def _search(installation: Installation) -> ServedSearch:
    settings = installation.settings
    return engine_factory(settings).serve(installation.database, installation.clock, settings)


def _prospecting(installation: Installation) -> Prospecting:
    return Prospecting(
        installation.database,
        installation.get(ServedSearch).active,
        installation.record_ids,
        installation.digests,
        installation.get(ChargedCalls),
    )


def _current(installation: Installation) -> CurrentSearch:
    enrichment = installation.get(Enrichment)
    previews = {entity: enrichment.of(entity).previews for entity in Entity}
    return CurrentSearch(installation.get(Prospecting), previews)


SERVICES: Final[Services] = {ServedSearch: _search, Prospecting: _prospecting, CurrentSearch: _current}
